/* Residents of a functional run: how many there are, a CTA's barriers, and a cluster's barrier. */
#ifndef SUBCORE_EXEC_RESIDENT_H
#define SUBCORE_EXEC_RESIDENT_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/sizes.h"
#include "isa/issued.h"

struct exec_cta;
struct exec_launch;

/* A CTA of a functional run: the warps that run, and those that wait at each barrier. */
struct exec_resident {
    struct exec_cta *cta;
    uint32_t live;                    /* warps (0: the storage is free) */
    uint32_t arrived[EXEC_BARRIERS];  /* warps, since the barrier last completed */
    uint32_t expected[EXEC_BARRIERS]; /* warps (0: all that live) */
    uint32_t runs, waits;             /* warps, a bit each, that run or wait at a barrier. Others have exited */
    uint8_t barrier[32];              /* of each warp that waits */
    uint32_t asleep;                  /* of those that run: they wait for their loads */
    uint64_t turn, wake;              /* number of the turn; the one in which the first of them wakes */
    uint64_t there[32];               /* turn in which all that the warp has loaded is there */
    uint32_t cluster_arrived;         /* warps that have arrived at the cluster's barrier, a bit each */
    struct exec_resident *peer[EXEC_CTA_GROUP]; /* CTAs of the cluster, by rank */
    uint32_t sm, first_slot;                    /* where its local memory is */
    bool placed;                                /* these two are fixed (false: the run chooses them for each CTA) */
};

/* The CTA in r->cta is one that goes on: its warps run, except those that have exited. */
void exec_resident_begin(struct exec_resident *resident);
/* A warp of it waits at a barrier. */
void exec_resident_wait(struct exec_resident *resident, uint32_t warp, unsigned barrier);

/* Returns how many CTAs the GPU could hold, and have local memory. Whether it can hold all of a cooperative launch has
 * been checked before. */
uint32_t resident_limit(const struct exec_launch *launch);

/* Lets the warps go that wait at this barrier of the CTA, if all have arrived that it waits for. */
void resident_try_barrier(struct exec_resident *r, unsigned barrier);
/* Counts the arrival of a warp whose instruction is `out` at a barrier of the CTA. */
void resident_arrive(struct exec_resident *r, const struct issued *out);
/* A warp has exited: it may have been the last one that a barrier of the CTA waited for. */
void resident_warp_gone(struct exec_resident *r, uint32_t warp);

/* Lets the warps of the cluster go that wait at its barrier, if all that have not exited have arrived. */
void resident_try_cluster(struct exec_resident *r);
/* A warp arrives at the barrier of the cluster. Waits there, unless the phase of its arrival is over. */
void resident_arrive_at_cluster(struct exec_resident *r, uint32_t warp);
void resident_wait_for_cluster(struct exec_resident *r, uint32_t warp);
/* Returns whether a warp of the cluster runs, which can still let those go that wait. */
bool resident_others_run(const struct exec_resident *r);

#endif
