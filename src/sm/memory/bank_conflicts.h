/* The array of shared memory and L1: 32 banks, 4 bytes wide. How many times the banks are read for one instruction. */
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
 * by quarter-warps, and their passes add up, without those that have no active lane. A load joins the two halves, or
 * the quarters of each half, if each active lane n wants the same words as lane n ^ 1, or each as lane n ^ 2, and the
 * joined words fit one pass. So a broadcast of 64 bits takes one pass, and one of 128 bits takes two. A store joins
 * none. (NVIDIA's developer forum on parts of compute capability 7; profiler counts on an RTX 5090,
 * cicuvc/nvidia-sass-document, and on an H200; the conflicts as measured on TU102.) */
struct bank_passes bank_conflicts(const uint32_t offset[32], uint32_t lanes, unsigned bytes, enum bank_use use);

/* The same on Pascal, where lanes are pooled: 1 pool of 32 for 32 bits and less, 2 x 16 for 64, 4 x 8 for 128. */
struct bank_passes bank_pools(const uint32_t offset[32], uint32_t lanes, unsigned bytes, enum bank_use use);

/* Returns the lanes of a group when a lane moves so many words: all, a half-warp, a quarter-warp. */
uint32_t bank_group(unsigned words, unsigned group);
/* Returns whether no bank holds two of the words that these lanes read. `offset` counts bytes. */
bool bank_one_pass(const uint32_t offset[32], uint32_t lanes, unsigned words);
/* Returns the most words that these lanes want of one bank, different ones if lanes of one word share it. `word` is the
 * number of each lane's first word. */
unsigned bank_group_passes(const uint64_t word[32], uint32_t lanes, unsigned words, bool merge);

/* The same for lanes at these offsets. */
unsigned bank_passes_of(const uint32_t offset[32], uint32_t lanes, unsigned words, bool merge);

/* The numbers of the words at these offsets. */
static inline void bank_words(uint64_t word[32], const uint32_t offset[32])
{
    for (unsigned i = 0; i < 32; i++)
        word[i] = offset[i] / 4;
}

/* Returns whether lanes of `words` words each, whose first words lie between these two, need one pass because no two of
 * their words can be in one bank. */
static inline bool bank_near(uint64_t first, uint64_t last, unsigned words) { return last - first + words <= 32; }

#endif
