#include "plan/plan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/policy.h"

/* ---- policies ---------------------------------------------------------------------------------------------------- */

static const struct plan_policy *find(const char *name)
{
    const struct plan_policy *const *p = plan_policies;
    while (*p && strcmp((*p)->name, name) != 0)
        p++;
    assert(*p);
    return *p;
}

bool plan_add(struct plan *plan, const char *policy, const char *option, const char *text, struct status *status)
{
    const struct plan_policy *p = find(policy);
    void *state = calloc(1, p->state_bytes);
    assert(plan->count < PLAN_POLICIES);
    if (!state)
        return status_fail(status, STATUS_MEMORY, "%s: out of memory", option);
    if (!p->parse(state, option, text, status)) {
        free(state);
        return false;
    }
    if (p->restart)
        p->restart(state);
    plan->entry[plan->count++] = (struct plan_entry){p, state};
    return true;
}

bool plan_add_number(struct plan *plan, const char *policy, const char *option, uint64_t number, struct status *status)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return number == 0 || plan_add(plan, policy, option, text, status);
}

static void *state_of(const struct plan *plan, const struct plan_policy *policy)
{
    for (uint32_t i = 0; plan && i < plan->count; i++)
        if (plan->entry[i].policy == policy)
            return plan->entry[i].state;
    return NULL;
}

bool plan_has(const struct plan *plan, const char *policy) { return state_of(plan, find(policy)) != NULL; }

void plan_restart(struct plan *plan)
{
    plan->launches = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->entry[i].policy->restart)
            plan->entry[i].policy->restart(plan->entry[i].state);
}

void plan_free(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->entry[i].policy->free)
            plan->entry[i].policy->free(plan->entry[i].state);
        free(plan->entry[i].state);
    }
    *plan = (struct plan){0};
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* Every policy is asked, also when the answer is known: some count launches. */
enum plan_action plan_launch(struct plan *plan, const struct plan_launch *launch)
{
    enum plan_action action = PLAN_TIME;
    uint64_t number = plan ? plan->launches++ : 0;
    for (uint32_t i = 0; plan && i < plan->count; i++) {
        const struct plan_entry *e = &plan->entry[i];
        enum plan_action own = e->policy->launch ? e->policy->launch(e->state, launch, number) : PLAN_TIME;
        action = own > action ? own : action;
    }
    return action;
}

void plan_begin(struct plan *plan, const struct plan_grid *grid, uint64_t now)
{
    for (uint32_t i = 0; plan && i < plan->count; i++)
        if (plan->entry[i].policy->begin)
            plan->entry[i].policy->begin(plan->entry[i].state, grid, now);
}

struct plan_part plan_ctas(struct plan *plan, const struct plan_grid *grid, uint64_t first)
{
    struct plan_part part = {.end = grid->ctas};
    for (uint32_t i = 0; plan && i < plan->count; i++) {
        const struct plan_entry *e = &plan->entry[i];
        enum plan_action own = e->policy->ctas ? e->policy->ctas(e->state, grid, first, &part.end) : PLAN_TIME;
        if (own > part.action)
            part.action = own, part.why = e->policy->stop, part.flows = e->policy->flows;
    }
    assert(part.end > first && part.end <= grid->ctas);
    return part;
}

bool plan_watches(const struct plan *plan)
{
    for (uint32_t i = 0; plan && i < plan->count; i++)
        if (plan->entry[i].policy->quantum)
            return true;
    return false;
}

bool plan_alone(const struct plan *plan)
{
    for (uint32_t i = 0; plan && i < plan->count; i++)
        if (plan->entry[i].policy->alone)
            return true;
    return false;
}

bool plan_compares(const struct plan *plan)
{
    for (uint32_t i = 0; plan && i < plan->count; i++)
        if (plan->entry[i].policy->compares)
            return true;
    return false;
}

struct plan_bound plan_bound(const struct plan *plan, const struct plan_past *past)
{
    struct plan_bound bound = {0};
    for (uint32_t i = 0; plan && i < plan->count; i++)
        if (plan->entry[i].policy->bound)
            plan->entry[i].policy->bound(plan->entry[i].state, past, &bound);
    return bound;
}

/* The first policy of the list that ends the launch is the reason. */
struct plan_answer plan_quantum(struct plan *plan, const struct plan_time *time)
{
    for (uint32_t i = 0; plan && i < plan->count; i++) {
        const struct plan_entry *e = &plan->entry[i];
        enum plan_action action = e->policy->quantum ? e->policy->quantum(e->state, time) : PLAN_TIME;
        if (action == PLAN_SKIP && plan->finish)
            action = PLAN_EXECUTE;
        if (action != PLAN_TIME)
            return (struct plan_answer){action, e->policy->stop};
    }
    return (struct plan_answer){PLAN_TIME, STOP_NONE};
}

/* ---- estimates --------------------------------------------------------------------------------------------------- */

void plan_note(const struct plan *plan, struct kernel_result *result)
{
    for (uint32_t i = 0; plan && i < plan->count; i++)
        if (plan->entry[i].policy->note)
            plan->entry[i].policy->note(plan->entry[i].state, result);
}

/* The policy that has cut the launch short projects the rest. Without one the timed part is a lower bound. */
void plan_estimate(const struct plan *plan, struct kernel_result *result)
{
    result->estimate = (struct estimate){.value = (double)result->cycles};
    if (result->complete)
        return;
    for (uint32_t i = 0; plan && i < plan->count; i++) {
        const struct plan_policy *policy = plan->entry[i].policy;
        if (result->stop == policy->stop && policy->estimate &&
            policy->estimate(plan->entry[i].state, result, &result->estimate))
            return;
    }
    result->estimate = (struct estimate){
        .value = (double)result->cycles, .error = ESTIMATE_UNKNOWN, .kind = ESTIMATE_BOUND, .method = "timed part"};
}

void plan_ended(struct plan *plan, struct kernel_result *result)
{
    for (uint32_t i = 0; plan && i < plan->count; i++)
        if (plan->entry[i].policy->ended)
            plan->entry[i].policy->ended(plan->entry[i].state, result);
}

void plan_estimate_least(struct kernel_result *result, uint32_t width)
{
    result->estimate = (struct estimate){.value = (double)result->warp_instructions / (double)width,
                                         .error = ESTIMATE_UNKNOWN,
                                         .kind = ESTIMATE_BOUND,
                                         .method = "issue slots"};
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* A file may have the state of a policy that this plan does not have, and the other way round. */
static void policy_archive(const struct plan *plan, const struct plan_policy *policy, struct archive *a)
{
    void *own = state_of(plan, policy), *none = own ? NULL : calloc(1, policy->state_bytes);
    bool saved = own != NULL;
    archive_plain(a, &saved, sizeof saved);
    if (!own && !none)
        archive_fail(a, STATUS_MEMORY, "out of memory for a saved run");
    else if (saved)
        policy->archive(own ? own : none, a);
    free(none);
}

void plan_archive(struct plan *plan, struct archive *a)
{
    for (const struct plan_policy *const *p = plan_policies; *p && archive_ok(a); p++)
        if ((*p)->archive)
            policy_archive(plan, *p, a);
}

size_t plan_layout(void)
{
    size_t bytes = sizeof(struct plan);
    for (const struct plan_policy *const *p = plan_policies; *p; p++)
        bytes = 31 * bytes + (*p)->state_bytes;
    return bytes;
}
