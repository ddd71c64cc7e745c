/* The order of accesses in a launch: each thread's knowledge of others' accesses, as synchronisation gives it.
 *
 *   threads of a warp     warp-level synchronisation of some lanes
 *   warps of a CTA barriers of the CTA, for all lanes of those that arrive
 *   any two threads       a release at a location and an acquire there. The barrier of a cluster
 *
 * The first two have their own numbers, because nearly all programs need no more. The rest are clocks. Every
 * synchronisation takes the next stamp, and an access has the stamp of the synchronisation to come: a thread that
 * knows "up to n" knows the accesses with a stamp of at most n. */
#ifndef SUBCORE_CHECK_ORDER_H
#define SUBCORE_CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "check/clock.h"

enum { ORDER_LANES = 32, ORDER_WARPS = 32 };

/* How far a fence or a strong access reaches. */
enum order_scope { ORDER_WEAK, ORDER_CTA, ORDER_GPU };

struct order_warp {
    uint32_t number; /* in the launch: CTA * warps of a CTA + index */
    uint32_t index;  /* in the CTA */
    uint64_t cta;
    uint32_t full;                              /* all lanes know all lanes of the warp up to here */
    uint32_t (*lane)[ORDER_LANES];              /* and each lane each other (NULL: no more than `full`) */
    uint32_t other[ORDER_WARPS];                /* all lanes know all lanes of these warps in the CTA up to here */
    struct clock *seen[ORDER_LANES];            /* the knowledge that a lane has acquired */
    struct clock *pending[ORDER_LANES];         /* the knowledge that it has read, and a fence makes known */
    uint32_t fence[ORDER_GPU + 1][ORDER_LANES]; /* stamp of the last fence with at least this scope (0: none) */
};

/* The knowledge released at an address. */
struct order_location {
    uint64_t key; /* 0: the entry is free */
    struct clock *all, *near;
    uint64_t cta; /* near: for threads of this CTA only */
};

struct order {
    uint32_t now; /* stamp of the next synchronisation */
    uint32_t warps_per_cta;
    struct order_location *location; /* a hash table with `room` entries, a power of two or 0 */
    uint32_t locations, room;
    bool failed; /* the host had no memory */
};

void order_begin(struct order *order, uint32_t warps_per_cta);
void order_end(struct order *order);
void order_warp_begin(struct order_warp *warp, uint64_t cta, uint32_t index, uint32_t warps_per_cta);
void order_warp_end(struct order_warp *warp);

/* Tells whether an access of another thread with this stamp comes before the next one of lane `lane`. */
bool order_knows(const struct order *order, const struct order_warp *warp, unsigned lane, uint32_t other_warp,
                 unsigned other_lane, uint32_t stamp);

/* These lanes have met; `live`: lanes of the warp that have not exited. */
void order_meet(struct order *order, struct order_warp *warp, uint32_t lanes, uint32_t live);
/* Notes that they have fenced, and know their earlier reads. */
void order_fence(struct order *order, struct order_warp *warp, uint32_t lanes, enum order_scope scope);
/* Notes that they know their earlier reads (an invalidation of the L1 behind a load). */
void order_learn(struct order_warp *warp, uint32_t lanes);

/* A strong store or atomic of a lane at a location: releases the accesses that the lane's last fence covers.
 * `replaces`: a store, behind which only its own release is there. */
void order_release(struct order *order, struct order_warp *warp, unsigned lane, uint64_t location,
                   enum order_scope scope, bool replaces);
/* The same with all that the lane has done, without a fence (arrival at a barrier object). */
void order_arrive_at(struct order *order, struct order_warp *warp, unsigned lane, uint64_t location);
/* A lane reads it: it knows the release there at once, or once it has fenced. */
void order_acquire(struct order *order, struct order_warp *warp, unsigned lane, uint64_t location, bool at_once);
/* Tells whether something was released there. */
bool order_is_location(const struct order *order, uint64_t location);

/* Takes the stamp for a whole warp's arrival. */
uint32_t order_arrive(struct order *order);
/* A barrier of a CTA is complete: warps `arrived` (a bit each) have arrived with these stamps, and `waited` go on. */
void order_barrier(struct order *order, struct order_warp *warps, uint32_t arrived, uint32_t waited,
                   const uint32_t stamp[ORDER_WARPS]);
/* The knowledge that a warp with this arrival stamp gives to a clock for warps of other CTAs. */
void order_give(struct order *order, const struct order_warp *warp, uint32_t stamp, struct clock **to);
/* Lets all lanes of a warp know it, and the warp's accesses before its own arrival. */
void order_take(struct order_warp *warp, struct clock *clock, uint32_t stamp);

#endif
