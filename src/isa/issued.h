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
    uint32_t zero_fill;     /* LDGSTS: lanes that write zeros and do not read global memory; generic addresses: lanes
                             * that are elsewhere */
    uint64_t address[32];   /* of active lanes: global device address, byte offset in shared memory, constant bank times
                             * 64 KiB and offset; local: the interleaved physical address in device memory */
    uint32_t shared[32];    /* LDGSTS: destination offset in shared memory */
    uint64_t cache_policy;  /* global and generic addresses: what their descriptor holds, 0 without one */
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
