/* Issue of a sub-core: choice among the warps that can issue, and the effects of an issue. */
#ifndef SUBCORE_SM_ISSUE_H
#define SUBCORE_SM_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/issued.h"
#include "probe/lines.h"
#include "sm/cta.h"
#include "sm/front/fetch.h"
#include "sm/issue/barrier.h"
#include "sm/issue/cluster_barrier.h"
#include "sm/issue/dependence.h"
#include "sm/issue/eligibility.h"
#include "sm/scheduler/attribution.h"
#include "sm/source.h"

struct lsu;
struct grid_link;
struct mbarrier_unit;
struct tensor_engine;
struct warpgroup_unit;

struct issue {
    struct fetch *fetch;
    struct eligibility *eligibility;
    const struct warp_gate *gate;
    const struct attribution_ports *attribution;
    const struct dispatch *dispatch;
    struct dependence *dependence;
    const struct barrier_unit *barriers;
    const struct cluster_barriers *clusters;
    struct lsu *memory;
    struct mbarrier_unit *objects;
    struct grid_link *grids;
    struct warpgroup_unit *products;
    struct tma *tma;
    struct tensor_engine *tensor_engine;
    struct retire *retire;
    const struct sm_source *source;
    const struct sm_observer *const *observer;
    struct issued *issued; /* scratch of the instruction that issues */
    struct sm_warp *warp;  /* [SM_WARPS] */
    struct sm_cta *cta;
    const struct code_table *code;
    struct calendar *calendar;
    const struct config_core *core;
    struct sm_counters *n;
    struct window_counters *window;     /* [CODE_WINDOWS] */
    struct line_counters *const *lines; /* of a pointer that is NULL if instructions are not counted one by one */
    uint16_t sm;
    uint8_t subcore;
};

/* Issues an instruction of an eligible warp, or turns to its constant, and attributes the cycle for every
 * resident warp. There is an eligible warp, and issue_held is false. */
void issue_eligible(const struct issue *u, uint32_t eligible, uint64_t now);

/* Nothing can issue, whatever the warps could. Then the cycle is not attributed. */
static inline bool issue_held(const struct scheduler *s, uint64_t now)
{
    return now < s->issue_free || now < s->hold_until;
}

/* The legacy core issues the warp's next instruction: all but its way to a unit. Returns the token of its access,
 * LSU_NO_TOKEN without one. */
uint16_t issue_collected(const struct issue *u, unsigned warp, const struct code *code, uint64_t now);

/* The warp continues at its pc, with the instructions that are decoded there. */
void issue_new_head(const struct issue *u, unsigned warp, uint64_t now);

/* A warp becomes resident. It begins at pc 0. */
void issue_start(const struct issue *u, unsigned warp, uint64_t age, uint64_t now);

/* EVENT_EXIT: the time is over for which EXIT has held the warp, or for which its stores were leaving the SM. */
void issue_exit_over(const struct issue *u, unsigned warp);

/* The CTA barrier at which the warp waits has completed. The source says at which pc the warp continues. */
void issue_pass_barrier(const struct issue *u, unsigned warp, uint64_t now);

#endif
