/* Nap of a sub-core: what makes one that waits cost nothing while others work.
 *
 * In a cycle in which a sub-core can neither fetch nor issue nothing of it moves, and every cycle counts like that one,
 * until a time that it knows (issue_next) or until something else of the SM touches it. Till then sm_cycle passes it
 * over; its cycles, the first included, are counted in one go at the end of the nap. Who touches a sub-core ends its
 * nap before, so that they count with the state that they had:
 *
 *   sm.c          an event of one of its warps is due, a CTA starts
 *   barrier.c     a barrier lets one of its warps go
 *   fence.c       an acknowledgement may end a fence of one of its warps
 *   acceptor.c    an instruction leaves its memory queue
 *   unit_queue.c  an instruction leaves one of its other queues, a result of theirs is written
 *   fp64.c        an instruction leaves its queue of the shared FP64 unit
 *   write_back.c  loaded data are written
 *
 * Without run.skip_idle no sub-core naps; the results are the same. */
#ifndef SUBCORE_SM_NAP_H
#define SUBCORE_SM_NAP_H

#include <stdbool.h>
#include <stdint.h>

struct nap {
    uint64_t from;     /* first cycle that has not been counted */
    uint64_t until;    /* cycle at which time ends it; 0: the sub-core is awake */
    uint32_t eligible; /* warps that could issue if the sub-core could */
};

struct sm;

static inline bool nap_goes_on(const struct nap *nap, uint64_t now) { return now < nap->until; }

/* The sub-core, which naps, takes part in cycle sm->now; nap_end in sm.h asks first. */
void nap_over(struct sm *sm, unsigned subcore);
/* Counts what has been napped before sm->now. */
void nap_count(struct sm *sm, unsigned subcore);

#endif
