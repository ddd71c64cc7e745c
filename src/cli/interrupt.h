/* Signals that ask a run to stop: Ctrl-C (SIGINT), SIGTERM, SIGHUP and SIGQUIT. */
#ifndef SUBCORE_CLI_INTERRUPT_H
#define SUBCORE_CLI_INTERRUPT_H

#include <stdbool.h>

/* A signal that comes sooner after the first belongs to it: timeout(1) signals a process and then its group, and a
 * terminal that closes sends SIGHUP from two sides. */
enum { INTERRUPT_SAME_MS = 2000 };

/* Begins to catch these signals. The result becomes true at the first of them. A signal that comes INTERRUPT_SAME_MS
 * after the first, or later, ends the program at once. SIGHUP stays ignored where it was ignored (nohup). */
const volatile bool *interrupt_catch(void);

#endif
