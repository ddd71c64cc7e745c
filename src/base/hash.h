/* 64-bit hashing: FNV-1a for bytes (digests of results), a finalising mixer for integers (address hashes, seeds). */
#ifndef SUBCORE_BASE_HASH_H
#define SUBCORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_SEED UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_bytes(uint64_t seed, const void *data, size_t size)
{
    const uint8_t *p = data;
    uint64_t h = seed;
    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* The SplitMix64 finaliser (Steele, Lea, Flood 2014): a bijection with full avalanche. */
static inline uint64_t hash_mix(uint64_t v)
{
    v += UINT64_C(0x9e3779b97f4a7c15);
    v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    return v ^ (v >> 31);
}

#endif
