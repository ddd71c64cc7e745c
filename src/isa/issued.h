/* One warp instruction as the timing model sees it: the only bridge between what executes (or replays) and what
 * times. Static facts (control bits, registers, pipe) come from the decoded code; this record holds what only
 * execution knows. */
#ifndef SUBCORE_ISA_ISSUED_H
#define SUBCORE_ISA_ISSUED_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum issued_flow {
    ISSUED_NEXT,      /* the warp goes on at pc + 16 */
    ISSUED_JUMP,      /* it goes on at next_pc: a taken branch, or another divergent path of the warp */
    ISSUED_EXITED,    /* the last thread of the warp has exited */
    ISSUED_AT_BARRIER /* every live thread of the warp waits at the CTA barrier; goes on at next_pc when released */
};

/* A transfer: one instruction lets an engine move a box of a tensor, while the warp goes on (TMA; a bulk copy is a box
 * of one dimension). Dimension 0 is innermost: its elements are side by side in global memory and make a *row*. In
 * shared memory the box is dense, row after row. Coordinates, out-of-bounds elements and swizzles are resolved by the
 * executing machine, which makes a box of what is to be read or written. */
enum { TRANSFER_DIMENSIONS = 5 };

struct transfer {
    uint64_t base;                        /* device address of the first element of the box */
    uint64_t stride[TRANSFER_DIMENSIONS]; /* bytes from one element to the next; [0]: element_bytes */
    uint32_t extent[TRANSFER_DIMENSIONS]; /* elements of the box, 1 in dimensions that the tensor does not have */
    uint32_t element_bytes;               /* 1 .. 16 */
    uint32_t shared;                      /* byte offset of the box in the CTA's shared memory */
    uint32_t barrier;                     /* byte offset of the mbarrier that counts the bytes, in the same */
};

/* Returns the number of rows of a transfer. */
static inline uint32_t transfer_rows(const struct transfer *t)
{
    return t->extent[1] * t->extent[2] * t->extent[3] * t->extent[4];
}

/* Returns the device address of a row, from 0 on; dimension 1 runs first. */
static inline uint64_t transfer_row(const struct transfer *t, uint32_t row)
{
    uint64_t address = t->base;
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++) {
        address += row % t->extent[d] * t->stride[d];
        row /= t->extent[d];
    }
    return address;
}

struct issued {
    uint32_t pc;
    uint32_t next_pc;
    uint32_t path;          /* lanes on the executing path */
    uint32_t active;        /* of these, lanes whose guard holds */
    uint8_t flow;           /* enum issued_flow */
    uint8_t barrier;        /* AT_BARRIER: its number, 0..15; 16: the cluster's */
    bool barrier_arrive;    /* the instruction was BAR.ARV: counts as an arrival, does not wait */
    bool deferred;          /* the result comes from the L2 slice: the source must be told when it is there */
    uint16_t barrier_warps; /* warps the barrier waits for; 0: all of the CTA that have not exited */
    uint8_t space;          /* enum isa_space of this access, generic already resolved */
    uint8_t bytes;          /* a lane accesses; 0: a barrier object in shared memory */
    uint16_t sleep;         /* NANOSLEEP, YIELD: cycles the warp asks to rest; 0 none */
    bool wakes;             /* NANOSLEEP.SYNCS: the rest ends when the phase of a barrier object does */
    bool retries;           /* USETMAXREG.TRY_ALLOC: there were no registers, and the warp asks again */
    uint32_t zero_fill;     /* LDGSTS: lanes that write zeros and do not read global memory; generic addresses: lanes
                             * that are elsewhere */
    uint64_t address[32];   /* of active lanes: global device address, byte offset in shared memory, constant bank times
                             * 64 KiB and offset; local: the interleaved physical address in device memory */
    uint32_t shared[32];    /* LDGSTS: destination offset in shared memory */
    uint64_t cache_policy;  /* global and generic addresses: what their descriptor holds, 0 without one */
    /* Of an instruction whose opcode moves a box, which none does that executes today. Others do not write it, and it
     * has anything there: readers ask the opcode first. Traces do not have it yet. */
    struct transfer transfer;
};

/* Each lane's address is `bytes` behind that of the lane before: the usual case, for which others have shorter ways. */
static inline bool issued_in_a_row(const uint64_t address[32], unsigned bytes)
{
    uint64_t other = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        other |= address[lane] ^ (address[0] + (uint64_t)lane * bytes);
    return other == 0;
}

#endif
