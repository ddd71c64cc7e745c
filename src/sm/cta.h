/* A CTA that is resident in a slot of the SM. */
#ifndef SUBCORE_SM_CTA_H
#define SUBCORE_SM_CTA_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/cluster.h"

enum { CTA_BARRIERS = 16 };

struct cta_barriers {
    uint64_t port_free;              /* cycle from which the next arrival can be taken */
    uint64_t waiting[CTA_BARRIERS];  /* SM warp slots that wait for more arrivals */
    uint64_t released[CTA_BARRIERS]; /* slots whose barrier is complete: the event under way lets them go */
    uint16_t arrived[CTA_BARRIERS];  /* warps */
    uint16_t expected[CTA_BARRIERS]; /* 0: all of the CTA that have not exited */
};

/* Where a CTA goes on its SM. */
struct cta_placement {
    uint8_t slot;
    uint8_t window;      /* of its code (sm/code_table.h) */
    uint16_t first_warp; /* slot of its first warp, which the others follow */
    uint16_t warps;
    bool waits; /* its grid begins before those that it depends on are complete */
};

struct sm_cta {
    bool used;
    bool preexited;      /* a warp has executed PREEXIT */
    bool waits;          /* its grid has begun before those that it depends on are complete, and they are not */
    uint8_t window;      /* of its code */
    uint16_t warps_left; /* warps that have not exited */
    uint16_t warps;      /* warps that have not left their slot */
    uint16_t first_slot;
    uint64_t linear;
    struct cta_barriers barriers;
    struct sm_cluster cluster;
};

#endif
