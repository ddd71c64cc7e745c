/* --until-insts: all timed launches together end after the cycle in which warp instruction N issues. */
#include "plan/limit.h"
#include "plan/policy.h"

/* Later launches are not timed. */
static enum plan_action launch(void *state, const struct plan_launch *launch, uint64_t number)
{
    const struct limit *limit = state;
    (void)number;
    return launch->past.instructions >= limit->most ? PLAN_EXECUTE : PLAN_TIME;
}

static void bound(const void *state, const struct plan_past *past, struct plan_bound *bound)
{
    bound->instructions = limit_left(state, past->instructions);
}

static enum plan_action quantum(void *state, const struct plan_time *time)
{
    return time->instructions >= limit_left(state, time->past.instructions) ? PLAN_SKIP : PLAN_TIME;
}

const struct plan_policy plan_until_insts = {.name = "until-insts",
                                             .stop = STOP_INSTRUCTIONS,
                                             .state_bytes = sizeof(struct limit),
                                             .parse = limit_parse,
                                             .launch = launch,
                                             .bound = bound,
                                             .quantum = quantum};
