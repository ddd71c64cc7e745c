/* The exit status of experiment, measure and validate follows one rule. */
#ifndef SUBCORE_CLI_CONCLUDE_H
#define SUBCORE_CLI_CONCLUDE_H

#include <stdbool.h>

#include "base/status.h"

/* Fails with STATUS_CHECK when results were missed, and with `strict` also when results are open. `noun` names one
 * result: "row". */
bool conclude_results(unsigned missed, unsigned open, bool strict, const char *noun, struct status *status);

#endif
