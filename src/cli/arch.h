/* Architectures on the command line. */
#ifndef SUBCORE_CLI_ARCH_H
#define SUBCORE_CLI_ARCH_H

#include <stdbool.h>

#include "base/status.h"

/* sm_86, 86, sm_90a; the letter sets *accelerated. */
bool arch_parse(const char *text, unsigned *sm, bool *accelerated, struct status *status);

#endif
