/* Matrix products by tcgen05 on a B200. */
#include "tests/blas/async.h"

static void products_by_tcgen05_agree_with_sums_in_double(void **state)
{
    (void)state;
    async_products_agree("b200");
}

UNIT_TESTS(UNIT(products_by_tcgen05_agree_with_sums_in_double))
