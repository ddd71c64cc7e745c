/* --fidelity sampled, --error: only some CTA waves of a timed launch are timed, and the cycles of all are projected.
 * plan/wave_sample.h has the choice, plan/wave_estimate.h the interval. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "plan/policy.h"
#include "plan/wave_estimate.h"

static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    struct wave_sample *s = state;
    char *end = NULL;
    double percent = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (!end || *end != '\0' || !(percent >= 0.01 && percent <= 50))
        return status_fail(status, STATUS_USAGE, "%s: '%.100s' is no percentage from 0.01 to 50", option, text);
    s->error = percent / 100;
    return true;
}

static enum plan_action ctas(void *state, const struct plan_grid *grid, uint64_t first, uint64_t *end)
{
    static const enum plan_action actions[] = {
        [WAVE_TIME] = PLAN_TIME, [WAVE_WARM] = PLAN_WARM, [WAVE_EXECUTE] = PLAN_EXECUTE};
    struct wave_sample *s = state;
    if (first == 0)
        wave_sample_begin(s, grid->ctas, grid->apart ? grid->resident : grid->ctas, grid->pin);
    const struct wave_state now = {.handed = grid->handed,
                                   .cycle = grid->cycle,
                                   .instructions = grid->instructions,
                                   .sectors = grid->sectors,
                                   .moved = grid->moved,
                                   .dirty = grid->dirty,
                                   .rest = grid->rest,
                                   .refill = grid->refill};
    uint64_t own;
    enum wave_action action = wave_sample_ask(s, &now, first, &own);
    *end = own < *end ? own : *end;
    return actions[action];
}

static bool estimate(const void *state, const struct kernel_result *result, struct estimate *out)
{
    const struct wave_sample *s = state;
    if (!wave_sample_has_gaps(s))
        return false;
    struct wave_estimate rest = wave_estimate(s);
    *out = (struct estimate){.value = (double)result->cycles + rest.cycles,
                             .error = rest.half_width,
                             .kind = ESTIMATE_PROJECTED,
                             .method = "sampled CTAs"};
    return true;
}

const struct plan_policy plan_sample_ctas = {.name = "sample-ctas",
                                             .alone = true,
                                             .flows = true,
                                             .stop = STOP_SAMPLED,
                                             .state_bytes = sizeof(struct wave_sample),
                                             .parse = parse,
                                             .ctas = ctas,
                                             .estimate = estimate};
