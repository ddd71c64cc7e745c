/* MEMBAR: the warp goes on when what it did before is performed as far as the scope asks, and not before the time that
 * a fence of this scope takes.
 *
 *   GPU, SYS: all its accesses are complete, that is answered or acknowledged by the L2
 *   CTA, SM:  its loads are answered and its stores have reached the SM's own L1, which all threads of the CTA read
 *
 * The artifact of the MICRO 2025 paper stalls the whole SM instead for 53 (CTA), 186 (GPU) or 2900 (SYS) cycles; those
 * are the times here, of the warp alone. What a scope waits for follows from the PTX memory model. The artifact also
 * empties the L1; compiled code asks for that itself, by CCTL.IVALL behind the fence. */
#ifndef SUBCORE_SM_FENCE_H
#define SUBCORE_SM_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

enum fence_scope { FENCE_NONE, FENCE_CTA, FENCE_GPU, FENCE_SYS };

struct fence {
    uint64_t until; /* not over before */
    uint8_t scope;  /* enum fence_scope; NONE: the warp is at no fence */
};

struct sm;

/* By MEMBAR's scope, as encoded. */
enum fence_scope fence_scope_of(unsigned encoded);

/* The warp in this slot has issued a fence. */
void fence_begin(struct sm *sm, uint32_t slot, enum fence_scope scope, uint64_t now);

/* Time has passed or an access has moved on (EVENT_MEMBAR and others): the fence may be over. */
void fence_try(struct sm *sm, uint32_t slot);

#endif
