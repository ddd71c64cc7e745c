/* tcgen05.mma as its documents say it, one element at a time: where elements stand in shared and tensor memory, and the
 * rule for a sum. Nothing here is shared with the executor. */
#ifndef SUBCORE_TESTS_EXEC_UMMA_ORACLE_H
#define SUBCORE_TESTS_EXEC_UMMA_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { UORACLE_M = 256, UORACLE_N = 256, UORACLE_K = 128, UORACLE_LANES = 128, UORACLE_WORDS = 512 };

enum uoracle_kind { UORACLE_F16, UORACLE_TF32, UORACLE_F8, UORACLE_I8, UORACLE_MX8, UORACLE_FP4, UORACLE_KINDS };

enum uoracle_type {
    UTYPE_F16,
    UTYPE_BF16,
    UTYPE_TF32,
    UTYPE_E4M3,
    UTYPE_E5M2,
    UTYPE_E2M3,
    UTYPE_E3M2,
    UTYPE_E2M1,
    UTYPE_U8,
    UTYPE_S8
};

enum uoracle_result { URESULT_F16, URESULT_F32, URESULT_S32 };

struct uoracle {
    enum uoracle_kind kind;
    enum uoracle_type type_a, type_b;
    enum uoracle_result result;
    unsigned m, n, k; /* k: with the elements that a sparse A leaves out */
    bool pair, stationary, sparse, saturate, negative, add;
    unsigned scale_d;                 /* D counts as D * 2^-scale_d */
    unsigned blocks;                  /* scale factors of a row */
    bool powers;                      /* UE8M0 */
    uint32_t a[UORACLE_M][UORACLE_K]; /* a sparse one: only the elements that are stored, k / 2 */
    uint8_t where[UORACLE_M][UORACLE_K];
    uint32_t b[UORACLE_N][UORACLE_K];
    uint8_t scale_a[UORACLE_M][6], scale_b[UORACLE_N][6];
    uint32_t c[UORACLE_M][UORACLE_N], d[UORACLE_M][UORACLE_N];
};

/* d = a * b + c. */
void uoracle_multiply(struct uoracle *p);

/* A cell of tensor memory. */
struct uoracle_cell {
    unsigned cta, lane, column;
};

/* Where element (row, n) of D is, for a D at lane 0 or 16 and column 0. */
struct uoracle_cell uoracle_d(const struct uoracle *p, unsigned row, unsigned n, unsigned lane);

/* A matrix in shared memory, of 8-bit rows. Offsets in bytes. */
struct uoracle_place {
    uint32_t start, leading, stride;
    unsigned swizzle; /* as in a descriptor: 0 none, 1 128 bytes with atoms of 32, 2 128, 4 64, 6 32 */
    bool mn_major;
    bool broken; /* K beyond the 128 bytes of a row's start is at the address `leading` */
};

/* Address of byte `byte` of K in row `mn` of a K-major matrix; of element (mn, k) of an MN-major one. */
uint32_t uoracle_k_major(const struct uoracle_place *p, unsigned mn, unsigned byte);
uint32_t uoracle_mn_major(const struct uoracle_place *p, unsigned bytes, unsigned mn, unsigned k);
uint64_t uoracle_descriptor(const struct uoracle_place *p);

#endif
