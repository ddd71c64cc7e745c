/* Runs compared with the first of them, from documents that --json has written. */
#ifndef SUBCORE_CLI_COMPARE_H
#define SUBCORE_CLI_COMPARE_H

#include "cli/options.h"
#include "report/page.h"

/* Prints the comparisons of all but the first run with the first, and writes the file of --json. Status
 * STATUS_CHECK, and false: the cycles have grown by more than --threshold, or kernels are missing there. */
bool compare_all(const struct page_run *runs, size_t count, const struct cli_options *options, struct status *status);

#endif
