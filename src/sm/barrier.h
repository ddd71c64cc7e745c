/* CTA barriers: 16 named ones and that of the cluster, each with its own count of arrivals. An arrival is taken every
 * few cycles, and the last one releases the waiting warps after a fixed time (measured on TU102: 20 + 2 cycles a
 * warp). */
#ifndef SUBCORE_SM_BARRIER_H
#define SUBCORE_SM_BARRIER_H

#include <stdint.h>

enum { CTA_BARRIERS = 17 };

struct cta_barriers {
    uint64_t port_free;
    uint64_t waiting[CTA_BARRIERS];  /* SM warp slots that wait for more arrivals */
    uint64_t released[CTA_BARRIERS]; /* slots whose barrier is complete: the event under way lets them go */
    uint16_t arrived[CTA_BARRIERS];  /* warps */
    uint16_t expected[CTA_BARRIERS]; /* 0: all of the CTA that have not exited */
};

#endif
