/* A warp: registers, predicates, divergent paths, convergence barriers. exec/warp.h moves its paths. */
#ifndef SUBCORE_EXEC_WARP_STATE_H
#define SUBCORE_EXEC_WARP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/sizes.h"

struct exec_cta;
struct exec_stack;

enum exec_path_state {
    EXEC_PATH_READY,
    EXEC_PATH_AT_BSYNC,
    EXEC_PATH_AT_WARPSYNC,
    EXEC_PATH_AT_COLLECTIVE,
    EXEC_PATH_AT_BARRIER
};

/* Threads of a warp that stand at the same pc. Path 0.. of a warp are disjoint and cover the live threads. The pc of a
 * path that waits is where it continues. */
struct exec_path {
    uint32_t pc, mask;
    uint32_t wait;  /* AT_WARPSYNC, AT_COLLECTIVE: mask that must arrive; AT_BSYNC: barrier register;
                                     * AT_BARRIER: number of the CTA barrier */
    uint16_t warps; /* AT_BARRIER: as issued.barrier_warps */
    uint8_t state;
    bool reduces;   /* AT_BARRIER: it takes part in a reduction */
    bool exclusive; /* AT_WARPSYNC, AT_COLLECTIVE: goes on without threads that it does not wait for */
    uint32_t group; /* READY in an exclusive or collective section: its threads, until the next instruction (0: none) */
};

/* The last test of barrier objects in shared memory has found these phases unfinished. */
struct exec_wait {
    uint32_t lanes;              /* 0: nothing */
    uint32_t parity;             /* the phase of each lane that has to end */
    uint32_t offset[EXEC_LANES]; /* of these lanes' objects */
};

enum { EXEC_WARPGROUP_GROUPS = 8 }; /* a wait leaves 7 groups pending, at most */

/* Products of a warpgroup that a warp has issued, since its CTA began. */
struct exec_warpgroup {
    uint32_t issued, groups;
    uint32_t committed[EXEC_WARPGROUP_GROUPS]; /* `issued` at the end of each last group */
};

struct exec_warp {
    uint32_t (*reg)[EXEC_LANES]; /* [registers] rows of 32 lanes, 64-byte aligned */
    uint32_t register_count;
    uint32_t pred[8];                 /* lane masks; [7] stays all ones */
    uint32_t ureg[256];               /* [255] stays 0 */
    uint8_t upred;                    /* bit 7 stays 1 */
    uint32_t barrier[16][EXEC_LANES]; /* convergence barriers: the threads that each thread waits for, itself included
                                       * */
    uint32_t rpc[2][EXEC_LANES];      /* Rpc.LO and Rpc.HI, which RPCMOV writes and reads */
    uint32_t live;                    /* threads that have not exited */
    uint32_t launched;                /* threads the warp started with */
    uint32_t paths, current;          /* paths[current] executes; valid while live != 0 */
    struct exec_path path[EXEC_PATHS];
    uint32_t collective_target[EXEC_LANES];
    uint32_t barrier_count; /* the result of the last reduction at a barrier: threads whose predicate holds, */
    bool barrier_vote;      /* and all or any of them */
    uint32_t arrived[EXEC_BARRIERS + 1]; /* threads that have arrived (BAR.ARV, UCGABAR_ARV) before others of the warp
                                          */
    uint32_t asked, answered;            /* lanes in a driver function whose result comes later. Those that have it */
    uint32_t backward_branches;          /* since a path last ended or had to wait; bounds a spin loop */
    uint32_t spin_pc;                    /* a branch at which a possible spin loop is watched (UINT32_MAX: none) */
    uint64_t spin_state;                 /* digest of the registers there */
    struct exec_warpgroup warpgroup;
    uint64_t generation;      /* counts the CTAs that used this storage */
    struct exec_wait wait;    /* at barrier objects in shared memory */
    uint32_t registers;       /* of a thread that the warp may name: as launched, then setmaxnreg's */
    uint32_t wanted;          /* registers that it asks for and has not got (0: none) */
    uint32_t wanted_columns;  /* of tensor memory; likewise */
    uint8_t retries;          /* exec/retry.h */
    struct exec_stack *stack; /* of Pascal's code (exec/pascal/stack.h) (NULL: of other code) */
    struct exec_cta *cta;
    uint32_t index; /* in the CTA */
    uint32_t slot;  /* of the SM: picks local memory, %warpid */
};

#endif
