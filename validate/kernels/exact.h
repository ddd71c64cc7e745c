/* Inputs with which sums of products are exact: multiples of 1/8 from -4 to 4. Their products are in steps of 1/64 and
 * at most 16, so that FP32 holds a sum of up to 16,384 of them in whatever order they are added, and results are
 * compared bit for bit. */
#ifndef SUBCORE_VALIDATE_KERNELS_EXACT_H
#define SUBCORE_VALIDATE_KERNELS_EXACT_H

#include "examples/util.h"

/* Memory of the run, filled with such numbers. NULL when the run failed. */
float *exact_floats(struct run *run, uint32_t *seed, size_t count);

/* c = a * b for one row of a with k elements; b is k x n, row-major. */
void exact_row(float *c, const float *a, const float *b, uint32_t n, uint32_t k);

/* Checks each `step`th row of the m x n product that lies at `c` in device memory, all row-major. */
struct exact_product {
    const float *a, *b;
    uint32_t m, n, k, step;
};
void exact_check(struct run *run, uint64_t c, const struct exact_product *product);

#endif
