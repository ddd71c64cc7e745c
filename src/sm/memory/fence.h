/* MEMBAR: the warp goes on when all earlier accesses are visible in the scope, and not before the time that a fence of
 * this scope takes.
 *
 *   CTA, SM:  the warp's loads are answered and its stores have reached the SM's own L1, which all threads of the CTA
 *             read
 *   GPU, SYS: the warp's accesses are complete, and so are all that the SM has sent to the point of coherence before,
 *             whatever warp they are of
 *
 * The last follows from causality order (PTX ISA, memory consistency model), which is cumulative: by __syncthreads or
 * by its loads a thread can know of others' stores in its CTA, and its releases must not be seen without them. A
 * grid barrier, in which one thread of each CTA fences for all, lives on that. The artifact of the MICRO 2025 paper
 * stalls the whole SM for a fixed time instead.
 *
 * .SC and .ALL do the same here: a fence ends when its stores are visible to the whole scope at once, which puts
 * fences into one order. The artifact also empties the L1. Compiled code asks for that itself, by CCTL.IVALL behind
 * the fence. */
#ifndef SUBCORE_SM_FENCE_H
#define SUBCORE_SM_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/calendar.h"

struct sm_warp;
struct pending_table;
struct warp_gates;

enum fence_scope { FENCE_NONE, FENCE_CTA, FENCE_GPU, FENCE_SYS };

struct fence {
    uint64_t until;  /* not over before */
    uint64_t number; /* GPU, SYS: waits for accesses up to this one of struct unacknowledged */
    uint8_t scope;   /* enum fence_scope (NONE: the warp is at no fence) */
};

/* Accesses of the SM that take effect at the point of coherence (stores, reductions, atomics, strong loads) and are not
 * acknowledged: a chain of tokens in issue order. */
struct unacknowledged {
    uint64_t last;    /* number of the one issued last; the first is 1 */
    uint64_t waiting; /* warp slots at a fence of the GPU or the system */
    uint32_t count;
    uint16_t oldest, youngest;
};

struct fences {
    struct fence_ports {
        struct sm_warp *warp; /* [SM_WARPS] */
        struct pending_table *table;
        const struct warp_gates *gates;
        struct calendar *calendar;
        const struct config_lsu *config;
    } to;
    struct unacknowledged unacknowledged;
};

/* Returns the wait of a MEMBAR with this scope. `scope` is enum isa_scope. */
enum fence_scope fence_scope_of(unsigned scope);

/* The warp in this slot issues a fence. */
void fence_begin(struct fences *f, uint32_t slot, enum fence_scope scope, uint64_t now);

/* An access to the point of coherence issues. It is acknowledged. */
void fence_sent(struct fences *f, uint16_t token);
void fence_acknowledged(struct fences *f, uint16_t token, uint64_t now);

/* Ends the fence of the warp, if it is at one and its wait is over: after each access of the warp that moves on, and
 * at its time (EVENT_MEMBAR). */
void fence_try(struct fences *f, uint32_t slot, uint64_t now);

#endif
