/* Which part of a program is timed, executed, warmed or skipped.
 *
 * A plan is a list of policies, one for each option that leaves something out. It has these questions:
 *
 *     before each launch         plan_launch    the launch as a whole
 *     when a CTA begins          plan_ctas      it, and the CTAs behind it
 *     between two quanta         plan_quantum   the rest of a launch
 *     when a launch has ended    plan_estimate  the cycles of the whole launch, with their error
 *     and then                   plan_ended     nothing: its time tells of launches like it
 *
 * Each policy answers for itself, and the strictest answer counts: no policy can restore a part that another policy
 * leaves out. A policy is a file of src/plan/policy (plan/policy.h). A plan without a policy times everything. */
#ifndef SUBCORE_PLAN_PLAN_H
#define SUBCORE_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/status.h"
#include "probe/result.h"

/* From the most to the least that is done. */
enum plan_action {
    PLAN_TIME,
    PLAN_WARM,    /* executed, and caches see the accesses */
    PLAN_EXECUTE, /* without time; in a replay there is nothing to execute */
    PLAN_SKIP     /* nothing is done: memory stays as it is */
};

/* The launches that have been timed before. */
struct plan_past {
    uint64_t cycles, instructions; /* of all timed launches; warp instructions */
};

/* A launch that is about to begin. */
struct plan_launch {
    const char *kernel; /* mangled name */
    uint64_t of_kernel; /* launches of this kernel before it */
    uint64_t likeness;  /* launches with the same number are alike; 0 if plan_compares says no */
    struct plan_past past;
    bool named; /* --detailed names it, whatever its rules are */
};

struct share;
struct hybrid_result;

/* A launch that has begun. */
struct plan_grid {
    uint64_t ctas;             /* of the grid */
    uint64_t resident;         /* that the GPU holds at once */
    bool apart;                /* its CTAs may be executed while others are resident: none waits for another */
    uint64_t handed;           /* cycle in which the last CTA so far was handed out */
    uint64_t cycle;            /* of the run, up to which the SMs have run */
    uint64_t instructions;     /* warp instructions that have issued by then */
    uint64_t sectors;          /* that the L2 has served by then */
    uint64_t moved;            /* that device memory has read and written by then */
    uint64_t dirty;            /* sectors in the L2 that memory does not have */
    double pin;                /* cycles that memory takes, at its pins, for a sector */
    uint64_t rest;             /* warp instructions of CTAs without time, so far */
    const struct share *share; /* of a hybrid launch, else NULL (plan/share.h) */
    const struct hybrid_result *traffic; /* the same: as far as it is known */
    uint64_t refill; /* CTAs whose accesses fill the L2, or its rest beside those in flight; the grid's: not known */
};

/* CTAs from one on. */
struct plan_part {
    enum plan_action action;
    uint64_t end;         /* first CTA behind those for which the answer holds */
    enum result_stop why; /* the reason to leave them out (STOP_NONE: they are timed) */
    bool flows;           /* they are left out while CTAs before them are on their SMs */
};

/* Between two quanta. */
struct plan_time {
    uint64_t now;          /* cycle of the run */
    uint64_t instructions; /* warp instructions of the run */
    uint64_t ctas;         /* timed CTAs of the run that have ended */
    uint64_t unwritten;    /* cycles that memory would take, at its pins, to write the dirty lines of the L2 */
    struct plan_past past;
};

/* Where a policy wants to be asked exactly (0: nowhere). */
struct plan_bound {
    uint64_t cycle;        /* of the run: its quantum ends before it */
    uint64_t instructions; /* of the run: its quantum ends behind the cycle in which this one issues */
};

struct plan_answer {
    enum plan_action action; /* of the rest (PLAN_TIME: the run goes on) */
    enum result_stop why;
};

struct plan_policy;

enum { PLAN_POLICIES = 16 };

struct plan {
    struct plan_entry {
        const struct plan_policy *policy;
        void *state; /* owned */
    } entry[PLAN_POLICIES];
    uint32_t count;
    uint64_t launches; /* that have been asked for: the number of the next one in program order */
    bool finish;       /* the rest behind a limit of cycles or instructions is executed without time */
};

/* Adds a policy by its name ("until-cycles"). `option` names the source of `text` in messages. On failure the plan is
 * as before. */
bool plan_add(struct plan *plan, const char *policy, const char *option, const char *text, struct status *status);
/* The same with a number; 0 adds nothing. */
bool plan_add_number(struct plan *plan, const char *policy, const char *option, uint64_t number, struct status *status);
/* Returns whether the plan has the policy. A NULL plan has none. */
bool plan_has(const struct plan *plan, const char *policy);
/* Forgets the launches that have been asked for. */
void plan_restart(struct plan *plan);
/* Removes all policies. */
void plan_free(struct plan *plan);

/* Questions. A NULL plan times everything. */

/* Asked once for each launch, in program order. */
enum plan_action plan_launch(struct plan *plan, const struct plan_launch *launch);

/* A timed run has begun, with this grid, at cycle `now`. */
void plan_begin(struct plan *plan, const struct plan_grid *grid, uint64_t now);
/* Answers for CTA `first` of a grid and those behind it. */
struct plan_part plan_ctas(struct plan *plan, const struct plan_grid *grid, uint64_t first);
/* Returns whether a policy wants to be asked between quanta. */
bool plan_watches(const struct plan *plan);
/* Returns whether a policy looks at one launch at a time. */
bool plan_alone(const struct plan *plan);
/* Returns whether a policy wants to know which launches are alike. */
bool plan_compares(const struct plan *plan);
struct plan_bound plan_bound(const struct plan *plan, const struct plan_past *past);
struct plan_answer plan_quantum(struct plan *plan, const struct plan_time *time);

/* Writes into the result of a launch that ends the policies' findings about it (stable_ipc). */
void plan_note(const struct plan *plan, struct kernel_result *result);
/* Fills in result->estimate, once the launch has ended and its rest_instructions are known. */
void plan_estimate(const struct plan *plan, struct kernel_result *result);
/* The same of a launch without time: the cycles that `width` schedulers need which issue in every cycle. */
void plan_estimate_least(struct kernel_result *result, uint32_t width);
/* A launch has ended without an error. Fills in the estimate of one without time where others tell its cycles. */
void plan_ended(struct plan *plan, struct kernel_result *result);

/* The state of the running launch. The options are not part of it: another process may ask for something else.
 */
void plan_archive(struct plan *plan, struct archive *a);
/* Bytes of all policies' states: tells builds apart. */
size_t plan_layout(void);

#endif
