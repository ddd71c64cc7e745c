/* Ctrl-C asks a run to stop; a second one ends the program. */
#ifndef SUBCORE_CLI_INTERRUPT_H
#define SUBCORE_CLI_INTERRUPT_H

#include <stdbool.h>

/* Begins to catch SIGINT and SIGTERM; the result becomes true at the first of them. */
const volatile bool *interrupt_catch(void);

#endif
