/* The barrier of a cluster.
 *
 *   UCGABAR_ARV of each warp --> all warps of the CTA have arrived --message to each CTA of the cluster--> heard
 *   UCGABAR_WAIT <-- core.cluster_barrier cycles <-- heard of all CTAs
 *
 * A phase is over when every warp of the cluster that has not exited has arrived (PTX ISA, barrier.cluster). How the
 * hardware collects arrivals is not published. ASSUMED: a CTA tells the others by messages of the network between SMs,
 * so that a barrier takes one way of it and a fixed time. A CTA that is a cluster by itself sends none. */
#ifndef SUBCORE_SM_CLUSTER_BARRIER_H
#define SUBCORE_SM_CLUSTER_BARRIER_H

#include <stdint.h>

#include "config/config.h"
#include "port/message.h"
#include "sm/calendar.h"
#include "sm/cta.h"
#include "sm/port/port.h"

struct cluster_barriers {
    struct sm_cta *cta; /* [SM_CTAS] */
    struct calendar *calendar;
    struct port *port;
    const struct config_core *core;
};

/* A CTA begins in this slot. Its cluster's place is known. */
void cluster_barrier_start(const struct cluster_barriers *u, uint8_t cta_slot);

/* The warp in `slot` has arrived, or waits for the phase at which it has arrived last. */
void cluster_barrier_arrive(const struct cluster_barriers *u, uint8_t cta_slot, uint32_t slot, uint64_t now);
void cluster_barrier_wait(const struct cluster_barriers *u, uint8_t cta_slot, uint32_t slot, uint64_t now);

/* The warp in `slot` has exited; sm_cta.warps_left is without it. */
void cluster_barrier_exit(const struct cluster_barriers *u, uint8_t cta_slot, uint32_t slot, uint64_t now);

/* Takes a message of another CTA's barrier. `self` is the unit. */
void cluster_barrier_hear(void *self, const struct request *message, uint64_t now);

/* EVENT_CLUSTER of event.a. Returns the slots of the warps that go on. */
uint64_t cluster_barrier_release(const struct cluster_barriers *u, uint32_t cta_slot, uint32_t whom);

#endif
