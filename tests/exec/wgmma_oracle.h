/* wgmma as its documents say it, one element at a time: where elements stand in shared memory and in registers, and the
 * rule for a sum. Nothing here is shared with the executor. */
#ifndef SUBCORE_TESTS_EXEC_WGMMA_ORACLE_H
#define SUBCORE_TESTS_EXEC_WGMMA_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { ORACLE_M = 64, ORACLE_N = 256, ORACLE_K = 64, ORACLE_SHARED = 200 * 1024 };

enum oracle_type { ORACLE_F16, ORACLE_BF16, ORACLE_TF32, ORACLE_E4M3, ORACLE_E5M2, ORACLE_U8, ORACLE_S8, ORACLE_B1 };

/* A matrix in shared memory. Offsets in bytes. */
struct oracle_place {
    uint32_t start, leading, stride;
    unsigned swizzle, base; /* as in a descriptor: 0 none, 1 128 bytes, 2 64, 3 32 */
    bool mn_major;
};

struct oracle_product {
    enum oracle_type type_a, type_b;
    unsigned n, k; /* k: elements of the dense product, 32-bit words for B1 */
    bool f16_result, sparse, saturate, negative, zero_c;
    uint32_t a[ORACLE_M][ORACLE_K];    /* a sparse one: only the elements that are stored, k / 2 */
    uint8_t where[ORACLE_M][ORACLE_K]; /* and where they stand */
    uint32_t b[ORACLE_K][ORACLE_N];
    uint32_t c[ORACLE_M][ORACLE_N], d[ORACLE_M][ORACLE_N];
};

unsigned oracle_bytes(enum oracle_type type);
/* d = a * b + c. */
void oracle_multiply(struct oracle_product *p);
/* Byte address of element (mn, k); mn: row of A or B's column. */
uint32_t oracle_address(const struct oracle_place *p, unsigned bytes, unsigned mn, unsigned k);
/* The descriptor of a matrix. */
uint64_t oracle_descriptor(const struct oracle_place *p);

#endif
