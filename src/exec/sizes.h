/* Sizes and addresses that the parts of the functional machine share. */
#ifndef SUBCORE_EXEC_SIZES_H
#define SUBCORE_EXEC_SIZES_H

#include <stdint.h>

#include "isa/contract.h"

enum {
    EXEC_LANES = ISA_LANES,
    EXEC_DATA = 4,      /* words of 64 bits that a lane can access at once */
    EXEC_TOKENS = 1024, /* accesses a deferred core can have in flight */
    EXEC_COMMANDS = 64, /* commands of engines that it can have in flight; tokens from EXEC_TOKENS on */
    EXEC_COMMITS = 64,  /* commits of tensor engines in flight; tokens from EXEC_TOKENS + EXEC_COMMANDS on */
    EXEC_PATHS = 32,
    EXEC_BANKS = 5,
    EXEC_CTA_GROUP = 16,                 /* CTAs of a cluster, at most */
    EXEC_BARRIERS = 16,                  /* of a CTA */
    EXEC_CLUSTER_BARRIER = EXEC_BARRIERS /* the number under which the barrier of the cluster is reported */
};

/* Generic windows. Anything between EXEC_LOCAL_WINDOW and the end of the shared window is not global memory. The shared
 * window has a slot of EXEC_WINDOW_BYTES for each rank in a cluster, so that the low word of an address in it is a
 * 32-bit address of shared memory: the rank in bits 31:24, the offset in that CTA's memory below. */
#define EXEC_SHARED_WINDOW UINT64_C(0x00007e0000000000)
#define EXEC_SHARED_BYTES UINT64_C(0x0000000100000000)
#define EXEC_LOCAL_WINDOW UINT64_C(0x00007d0000000000)
#define EXEC_WINDOW_BYTES UINT64_C(0x0000000001000000)
enum { EXEC_RANK_SHIFT = 24 };

struct exec_dim {
    uint32_t x, y, z;
};

#endif
