/* --fidelity sampled, --error: some launches of each kind are timed, the others executed and given the cycles of their
 * kind. plan/sample.h has the choice, probe/sample_sum.h the sum with its interval. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "plan/policy.h"
#include "plan/sample.h"

static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    struct sample_choice *choice = state;
    char *end = NULL;
    double percent = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (!end || *end != '\0' || !(percent >= 0.01 && percent <= 50))
        return status_fail(status, STATUS_USAGE, "%s: '%.100s' is no percentage from 0.01 to 50", option, text);
    choice->error = percent / 100;
    return true;
}

static void forget(void *state) { sample_forget(state); }

static uint64_t hash_name(const char *kernel) { return hash_bytes(HASH_SEED, kernel, strlen(kernel)); }

static enum plan_action launch(void *state, const struct plan_launch *launch, uint64_t number)
{
    (void)number;
    return sample_takes(state, hash_name(launch->kernel), launch->likeness) ? PLAN_TIME : PLAN_EXECUTE;
}

static void ended(void *state, struct kernel_result *r)
{
    struct sample_choice *choice = state;
    double instructions = (double)(r->warp_instructions + r->rest_instructions);
    if (r->repeats) {
        sample_repeated(choice, (double)result_cycles(r));
        return;
    }
    if (r->detailed) {
        sample_told(choice, r->likeness, (double)result_cycles(r), instructions);
        return;
    }
    double cycles = sample_expected(choice, r->likeness, instructions);
    if (cycles > 0)
        r->estimate = (struct estimate){
            .value = cycles, .error = ESTIMATE_UNKNOWN, .kind = ESTIMATE_PROJECTED, .method = "alike launches"};
}

const struct plan_policy plan_sample_launches = {.name = "sample-launches",
                                                 .alone = true,
                                                 .compares = true,
                                                 .state_bytes = sizeof(struct sample_choice),
                                                 .parse = parse,
                                                 .restart = forget,
                                                 .free = forget,
                                                 .launch = launch,
                                                 .ended = ended};
