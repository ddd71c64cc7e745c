/* The cluster of a resident CTA: where its CTAs are, and how far its barrier is. */
#ifndef SUBCORE_SM_CLUSTER_H
#define SUBCORE_SM_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

enum { CLUSTER_CTAS = 16 };

struct cluster_member {
    uint16_t sm, slot; /* SM, and CTA slot in it */
};

/* The facts of a cluster that the CTA scheduler knows when its CTAs start. */
struct cluster_place {
    uint64_t number; /* of the cluster, over all kernels of a run */
    uint8_t size, rank;
    struct cluster_member member[CLUSTER_CTAS]; /* [size] by rank; unused when size is 1 */
};

/* The barrier as a CTA sees it: its own warps, and the CTAs that it has heard of. The phase is even or odd. A CTA hears
 * of the next phase before it has heard all of this one. */
struct cluster_barrier {
    uint64_t arrived;  /* warp slots of the CTA, in this phase */
    uint64_t waiting;  /* warp slots that wait for its end */
    uint64_t released; /* warp slots that the event under way lets go */
    uint64_t passing;  /* warp slots that came when their phase was over: each has its own event */
    uint16_t heard[2]; /* ranks whose CTA has arrived, by the lowest bit of the phase */
    uint16_t gone;     /* ranks whose CTA has no warp left: it counts as arrived */
    uint8_t phase;     /* phases that are over, modulo 256 */
    bool told;         /* all warps of the CTA have arrived in this phase */
};

struct sm_cluster {
    struct cluster_place place;
    struct cluster_barrier barrier;
};

#endif
