/* The first N CTAs of each launch are timed and the others left out: memory stays as the first ones leave it. No option
 * of a run sets it. It serves windows of grids that are too long to run (cli/compare/published_run.h). */
#include "plan/limit.h"
#include "plan/policy.h"

static enum plan_action ctas(void *state, const struct plan_grid *grid, uint64_t first, uint64_t *end)
{
    const struct limit *limit = state;
    (void)grid;
    if (first >= limit->most)
        return PLAN_SKIP;
    *end = limit->most < *end ? limit->most : *end;
    return PLAN_TIME;
}

const struct plan_policy plan_only_ctas = {
    .name = "only-ctas", .stop = STOP_CTAS, .state_bytes = sizeof(struct limit), .parse = limit_parse, .ctas = ctas};
