/* A hash of 128 bits that tells kernels apart (trace_kernel_identity). */
#ifndef SUBCORE_TRACE_IDENTITY_H
#define SUBCORE_TRACE_IDENTITY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

struct trace_identity {
    uint64_t word[2];
};

static inline struct trace_identity trace_identity_begin(void)
{
    return (struct trace_identity){{HASH_SEED, ~HASH_SEED}};
}

/* Adds bytes, a word of eight at a time. The last word has zeros behind them. The two words of the identity go
 * different ways. */
static inline void trace_identity_add(struct trace_identity *id, const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, data + at, size - at < sizeof word ? size - at : sizeof word);
        id->word[0] = (id->word[0] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        id->word[0] ^= id->word[0] >> 32;
        id->word[1] = (id->word[1] + word) * UINT64_C(0xc2b2ae3d27d4eb4f);
        id->word[1] ^= id->word[1] >> 29;
    }
}

#endif
