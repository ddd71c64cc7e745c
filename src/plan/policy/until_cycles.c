/* --until-cycles: all timed launches together end before cycle N. */
#include "plan/limit.h"
#include "plan/policy.h"

/* Later launches are not timed. */
static enum plan_action launch(void *state, const struct plan_launch *launch, uint64_t number)
{
    const struct limit *limit = state;
    (void)number;
    return launch->past.cycles >= limit->most ? PLAN_EXECUTE : PLAN_TIME;
}

static void bound(const void *state, const struct plan_past *past, struct plan_bound *bound)
{
    bound->cycle = limit_left(state, past->cycles);
}

static enum plan_action quantum(void *state, const struct plan_time *time)
{
    return time->now >= limit_left(state, time->past.cycles) ? PLAN_SKIP : PLAN_TIME;
}

const struct plan_policy plan_until_cycles = {.name = "until-cycles",
                                              .stop = STOP_CYCLES,
                                              .state_bytes = sizeof(struct limit),
                                              .parse = limit_parse,
                                              .launch = launch,
                                              .bound = bound,
                                              .quantum = quantum};
