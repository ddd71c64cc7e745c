/* Matrix products by tcgen05 on a B200. */
#include "tests/blas/async.h"

static const char *const gpu = "b200";

static void products_by_tcgen05_agree_with_sums_in_double(void **state)
{
    (void)state;
    async_products_agree(gpu);
}

/* A B200 has 74 pairs of SMs. Of the first shape some pairs make four tiles, the last of them a half. Of the second all
 * tiles are whole, of the third all are halves. */
static void products_of_several_tiles_for_each_pair_of_blocks_agree_with_sums_in_double(void **state)
{
    static const struct shape many = {8, 8, 136, 0, 0, 0, 230, 8, 0}, whole = {512, 8, 40, 0, 0, 0, 37, 8, 0};
    static const struct shape half = {256, 130, 40, 0, 0, 0, 37, 8, 0};
    (void)state;
    try(gpu, &forms[3], &many, BLAS_N, BLAS_N, 1, 0);
    try(gpu, &forms[6], &many, BLAS_T, BLAS_N, 1, 0.5);
    try(gpu, &forms[5], &whole, BLAS_N, BLAS_N, 1, 0);
    try(gpu, &forms[3], &half, BLAS_T, BLAS_N, 1, 0);
    try(gpu, &forms[5], &half, BLAS_N, BLAS_T, 1, 0.5);
}

UNIT_TESTS(UNIT(products_by_tcgen05_agree_with_sums_in_double),
           UNIT(products_of_several_tiles_for_each_pair_of_blocks_agree_with_sums_in_double))
