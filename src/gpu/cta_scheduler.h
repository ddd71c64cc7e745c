/* The GPU's CTA scheduler: counts the CTAs of a grid, and hands them out in grid order, unless launch.cta_order asks
 * for another. gpu/placement_policy.h tells which SM and slot a CTA gets.
 *
 * The first CTAs of a kernel fill the SMs: an SM receives one each `interval`, all SMs in the same cycle. Source: the
 * artifact of the MICRO 2025 paper; on a B300 the first 1000 CTAs of an empty kernel start within 0.1 us. On GH100 each
 * warp of a CTA lengthens the interval behind it (docs/core.md, CTAs, warps, barriers).
 *
 * A CTA that takes the place of one that has ended comes later: an SM replaces its CTAs one after another, and each
 * takes its own time and a time for each of its warps. Source: an empty kernel of a million CTAs, on a B300 with 148
 * SMs 1.04 cycles a CTA of 1 warp and 1.41 a CTA of 32 warps, on an RTX 3090 with 82 SMs 1.7 to 2 cycles. The two GPUs
 * agree on 150 cycles for each SM, not on a rate of the whole GPU. That the time is the SM's is ASSUMED from that;
 * `gpu` is the other reading. An experiment that would settle it: an empty kernel of many CTAs on a part of the SMs. */
#ifndef SUBCORE_GPU_CTA_SCHEDULER_H
#define SUBCORE_GPU_CTA_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "plan/share.h"
#include "sm/cluster.h"
#include "sm/cta.h"

struct cta_start {
    uint64_t cycle;
    uint64_t order; /* number of the CTA in the grid */
    struct cta_placement place;
    struct cluster_place cluster; /* size 1: without one */
};

enum { CTA_QUEUE = 64 };

/* CTAs on their way to one SM, in order of cycle. */
struct cta_queue {
    struct cta_start start[CTA_QUEUE];
    uint32_t count;
    uint64_t port_free; /* the SM can receive another CTA */
    uint64_t replaced;  /* the SM can replace another CTA, in CTA_TICKS of a cycle */
};

enum { CTA_TICKS = 1024 };

/* Cycles; a replacement's in CTA_TICKS of a cycle. */
struct cta_pace {
    uint32_t interval;    /* between two CTAs that an SM receives */
    uint64_t replacement; /* between two CTAs that take the places of others, on one SM */
    uint64_t gpu;         /* the same on the whole GPU (0: no limit) */
};

/* In which order the CTAs of a grid begin: groups of them as a whole, by launch.cta_order. */
struct cta_arrangement {
    enum config_cta_order order;
    uint32_t group;     /* CTAs of a cluster, or 1 */
    uint64_t groups;    /* of the grid */
    struct share share; /* of a hybrid launch; sms == 0: it is none */
    uint64_t step;      /* of a scattered order: numbers of groups that follow each other differ by it */
};

struct cta_scheduler {
    uint64_t next, total; /* CTAs handed out, CTAs of the grid */
    uint64_t done;
    struct cta_arrangement arrangement;
    uint64_t replaced; /* the GPU can replace another CTA, in CTA_TICKS of a cycle */
    struct cta_pace pace;
};

/* Returns the pace at which CTAs of so many warps start. */
struct cta_pace cta_pace(const struct config_launch *config, uint32_t warps);

struct cta_arrangement cta_arrange(enum config_cta_order order, uint64_t ctas, uint32_t group);
/* Returns the number in the grid of the CTA that begins as number `index`. Each number comes once. */
uint64_t cta_number(const struct cta_arrangement *arrangement, uint64_t index);

void cta_scheduler_begin(struct cta_scheduler *s, uint64_t total, struct cta_pace pace,
                         const struct cta_arrangement *arrangement);

/* The next CTA, of which there is one left, goes to this SM and place, at `from` or when the SM can receive it. Returns
 * the cycle in which it starts. */
uint64_t cta_scheduler_place(struct cta_scheduler *s, struct cta_queue *queue, const struct cta_placement *place,
                             uint64_t from);

/* The same where another CTA has ended. Called in the order of `from`. */
uint64_t cta_scheduler_replace(struct cta_scheduler *s, struct cta_queue *queue, const struct cta_placement *place,
                               uint64_t from);

#endif
