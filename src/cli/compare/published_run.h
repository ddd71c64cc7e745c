/* One row in a table of published kernels, simulated.
 *
 * published_window.h tells which CTAs are run. The SM cycles of a CTA between the two runs of a long grid give the
 * cycles of the launch, and the line through both its counters. CTAs keep the indices that they have in the grid. Those
 * behind are left out (plan policy "only-ctas").
 *
 * With --fidelity sampled or hybrid there is one run, of the whole grid, and its estimate. */
#ifndef SUBCORE_CLI_PUBLISHED_RUN_H
#define SUBCORE_CLI_PUBLISHED_RUN_H

#include "cli/compare/published_counters.h"
#include "cli/compare/published_window.h"
#include "cli/options.h"
#include "validate/published_results.h"

struct published_site {
    const struct cli_options *options; /* --cubins, --part, --waves, --set, --threads */
    const struct published *table;
    const published_counter *counter; /* for each column of the table; below 0: none */
    void (*progress)(void *self, uint64_t ctas_done, uint64_t ctas, uint64_t cycle, uint64_t instructions);
    void *self;
};

/* The whole configuration of the row's GPU. */
bool published_gpu(struct config *config, const struct published_row *row, const struct cli_options *options,
                   struct status *status);
/* Fills *out, whose counters the caller frees. A row that cannot be run is PUBLISHED_FAILED in *out. False, with
 * status: the command ends (an interrupt, no memory). */
bool published_run(struct published_result *out, const struct published_row *row, const struct published_site *site,
                   struct status *status);

#endif
