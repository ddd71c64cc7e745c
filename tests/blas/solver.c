/* cuSOLVER's factors: their product is the matrix, and systems that are solved with them give their right sides. */
#include "blas/solver.h"
#include "blas/solve.h"
#include "tests/blas/rig.h"

#define DENSE(letter)                                                                                                  \
    cusolverStatus_t cusolverDn##letter##getrf(struct blas *, int, int, void *, int, void *, int *, int *);            \
    cusolverStatus_t cusolverDn##letter##getrs(struct blas *, int, int, int, const void *, int, const int *, void *,   \
                                               int, int *);                                                            \
    cusolverStatus_t cusolverDn##letter##potrf(struct blas *, int, int, void *, int, void *, int, int *);              \
    cusolverStatus_t cusolverDn##letter##potrs(struct blas *, int, int, int, const void *, int, void *, int, int *);
DENSE(S)
DENSE(D)
DENSE(C)
DENSE(Z)
cusolverStatus_t cusolverDnCreate(struct blas **handle);
cusolverStatus_t cusolverDnDestroy(struct blas *handle);
cusolverStatus_t cusolverDnDgetrf_bufferSize(struct blas *handle, int m, int n, void *A, int lda, int *elements);
cusolverStatus_t cusolverDnXpotrf(struct blas *, void *, int, int64_t, int, void *, int64_t, int, void *, size_t,
                                  void *, size_t, int *);
cusolverStatus_t cusolverDnDpotri(void);

static const struct form {
    unsigned type;
    cusolverStatus_t (*getrf)(struct blas *, int, int, void *, int, void *, int *, int *);
    cusolverStatus_t (*getrs)(struct blas *, int, int, int, const void *, int, const int *, void *, int, int *);
    cusolverStatus_t (*potrf)(struct blas *, int, int, void *, int, void *, int, int *);
    cusolverStatus_t (*potrs)(struct blas *, int, int, int, const void *, int, void *, int, int *);
} forms[] = {
#define FORM(type, letter)                                                                                             \
    {                                                                                                                  \
        type, cusolverDn##letter##getrf, cusolverDn##letter##getrs, cusolverDn##letter##potrf,                         \
            cusolverDn##letter##potrs                                                                                  \
    }
    FORM(GEMM_F32, S),
    FORM(GEMM_F64, D),
    FORM(GEMM_C32, C),
    FORM(GEMM_C64, Z),
};
enum { FORMS = sizeof forms / sizeof forms[0], MORE = 2, MOST = 40 };

/* The handle, and device memory for pivots and a number that tells of failures. */
struct bench {
    struct blas *handle;
    CUdeviceptr pivots, info;
};

static struct bench begin(void)
{
    struct bench b;
    setenv("SUBCORE_GPU", "a100", 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
    assert_int_equal(cusolverDnCreate(&b.handle), CUSOLVER_STATUS_SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&b.pivots, MOST * sizeof(int)), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&b.info, sizeof(int)), CUDA_SUCCESS);
    return b;
}

static int *numbers(CUdeviceptr device) { return (int *)(uintptr_t)device; }

static int info_of(const struct bench *b)
{
    int info = -1;
    assert_int_equal(cuMemcpyDtoH_v2(&info, b->info, sizeof info), CUDA_SUCCESS);
    return info;
}

static void end(struct bench *b)
{
    assert_int_equal(cuMemFree_v2(b->pivots), CUDA_SUCCESS);
    assert_int_equal(cuMemFree_v2(b->info), CUDA_SUCCESS);
    assert_int_equal(cusolverDnDestroy(b->handle), CUSOLVER_STATUS_SUCCESS);
}

static void expect(const struct rig_sum *sum, const double right[2], unsigned type, int n, const char *what)
{
    double allowed = 100 * (sum->size + 1) * n * rig_precision(type);
    if (!(fabs(sum->re - right[0]) <= allowed) || !(fabs(sum->im - right[1]) <= allowed))
        fail_msg("%s of type %u: off by %g %g", what, type, sum->re - right[0], sum->im - right[1]);
}

/* ---- LU ---------------------------------------------------------------------------------------------------------- */

/* Compares L U with A's rows in the order of the pivots. */
static void expect_factors(const struct rig_matrix *a, const void *factors, const int *pivots, int m, int n)
{
    int order[MOST], steps = m < n ? m : n;
    for (int i = 0; i < m; i++)
        order[i] = i;
    for (int k = 0; k < steps; k++) {
        assert_in_range(pivots[k], k + 1, m);
        int row = order[k];
        order[k] = order[pivots[k] - 1];
        order[pivots[k] - 1] = row;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            struct rig_sum sum = {0};
            double l[2], u[2], right[2], unit[2] = {1, 0};
            for (int k = 0; k < steps && k <= i && k <= j; k++) {
                rig_read(factors, a->type, (size_t)(k * (m + MORE) + i), l);
                rig_read(factors, a->type, (size_t)(j * (m + MORE) + k), u);
                rig_add(&sum, k == i ? unit : l, u, 0, 0);
            }
            rig_read(a->host, a->type, (size_t)(j * (m + MORE) + order[i]), right);
            expect(&sum, right, a->type, steps, "L U");
        }
}

static void factors_of_any_shape_multiply_to_the_matrix(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1}, {33, 33}, {9, 4}, {4, 9}, {40, 7}};
    struct bench b = begin();
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            int m = shapes[s][0], n = shapes[s][1], pivots[MOST];
            struct rig_matrix a = rig_matrix(forms[f].type, (size_t)((m + MORE) * n), s + 1);
            assert_int_equal(
                forms[f].getrf(b.handle, m, n, rig_at(&a, 0), m + MORE, NULL, numbers(b.pivots), numbers(b.info)),
                CUSOLVER_STATUS_SUCCESS);
            void *factors = rig_result(&a);
            assert_int_equal(cuMemcpyDtoH_v2(pivots, b.pivots, sizeof pivots), CUDA_SUCCESS);
            assert_int_equal(info_of(&b), 0);
            expect_factors(&a, factors, pivots, m, n);
            free(factors);
            rig_free(&a);
        }
    end(&b);
}

/* ---- systems ----------------------------------------------------------------------------------------------------- */

/* Compares A X with B, where element (i, k) of A counts from the half that is given if it is Hermitian. */
static void expect_sides(const struct rig_matrix *a, const struct rig_matrix *b, const void *x, int n, int columns,
                         int triangle)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++) {
            struct rig_sum sum = {0};
            double e[2], v[2], right[2];
            for (int k = 0; k < n; k++) {
                bool mirrored = triangle == SOLVE_LOWER ? i < k : triangle == SOLVE_UPPER && i > k;
                rig_read(a->host, a->type, (size_t)(mirrored ? i * (n + MORE) + k : k * (n + MORE) + i), e);
                if (i == k && triangle >= 0)
                    e[1] = 0;
                rig_read(x, a->type, (size_t)(j * (n + MORE) + k), v);
                rig_add(&sum, e, v, mirrored, 0);
            }
            rig_read(b->host, a->type, (size_t)(j * (n + MORE) + i), right);
            expect(&sum, right, a->type, n, "A X");
        }
}

static struct rig_matrix heavy(unsigned type, int n)
{
    struct rig_matrix a = rig_matrix(type, (size_t)((n + MORE) * n), 3);
    for (int i = 0; i < n; i++)
        rig_write(a.host, type, (size_t)(i * (n + MORE) + i), (double[]){2 * n, 0});
    assert_int_equal(cuMemcpyHtoD_v2(a.device, a.host, a.count * product_size(type)), CUDA_SUCCESS);
    return a;
}

static void systems_that_are_solved_with_factors_give_their_right_sides(void **state)
{
    (void)state;
    enum { N = 21, COLUMNS = 3, LU = -1, GOOD_STATUS = CUSOLVER_STATUS_SUCCESS };
    struct bench b = begin();
    for (size_t f = 0; f < FORMS; f++)
        for (int way = LU; way <= SOLVE_UPPER; way++) {
            struct rig_matrix a = heavy(forms[f].type, N);
            struct rig_matrix sides = rig_matrix(forms[f].type, (N + MORE) * COLUMNS, 4);
            void *at = rig_at(&a, 0), *x = rig_at(&sides, 0);
            int *pivots = numbers(b.pivots), *info = numbers(b.info);
            assert_int_equal(way == LU ? forms[f].getrf(b.handle, N, N, at, N + MORE, NULL, pivots, info)
                                       : forms[f].potrf(b.handle, way, N, at, N + MORE, NULL, 0, info),
                             GOOD_STATUS);
            assert_int_equal(info_of(&b), 0);
            assert_int_equal(cuMemsetD32_v2(b.info, 9, 1), CUDA_SUCCESS);
            assert_int_equal(way == LU
                                 ? forms[f].getrs(b.handle, BLAS_N, N, COLUMNS, at, N + MORE, pivots, x, N + MORE, info)
                                 : forms[f].potrs(b.handle, way, N, COLUMNS, at, N + MORE, x, N + MORE, info),
                             GOOD_STATUS);
            assert_int_equal(info_of(&b), 0);
            void *found = rig_result(&sides);
            expect_sides(&a, &sides, found, N, COLUMNS, way);
            free(found);
            rig_free(&a);
            rig_free(&sides);
        }
    end(&b);
}

static void matrices_without_factors_are_told_by_their_first_bad_step(void **state)
{
    (void)state;
    static const double indefinite[] = {4, 2, 2, 2, 5, 1, 2, 1, -3}, singular[] = {1, 2, 3, 2, 4, 6, 1, 1, 1};
    struct bench b = begin();
    struct rig_matrix a = rig_matrix(GEMM_F64, 9, 1);
    int *pivots = numbers(b.pivots), *info = numbers(b.info), elements = 0;
    assert_int_equal(cuMemcpyHtoD_v2(a.device, indefinite, sizeof indefinite), CUDA_SUCCESS);
    assert_int_equal(
        cusolverDnXpotrf(b.handle, NULL, SOLVE_UPPER, 3, GEMM_F64, rig_at(&a, 0), 3, GEMM_F64, NULL, 0, NULL, 0, info),
        CUSOLVER_STATUS_SUCCESS);
    assert_int_equal(info_of(&b), 3);
    assert_int_equal(cuMemcpyHtoD_v2(a.device, singular, sizeof singular), CUDA_SUCCESS);
    assert_int_equal(cusolverDnDgetrf(b.handle, 3, 3, rig_at(&a, 0), 3, NULL, NULL, info), CUSOLVER_STATUS_SUCCESS);
    assert_int_equal(info_of(&b), 2);
    assert_int_equal(cusolverDnDgetrf(NULL, 3, 3, rig_at(&a, 0), 3, NULL, pivots, info),
                     CUSOLVER_STATUS_NOT_INITIALIZED);
    assert_int_equal(cusolverDnDgetrf(b.handle, 3, 3, rig_at(&a, 0), 2, NULL, pivots, info),
                     CUSOLVER_STATUS_INVALID_VALUE);
    assert_int_equal(cusolverDnDgetrf(b.handle, 3, 3, NULL, 3, NULL, pivots, info), CUSOLVER_STATUS_INVALID_VALUE);
    assert_int_equal(cusolverDnDpotrf(b.handle, 2, 3, rig_at(&a, 0), 3, NULL, 0, info), CUSOLVER_STATUS_INVALID_VALUE);
    assert_int_equal(
        cusolverDnXpotrf(b.handle, NULL, 0, 3, GEMM_F16, rig_at(&a, 0), 3, GEMM_F16, NULL, 0, NULL, 0, info),
        CUSOLVER_STATUS_NOT_SUPPORTED);
    assert_int_equal(cusolverDnDgetrf_bufferSize(b.handle, 3, 3, rig_at(&a, 0), 3, &elements), CUSOLVER_STATUS_SUCCESS);
    assert_int_equal(elements, 1);
    assert_int_equal(cusolverDnDpotri(), CUSOLVER_STATUS_NOT_SUPPORTED);
    rig_free(&a);
    end(&b);
}

UNIT_TESTS(UNIT(factors_of_any_shape_multiply_to_the_matrix),
           UNIT(systems_that_are_solved_with_factors_give_their_right_sides),
           UNIT(matrices_without_factors_are_told_by_their_first_bad_step))
