/* Shared memory: 32 banks, 4 bytes wide. How many times the banks are read for one instruction. */
#ifndef SUBCORE_SM_BANK_CONFLICTS_H
#define SUBCORE_SM_BANK_CONFLICTS_H

#include <stdbool.h>
#include <stdint.h>

struct bank_passes {
    uint8_t groups; /* passes without conflicts */
    uint8_t passes;
};

enum bank_use {
    BANK_LOAD,  /* lanes that read one word share it */
    BANK_STORE, /* likewise: one of them writes */
    BANK_EACH   /* each lane on its own: atomics with a result, copies from global memory */
};

/* `bytes` a lane at these offsets, which are aligned to them. A pass takes one word from each bank. 32 bits and less:
 * the whole warp at once, as many passes as the most distinct words in one bank. 64 bits go by half-warps and 128 bits
 * by quarter-warps, and their passes add up, without those that have no active lane. A load whose words all fit one
 * pass takes one whatever its width, for instance a broadcast; a store never does. (Profiler counts on an RTX 5090,
 * cicuvc/nvidia-sass-document; the conflicts as measured on TU102.) */
struct bank_passes bank_conflicts(const uint32_t offset[32], uint32_t lanes, unsigned bytes, enum bank_use use);

/* The same on Pascal, where lanes are pooled: 1 pool of 32 for 32 bits and less, 2 of 16 for 64, 4 of 8 for 128. */
struct bank_passes bank_pools(const uint32_t offset[32], uint32_t lanes, unsigned bytes, enum bank_use use);

/* Lanes of a group when a lane moves so many words: all, a half-warp, a quarter-warp. */
uint32_t bank_group(unsigned words, unsigned group);
/* The most words that these lanes want of one bank, different ones if lanes of one word share it. */
unsigned bank_group_passes(const uint32_t offset[32], uint32_t lanes, unsigned words, bool merge);

#endif
