/* --detailed: only launches that the list of rules names are timed (plan/selection.h). An empty list names none. */
#include "plan/policy.h"
#include "plan/selection.h"

static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    (void)option;
    return selection_parse(state, text, status);
}

static void release(void *state) { selection_free(state); }

static enum plan_action launch(void *state, const struct plan_launch *launch, uint64_t number)
{
    (void)number;
    bool named = launch->named || selection_names(state, launch->kernel, launch->of_kernel);
    return named ? PLAN_TIME : PLAN_EXECUTE;
}

const struct plan_policy plan_detailed = {
    .name = "detailed", .state_bytes = sizeof(struct selection), .parse = parse, .free = release, .launch = launch};
