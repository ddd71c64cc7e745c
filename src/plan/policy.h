/* The socket of a policy: a file of src/plan/policy with one such table, and its name in policies.c. A function that is
 * NULL answers PLAN_TIME, or does nothing.
 *
 * A policy must depend on nothing but its text and its questions: the result of a run is the same for any number of
 * threads. All functions are called from one thread. */
#ifndef SUBCORE_PLAN_POLICY_H
#define SUBCORE_PLAN_POLICY_H

#include "plan/plan.h"

struct plan_policy {
    const char *name;      /* of plan_add, and the option's */
    bool alone;            /* looks at one launch at a time: launches of different streams follow each other */
    bool compares;         /* needs the likeness of launches */
    bool flows;            /* it leaves CTAs out while the CTAs before them are resident */
    enum result_stop stop; /* the reason in a launch's result that the policy cuts short */
    size_t state_bytes;    /* of its state, which is zero at first */

    /* Reads the text of the option. On failure nothing is left to free. */
    bool (*parse)(void *state, const char *option, const char *text, struct status *status);
    void (*restart)(void *state); /* launches are counted from 0 again */
    void (*free)(void *state);

    /* Asked for every launch in program order, `number` counts them. */
    enum plan_action (*launch)(void *state, const struct plan_launch *launch, uint64_t number);
    /* Asked for the CTA `first`. Lowers *end, which is the end of the grid, to the first CTA with another answer. */
    enum plan_action (*ctas)(void *state, const struct plan_grid *grid, uint64_t first, uint64_t *end);

    void (*begin)(void *state, const struct plan_grid *grid, uint64_t now); /* a timed run begins */
    void (*bound)(const void *state, const struct plan_past *past, struct plan_bound *bound);
    enum plan_action (*quantum)(void *state, const struct plan_time *time);

    void (*note)(const void *state, struct kernel_result *result);
    /* Projects the cycles of a launch that this policy has cut short (false: it cannot). */
    bool (*estimate)(const void *state, const struct kernel_result *result, struct estimate *out);
    /* Learns of a launch that has ended, timed or executed. It may fill in the estimate of an untimed launch. */
    void (*ended)(void *state, struct kernel_result *result);
    void (*archive)(void *state, struct archive *a); /* the progress of a running launch */
};

/* All of them, NULL at the end. */
extern const struct plan_policy *const plan_policies[];

#endif
