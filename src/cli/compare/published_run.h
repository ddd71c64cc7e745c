/* One row in a table of published kernels, simulated.
 *
 * A grid of at most PUBLISHED_WHOLE GPU waves (CTAs that the SMs hold at once) is run whole. Of a longer one the
 * first 1 + `waves` waves are run and, from the beginning again, the first 1 + 2 * `waves`. The extra time of the
 * second run gives the SM cycles of a CTA in steady state, and the line through both runs the cycles and counters of
 * the launch. The first run is longer than a wave because both have to end alike: the CTAs of the first wave begin and
 * end together, while those of later ones have drifted apart, and the SMs empty slowly. CTAs keep the indices that they
 * have in the grid. Those behind are left out (plan policy "only-ctas").
 *
 * Where only some SMs are simulated (`part`), they get their share of the grid.
 *
 * With --fidelity sampled or hybrid there is one run, of the whole grid, and its estimate. */
#ifndef SUBCORE_CLI_PUBLISHED_RUN_H
#define SUBCORE_CLI_PUBLISHED_RUN_H

#include "cli/compare/published_counters.h"
#include "cli/options.h"
#include "validate/published_results.h"

enum { PUBLISHED_WHOLE = 4, PUBLISHED_WAVES = 2 };

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
