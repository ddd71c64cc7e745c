/* Nap of a sub-core: a sub-core that waits costs nothing while others work.
 *
 * In a cycle in which a sub-core can neither fetch nor issue nothing of it moves, and every cycle counts like that one,
 * until a time that it knows (issue_next) or until something else of the SM touches it. Till then sm_cycle passes it
 * over. Its cycles, the first included, are counted in one go at the end of the nap, with the state that they had. So
 * the warp gate ends the nap before it changes a set of warps, and a queue wakes the gate before it frees a place.
 *
 * Without run.skip_idle no sub-core naps. The results are the same. */
#ifndef SUBCORE_SM_NAP_H
#define SUBCORE_SM_NAP_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/scheduler/attribution.h"

struct nap {
    struct nap_ports {
        const struct attribution_ports *attribution;
        const uint64_t *now;
    } to;
    uint64_t from;     /* first cycle that has not been counted */
    uint64_t until;    /* cycle at which time ends it (0: the sub-core is awake) */
    uint32_t eligible; /* warps that could issue if the sub-core could */
};

static inline bool nap_goes_on(const struct nap *nap, uint64_t now) { return now < nap->until; }

static inline void nap_begin(struct nap *nap) { nap->until = 0; }

/* The sub-core naps from cycle `now` on. */
static inline void nap_start(struct nap *nap, uint64_t now, uint64_t until, uint32_t eligible)
{
    nap->from = now;
    nap->until = until;
    nap->eligible = eligible;
}

/* Ends the nap: the sub-core takes part in the cycle that runs. */
void nap_over(struct nap *nap);
/* Counts the cycles of the nap before the one that runs. */
void nap_count(struct nap *nap);

#endif
