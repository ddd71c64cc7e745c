/* The recurrences of XORWOW (Marsaglia, Xorshift RNGs, Journal of Statistical Software 8, 2003) and of MRG32k3a
 * (L'Ecuyer, Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators, Operations
 * Research 47, 1999), as host and device run them. */
#ifndef SUBCORE_RAND_KERNELS_RECURRENCE_H
#define SUBCORE_RAND_KERNELS_RECURRENCE_H

#ifdef __CUDACC__
#define RAND_SHARED __host__ __device__ static inline
#else
#define RAND_SHARED static inline
#endif

/* A linear register of 160 bits, and a counter that is added to it. */
struct rand_xorwow {
    unsigned v[5], d;
};

#define RAND_XORWOW_STEP 362437u /* of the counter */

RAND_SHARED unsigned rand_xorwow_next(struct rand_xorwow *s)
{
    unsigned t = s->v[0] ^ s->v[0] >> 2, last = s->v[4];
    for (int i = 0; i < 4; i++)
        s->v[i] = s->v[i + 1];
    s->v[4] = last ^ last << 4 ^ t ^ t << 1;
    s->d += RAND_XORWOW_STEP;
    return s->v[4] + s->d;
}

/* The last three elements of two recurrences modulo RAND_MRG_M1 and RAND_MRG_M2, oldest first. */
struct rand_mrg {
    unsigned a[3], b[3];
};

#define RAND_MRG_M1 4294967087ull
#define RAND_MRG_M2 4294944443ull
#define RAND_MRG_A12 1403580ull
#define RAND_MRG_A13 810728ull /* subtracted */
#define RAND_MRG_A21 527612ull
#define RAND_MRG_A23 1370589ull /* subtracted */

/* Returns a number from 1 to RAND_MRG_M1. */
RAND_SHARED unsigned rand_mrg_next(struct rand_mrg *s)
{
    unsigned long long a = (RAND_MRG_A12 * s->a[1] + RAND_MRG_A13 * (RAND_MRG_M1 - s->a[0])) % RAND_MRG_M1;
    unsigned long long b = (RAND_MRG_A21 * s->b[2] + RAND_MRG_A23 * (RAND_MRG_M2 - s->b[0])) % RAND_MRG_M2;
    s->a[0] = s->a[1], s->a[1] = s->a[2], s->a[2] = (unsigned)a;
    s->b[0] = s->b[1], s->b[1] = s->b[2], s->b[2] = (unsigned)b;
    return (unsigned)(a > b ? a - b : a - b + RAND_MRG_M1);
}

/* Factors to numbers of 32 bits, and to numbers in (0, 1]. */
#define RAND_MRG_TO_BITS 1.000000048662
#define RAND_MRG_TO_ONE 2.3283065498378288e-10

#endif
