/* CTA barriers: 16 named ones and that of the cluster, each with its own count of arrivals.
 *
 *   arrival --port: one each barrier_per_warp cycles--> counted; the last one --barrier_base--> the waiting warps go on
 *
 * Measured on TU102: back-to-back bar.sync of W warps take 20.3 + 2 W cycles (22.3, 24.3, 28.3, 36.3, 52.3, 84.3 for 1,
 * 2, 4, 8, 16, 32 warps), and a second resident CTA changes nothing: each CTA has its own port. The slope is the rate
 * that the CUDA C++ Programming Guide gives, 16 lanes a cycle. */
#ifndef SUBCORE_SM_BARRIER_H
#define SUBCORE_SM_BARRIER_H

#include <stdint.h>

enum { CTA_BARRIERS = 17 };

struct cta_barriers {
    uint64_t port_free;              /* cycle from which the next arrival can be taken */
    uint64_t waiting[CTA_BARRIERS];  /* SM warp slots that wait for more arrivals */
    uint64_t released[CTA_BARRIERS]; /* slots whose barrier is complete: the event under way lets them go */
    uint16_t arrived[CTA_BARRIERS];  /* warps */
    uint16_t expected[CTA_BARRIERS]; /* 0: all of the CTA that have not exited */
};

struct sm;

/* The warp in this slot has issued BAR: sm->issued says which barrier, for how many warps, and whether it waits. */
void cta_barrier_arrive(struct sm *sm, uint32_t slot, uint64_t now);

/* A warp of this CTA slot has exited: it may have been the last one that a barrier waited for. */
void cta_barrier_exit(struct sm *sm, uint8_t cta_slot, uint64_t now);

/* EVENT_BARRIER: those that waited at this barrier go on. */
void cta_barrier_release(struct sm *sm, uint32_t cta_slot, uint32_t barrier);

#endif
