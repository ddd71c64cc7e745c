/* --fidelity hybrid: the CTAs of one SM are timed. Those of the others are executed, and show their accesses to a model
 * of memory. gpu/hybrid.h tells which launches are hybrid. The others are timed whole. */
#include <math.h>

#include "plan/policy.h"
#include "plan/share.h"

/* Nothing is kept from one question to the next. */
struct hybrid_state {
    char none;
};

static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    (void)state, (void)option, (void)text, (void)status;
    return true;
}

static enum plan_action ctas(void *state, const struct plan_grid *grid, uint64_t first, uint64_t *end)
{
    uint64_t own;
    (void)state;
    if (!grid->share)
        return PLAN_TIME;
    bool timed = share_part(grid->share, first, &own);
    *end = own < *end ? own : *end;
    return timed ? PLAN_TIME : PLAN_WARM;
}

static bool estimate(const void *state, const struct kernel_result *result, struct estimate *out)
{
    const struct hybrid_result *h = &result->hybrid;
    (void)state;
    if (h->sms == 0)
        return false;
    *out = (struct estimate){.value =
                                 round((double)h->launch + fmax(fmax(h->compute, h->l2), fmax(h->memory, h->atomics))),
                             .error = ESTIMATE_UNKNOWN,
                             .kind = ESTIMATE_PROJECTED,
                             .method = "hybrid"};
    return true;
}

const struct plan_policy plan_hybrid = {.name = "hybrid",
                                        .alone = true,
                                        .flows = true,
                                        .stop = STOP_HYBRID,
                                        .state_bytes = sizeof(struct hybrid_state),
                                        .parse = parse,
                                        .ctas = ctas,
                                        .estimate = estimate};
