/* Operations on barrier objects in shared memory (SYNCS, ARRIVES): their pace, and the warps that wait at objects.
 *
 * An operation passes the memory queue and the acceptor as an access to shared memory does, and takes the return path
 * with its result. The unit begins one each `mbarrier.interval` cycles; lanes that meet at one object follow each other
 * (a warp with k active lanes performs k operations).
 *
 * A SYNCS.PHASECHK.TRYWAIT that finds its phase unfinished is a deferred access, which stays here. Whenever something
 * of the SM may have ended a phase (an operation, copies that have landed, an engine, the message of another SM) the
 * unit asks the source which waits are over (mbarrier_unit_look). Such a wait ends `mbarrier.wake` cycles later. One
 * that nothing ends does after `mbarrier.try_limit` cycles, and its predicate is false. A wait that finds all places
 * taken ends at once, as PTX allows. While it lasts a wait has no entry of the pending table, so that the awaited
 * arrivals can pass. NANOSLEEP.SYNCS, which compilers put behind a wait with a time limit, rests until the phase of the
 * warp's last wait has ended.
 *
 * A warp *retries* when its wait has run out of time, or it got no registers (USETMAXREG.TRY_ALLOC), and it has done
 * nothing since but go round to the same. An SM whose warps all retry or stand at barriers makes no progress, which
 * is how a deadlock is found although the warps issue instructions. */
#ifndef SUBCORE_SM_MBARRIER_UNIT_H
#define SUBCORE_SM_MBARRIER_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/code.h"
#include "sm/memory/delivery.h"
#include "sm/memory/pending_table.h"
#include "sm/memory/shared_memory.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/source.h"

struct mbarrier_wait {
    uint64_t ready; /* its result is not there before */
    uint64_t until; /* its time is up */
    uint16_t token;
};

struct mbarrier_unit {
    struct mbarrier_unit_ports {
        struct pending_table *table;
        struct shared_memory *shared;
        const struct delivery *delivery;
        const struct warp_gates *gates;
        const struct sm_source *source;
        const struct config_mbarrier *config;
        const struct config_lsu *lsu;
    } to;
    uint64_t free;           /* cycle from which it takes an operation */
    uint64_t asleep;         /* warp slots at NANOSLEEP.SYNCS */
    uint64_t retrying;       /* warp slots */
    uint8_t since[SM_WARPS]; /* instructions of a warp that retries */
    uint32_t count;
    struct mbarrier_wait wait[MBARRIER_WAITS]; /* in the order in which they began */
};

/* Makes the unit, at which nothing waits. */
void mbarrier_unit_begin(struct mbarrier_unit *u);

/* An operation that the acceptor has taken: its result goes on its way, or it stays as a wait. */
void mbarrier_unit_access(struct mbarrier_unit *u, uint16_t token, uint64_t now);

/* Copies before an arrival (ARRIVES) have landed. */
void mbarrier_unit_landed(struct mbarrier_unit *u, uint16_t token, uint64_t now);

/* Something may have ended a phase: ends the waits that this lets go, in the order in which they began. */
void mbarrier_unit_look(struct mbarrier_unit *u, uint64_t now);

/* Ends waits whose time is up. Returns true if there was one. */
bool mbarrier_unit_run(struct mbarrier_unit *u, uint64_t now);
static inline bool mbarrier_unit_cycle(struct mbarrier_unit *u, uint64_t now)
{
    return u->count && mbarrier_unit_run(u, now);
}
/* Returns the cycle at which the next wait's time is up (UINT64_MAX: there is none). */
uint64_t mbarrier_unit_next(const struct mbarrier_unit *u);

/* A warp begins to rest until the phase ends that it waited for last. */
void mbarrier_unit_sleep(struct mbarrier_unit *u, uint32_t slot);

/* Notes that a warp's test has failed, so that it will ask again. */
void mbarrier_unit_retry(struct mbarrier_unit *u, uint32_t slot);
/* A warp leaves the SM. */
void mbarrier_unit_forget(struct mbarrier_unit *u, uint32_t slot);
/* A warp that retries, or has been asleep, issues an instruction; `useful`: others can notice it. */
void mbarrier_unit_issue(struct mbarrier_unit *u, uint32_t slot, bool useful);

/* Tells whether the unit listens to the warp's issues. */
static inline bool mbarrier_unit_follows(const struct mbarrier_unit *u, uint32_t slot)
{
    return (u->retrying | u->asleep) >> slot & 1;
}

#endif
