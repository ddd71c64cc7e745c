/* Matrix products by wgmma on an H200. */
#include "tests/blas/async.h"

static void products_by_wgmma_agree_with_sums_in_double(void **state)
{
    (void)state;
    async_products_agree("h200");
}

UNIT_TESTS(UNIT(products_by_wgmma_agree_with_sums_in_double))
