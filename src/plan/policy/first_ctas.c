/* --ctas: the first N CTAs of each launch are timed. */
#include "plan/limit.h"
#include "plan/policy.h"

static enum plan_action ctas(void *state, const struct plan_grid *grid, uint64_t first, uint64_t *end)
{
    const struct limit *limit = state;
    (void)grid;
    if (first >= limit->most)
        return PLAN_EXECUTE;
    *end = limit->most < *end ? limit->most : *end;
    return PLAN_TIME;
}

const struct plan_policy plan_first_ctas = {
    .name = "first-ctas", .stop = STOP_CTAS, .state_bytes = sizeof(struct limit), .parse = limit_parse, .ctas = ctas};
