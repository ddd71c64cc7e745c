/* HMMA of a warp, straight from its registers: A of 16 rows, B of 8 columns, floats of 16 bits or TF32.
 *
 * lanes_hmma.c multiplies, and is compiled for several instruction sets of the host, which give the same bits. It knows
 * only numbers of moderate size, which products in FP32 hold. mma_half.c takes the way of wgmma for all others. */
#ifndef SUBCORE_EXEC_HMMA_H
#define SUBCORE_EXEC_HMMA_H

#include "exec/sizes.h"

enum { HMMA_BLOCKS = 2 /* a row of A has two, of 16 bytes */, HMMA_RESULTS = 4 };

/* Block j of A is in registers 2j (rows 0 .. 7) and 2j + 1 (rows 8 .. 15), block j of B in its register j. */
struct hmma_job {
    unsigned type;                                       /* WGMMA_F16, WGMMA_BF16 or WGMMA_TF32 (wgmma.h) */
    unsigned blocks, step;                               /* blocks of a row, 1 or 2, and those that one sum takes */
    unsigned fraction;                                   /* bits of fraction that a term keeps: 24 or 25 */
    bool negative;                                       /* the products change their signs */
    bool wide;                                           /* accumulators have 32 bits; false: FP16 */
    const uint32_t *a[2 * HMMA_BLOCKS], *b[HMMA_BLOCKS]; /* rows of 32 lanes */
    const uint32_t *c[HMMA_RESULTS];                     /* of these, four; with FP16 two */
    uint32_t (*d)[EXEC_LANES];                           /* [4], with FP16 [2]; none of the rows above */
};

/* Writes D and returns true. Returns false, with D undefined, where an element has no moderate size. */
typedef bool hmma_multiply(const struct hmma_job *job);
hmma_multiply hmma_multiply_base, hmma_multiply_v3, hmma_multiply_v4;

/* Returns the widest one that this host has. */
hmma_multiply *hmma_widest(void);

#endif
