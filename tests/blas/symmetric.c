/* LDL: factors of symmetric matrices that need not be definite, and systems that are solved with them. */
#include "blas/solve.h"
#include "tests/blas/decomposition.h"

cusolverStatus_t cusolverDnDestroy(struct blas *handle);
#define SYTRF(letter)                                                                                                  \
    cusolverStatus_t cusolverDn##letter##sytrf(struct blas *, int, int, void *, int, int *, void *, int, int *)
SYTRF(S);
SYTRF(D);
SYTRF(C);
SYTRF(Z);
cusolverStatus_t cusolverDnDsytrf_bufferSize(struct blas *, int, void *, int, int *);
cusolverStatus_t cusolverDnXsytrs(struct blas *, int, int64_t, int64_t, int, const void *, int64_t, const int64_t *,
                                  int, void *, int64_t, void *, size_t, void *, size_t, int *);

static const struct form {
    unsigned type;
    cusolverStatus_t (*sytrf)(struct blas *, int, int, void *, int, int *, void *, int, int *);
} forms[] = {{GEMM_F32, cusolverDnSsytrf},
             {GEMM_F64, cusolverDnDsytrf},
             {GEMM_C32, cusolverDnCsytrf},
             {GEMM_C64, cusolverDnZsytrf}};
enum { FORMS = sizeof forms / sizeof forms[0], MORE = 2, SIDES = 3, MOST = 40, GOOD_STATUS = CUSOLVER_STATUS_SUCCESS };

/* The symmetric matrix whose lower triangle is given. */
static struct plain symmetric(const struct plain *a)
{
    struct plain s = plain(a->rows, a->columns);
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *plain_at(&s, i, j) = i < j ? *plain_at(a, j, i) : *plain_at(a, i, j);
    return s;
}

static void exchange_rows(struct plain *p, int one, int other)
{
    for (int j = 0; j < p->columns; j++) {
        double complex kept = *plain_at(p, one, j);
        *plain_at(p, one, j) = *plain_at(p, other, j);
        *plain_at(p, other, j) = kept;
    }
}

/* L and D of factors. Rows of L are exchanged back, from the last pivot to the first, so that L D L' is the matrix. */
static void take_apart(const struct plain *factors, const int *pivots, struct plain *l, struct plain *d)
{
    int n = factors->rows;
    for (int k = n - 1; k >= 0; k--) {
        bool two = pivots[k] < 0;
        int first = two ? k - 1 : k;
        for (int column = first; column <= k; column++) {
            *plain_at(l, column, column) = 1;
            *plain_at(d, column, column) = *plain_at(factors, column, column);
            for (int i = k + 1; i < n; i++)
                *plain_at(l, i, column) = *plain_at(factors, i, column);
        }
        if (two) {
            assert_int_equal(pivots[first], pivots[k]);
            *plain_at(d, k, first) = *plain_at(d, first, k) = *plain_at(factors, k, first);
        }
        int row = (two ? -pivots[k] : pivots[k]) - 1;
        assert_in_range(row, k, n - 1);
        exchange_rows(l, k, row);
        k = first;
    }
}

static struct plain transposed(const struct plain *a)
{
    struct plain t = plain(a->columns, a->rows);
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *plain_at(&t, j, i) = *plain_at(a, i, j);
    return t;
}

/* Factors a matrix whose diagonal is small, so that pivots of two rows occur, and solves with it. */
static void expect_factors(struct blas *handle, const struct form *f, int n, double diagonal)
{
    int pitch = n + MORE, pivots[MOST], *info = decomposition_infos(1), *at_pivots = decomposition_infos(MOST);
    struct rig_matrix a = rig_matrix(f->type, (size_t)(pitch * n), (uint64_t)n);
    for (int i = 0; i < n; i++)
        rig_write(a.host, f->type, (size_t)(i * pitch + i), (double[]){diagonal * (i % 3 - 1), 0});
    assert_int_equal(cuMemcpyHtoD_v2(a.device, a.host, a.count * product_size(f->type)), CUDA_SUCCESS);
    struct plain given = plain_result(&a, n, n, pitch), whole = symmetric(&given), l = plain(n, n), d = plain(n, n);
    assert_int_equal(f->sytrf(handle, SOLVE_LOWER, n, rig_at(&a, 0), pitch, at_pivots, NULL, 0, info), GOOD_STATUS);
    assert_int_equal(decomposition_info(info, 0), 0);
    assert_int_equal(cuMemcpyDtoH_v2(pivots, (CUdeviceptr)(uintptr_t)at_pivots, (size_t)n * sizeof(int)), CUDA_SUCCESS);
    struct plain factors = plain_result(&a, n, n, pitch);
    take_apart(&factors, pivots, &l, &d);
    struct plain left = plain_product(&l, &d), right = transposed(&l);
    plain_expect(&whole, plain_product(&left, &right), f->type, "L D L'");

    int64_t wide[MOST];
    for (int i = 0; i < n; i++)
        wide[i] = pivots[i];
    CUdeviceptr at_wide;
    assert_int_equal(cuMemAlloc_v2(&at_wide, sizeof wide), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(at_wide, wide, (size_t)n * sizeof wide[0]), CUDA_SUCCESS);
    struct rig_matrix b = rig_matrix(f->type, (size_t)(pitch * SIDES), 5);
    struct plain sides = plain_result(&b, n, SIDES, pitch);
    info = decomposition_infos(1);
    assert_int_equal(cusolverDnXsytrs(handle, SOLVE_LOWER, n, SIDES, (int)f->type, rig_at(&a, 0), pitch,
                                      (const int64_t *)(uintptr_t)at_wide, (int)f->type, rig_at(&b, 0), pitch, NULL, 0,
                                      NULL, 0, info),
                     GOOD_STATUS);
    assert_int_equal(decomposition_info(info, 0), 0);
    struct plain x = plain_result(&b, n, SIDES, pitch), product = plain_product(&whole, &x);
    double sum = 0, allowed = 16 * n * rig_precision(f->type) * plain_size(&whole) * plain_size(&x);
    for (int i = 0; i < n * SIDES; i++)
        sum += creal((product.at[i] - sides.at[i]) * conj(product.at[i] - sides.at[i]));
    assert_true(sqrt(sum) <= allowed);
    struct plain *all[] = {&given, &whole, &l, &d, &factors, &left, &right, &sides, &x, &product};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]->at);
    rig_free(&a);
    rig_free(&b);
    assert_int_equal(cuMemFree_v2(at_wide), CUDA_SUCCESS);
    assert_int_equal(cuMemFree_v2((CUdeviceptr)(uintptr_t)at_pivots), CUDA_SUCCESS);
}

static void factors_with_pivots_of_one_and_two_rows_give_the_matrix_and_solve(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 17, 40};
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            if (sizes[s] > 1)
                expect_factors(handle, &forms[f], sizes[s], 0);
            expect_factors(handle, &forms[f], sizes[s], -3);
        }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

static void singular_matrices_and_bad_arguments_are_told(void **state)
{
    (void)state;
    struct blas *handle = decomposition_handle();
    static const double zero_column[] = {1, 2, 0, 2, 5, 0, 0, 0, 0};
    struct rig_matrix a = rig_matrix(GEMM_F64, 9, 1);
    void *at = rig_at(&a, 0);
    int *info = decomposition_infos(1), elements = 0, bad = CUSOLVER_STATUS_INVALID_VALUE;
    assert_int_equal(cusolverDnDsytrf(NULL, SOLVE_LOWER, 3, at, 3, NULL, NULL, 0, info),
                     CUSOLVER_STATUS_NOT_INITIALIZED);
    assert_int_equal(cusolverDnDsytrf(handle, 2, 3, at, 3, NULL, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDsytrf(handle, SOLVE_LOWER, -1, at, 3, NULL, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDsytrf(handle, SOLVE_LOWER, 3, at, 2, NULL, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDsytrf(handle, SOLVE_LOWER, 3, NULL, 3, NULL, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDsytrf(handle, SOLVE_UPPER, 3, at, 3, NULL, NULL, 0, info),
                     CUSOLVER_STATUS_NOT_SUPPORTED);
    assert_int_equal(
        cusolverDnXsytrs(handle, SOLVE_LOWER, 3, 1, GEMM_F64, at, 3, NULL, GEMM_F64, at, 3, NULL, 0, NULL, 0, info),
        bad);
    assert_int_equal(cusolverDnDsytrf_bufferSize(handle, 3, at, 3, &elements), GOOD_STATUS);
    assert_int_equal(elements, 1);
    assert_int_equal(cuMemcpyHtoD_v2(a.device, zero_column, sizeof zero_column), CUDA_SUCCESS);
    assert_int_equal(cusolverDnDsytrf(handle, SOLVE_LOWER, 3, at, 3, NULL, NULL, 0, info), GOOD_STATUS);
    assert_int_equal(decomposition_info(info, 0), 3);
    rig_free(&a);
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

UNIT_TESTS(UNIT(factors_with_pivots_of_one_and_two_rows_give_the_matrix_and_solve),
           UNIT(singular_matrices_and_bad_arguments_are_told))
