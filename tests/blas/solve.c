/* Triangular systems, and batches of small matrices: the solutions, put in, give the right sides. */
#include "tests/blas/rig.h"

#define LEVEL_THREE(letter)                                                                                            \
    cublasStatus_t cublas##letter##trsm_v2(cublasHandle_t, int, int, int, int, int, int, const void *, const void *,   \
                                           int, void *, int);                                                          \
    cublasStatus_t cublas##letter##trsmBatched(cublasHandle_t, int, int, int, int, int, int, const void *,             \
                                               const void *const[], int, void *const[], int, int);                     \
    cublasStatus_t cublas##letter##getrfBatched(cublasHandle_t, int, void *const[], int, int *, int *, int);           \
    cublasStatus_t cublas##letter##getrsBatched(cublasHandle_t, int, int, int, const void *const[], int, const int *,  \
                                                void *const[], int, int *, int);                                       \
    cublasStatus_t cublas##letter##getriBatched(cublasHandle_t, int, const void *const[], int, const int *,            \
                                                void *const[], int, int *, int);
LEVEL_THREE(S)
LEVEL_THREE(D)
LEVEL_THREE(C)
LEVEL_THREE(Z)

static const struct form {
    unsigned type;
    cublasStatus_t (*trsm)(cublasHandle_t, int, int, int, int, int, int, const void *, const void *, int, void *, int);
    cublasStatus_t (*trsm_batched)(cublasHandle_t, int, int, int, int, int, int, const void *, const void *const[], int,
                                   void *const[], int, int);
    cublasStatus_t (*getrf)(cublasHandle_t, int, void *const[], int, int *, int *, int);
    cublasStatus_t (*getrs)(cublasHandle_t, int, int, int, const void *const[], int, const int *, void *const[], int,
                            int *, int);
    cublasStatus_t (*getri)(cublasHandle_t, int, const void *const[], int, const int *, void *const[], int, int *, int);
} forms[] = {
#define FORM(type, letter)                                                                                             \
    {                                                                                                                  \
        type, cublas##letter##trsm_v2, cublas##letter##trsmBatched, cublas##letter##getrfBatched,                      \
            cublas##letter##getrsBatched, cublas##letter##getriBatched                                                 \
    }
    FORM(GEMM_F32, S),
    FORM(GEMM_F64, D),
    FORM(GEMM_C32, C),
    FORM(GEMM_C64, Z),
};
enum { FORMS = sizeof forms / sizeof forms[0], LEFT = 0, RIGHT = 1, LOWER = 0, UPPER = 1, MORE = 2, BATCH = 3 };

static const char *const gpu = "a100";

/* A square matrix with a diagonal of about `weight`, so that its systems are well conditioned. */
static struct rig_matrix square(unsigned type, int n, uint64_t seed, double weight)
{
    struct rig_matrix m = rig_matrix(type, (size_t)((n + MORE) * n), seed);
    double x[2];
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)(i * (n + MORE) + i);
        rig_read(m.host, type, at, x);
        x[0] += weight;
        rig_write(m.host, type, at, x);
    }
    assert_int_equal(cuMemcpyHtoD_v2(m.device, m.host, m.count * product_size(type)), CUDA_SUCCESS);
    return m;
}

/* ---- triangular systems ------------------------------------------------------------------------------------------ */

struct triangle {
    int side, half, operation, unit, m, n;
};

/* Element (i, k) of op(A), of which only one half counts. */
static void element(const struct rig_matrix *a, const struct triangle *t, int order, int i, int k, double x[2])
{
    int row = t->operation == BLAS_N ? i : k, column = t->operation == BLAS_N ? k : i;
    x[0] = row == column && t->unit ? 1 : 0;
    x[1] = 0;
    if ((row == column && t->unit) || (t->half == LOWER ? row < column : row > column))
        return;
    rig_read(a->host, a->type, (size_t)(column * (order + MORE) + row), x);
    if (t->operation == BLAS_C)
        x[1] = -x[1];
}

/* Compares op(A) X, or X op(A), with alpha times the old B. */
static void expect_sides(const struct rig_matrix *a, const struct rig_matrix *b, const void *found,
                         const struct triangle *t, double alpha)
{
    int order = t->side == LEFT ? t->m : t->n;
    for (int i = 0; i < t->m; i++)
        for (int j = 0; j < t->n; j++) {
            struct rig_sum sum = {0};
            double e[2], x[2], right[2];
            for (int k = 0; k < order; k++) {
                element(a, t, order, t->side == LEFT ? i : k, t->side == LEFT ? k : j, e);
                rig_read(found, a->type, (size_t)(t->side == LEFT ? j * (t->m + MORE) + k : k * (t->m + MORE) + i), x);
                rig_add(&sum, e, x, 0, 0);
            }
            rig_read(b->host, a->type, (size_t)(j * (t->m + MORE) + i), right);
            double allowed = 8 * (sum.size + 1) * (order + 4) * rig_precision(a->type);
            if (!(fabs(sum.re - alpha * right[0]) <= allowed) || !(fabs(sum.im - alpha * right[1]) <= allowed))
                fail_msg("type %u, side %d, half %d, operation %d, unit %d, (%d, %d): %g %g", a->type, t->side, t->half,
                         t->operation, t->unit, i, j, sum.re - alpha * right[0], sum.im - alpha * right[1]);
        }
}

static void solutions_of_triangular_systems_give_their_right_sides(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {7, 3}, {40, 5}, {3, 33}};
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned way = 0; way < 24 * 4; way++) {
            struct triangle t = {way & 1,      way >> 1 & 1,       (int)(way / 8 % 3),
                                 way >> 2 & 1, sizes[way / 24][0], sizes[way / 24][1]};
            int order = t.side == LEFT ? t.m : t.n;
            struct rig_matrix a = square(forms[f].type, order, way, 2 * order);
            struct rig_matrix b = rig_matrix(forms[f].type, (size_t)((t.m + MORE) * t.n), 7);
            char alpha[16];
            rig_write(alpha, forms[f].type, 0, (double[]){1.5, 0});
            if (t.unit) /* small elements beside a diagonal of ones */
                for (int i = 0; i < order * (order + MORE); i++) {
                    double x[2];
                    rig_read(a.host, a.type, (size_t)i, x);
                    rig_write(a.host, a.type, (size_t)i, (double[]){x[0] / order, x[1] / order});
                }
            assert_int_equal(cuMemcpyHtoD_v2(a.device, a.host, a.count * product_size(a.type)), CUDA_SUCCESS);
            GOOD(forms[f].trsm(handle, t.side, t.half, t.operation, t.unit, t.m, t.n, alpha, rig_at(&a, 0),
                               order + MORE, rig_at(&b, 0), t.m + MORE));
            void *found = rig_result(&b);
            expect_sides(&a, &b, found, &t, 1.5);
            free(found);
            rig_free(&a);
            rig_free(&b);
        }
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

struct batch {
    struct rig_matrix each[BATCH];
    CUdeviceptr list;
};

static struct batch batch_of(unsigned type, int rows, int columns, uint64_t seed)
{
    struct batch b;
    void *addresses[BATCH];
    for (int i = 0; i < BATCH; i++) {
        b.each[i] = rig_matrix(type, (size_t)((rows + MORE) * columns), seed + (uint64_t)i);
        addresses[i] = rig_at(&b.each[i], 0);
    }
    assert_int_equal(cuMemAlloc_v2(&b.list, sizeof addresses), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(b.list, addresses, sizeof addresses), CUDA_SUCCESS);
    return b;
}

static void **list(const struct batch *b) { return (void **)(uintptr_t)b->list; }

static void release(struct batch *b)
{
    for (int i = 0; i < BATCH; i++)
        rig_free(&b->each[i]);
    assert_int_equal(cuMemFree_v2(b->list), CUDA_SUCCESS);
}

/* Compares op(A) X with B, or with the identity if there is no B. */
static void expect_product(const struct rig_matrix *a, const struct rig_matrix *x, const struct rig_matrix *b, int n,
                           int columns, int operation)
{
    void *found = rig_result(x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++) {
            struct rig_sum sum = {0};
            double e[2], v[2], right[2] = {i == j ? 1 : 0, 0};
            for (int k = 0; k < n; k++) {
                int at = operation == BLAS_N ? k * (n + MORE) + i : i * (n + MORE) + k;
                rig_read(a->host, a->type, (size_t)at, e);
                rig_read(found, a->type, (size_t)(j * (n + MORE) + k), v);
                rig_add(&sum, e, v, operation == BLAS_C, 0);
            }
            if (b != NULL)
                rig_read(b->host, a->type, (size_t)(j * (n + MORE) + i), right);
            double allowed = 200 * (sum.size + 1) * n * rig_precision(a->type);
            if (!(fabs(sum.re - right[0]) <= allowed) || !(fabs(sum.im - right[1]) <= allowed))
                fail_msg("type %u, operation %d, (%d, %d): off by %g %g", a->type, operation, i, j, sum.re - right[0],
                         sum.im - right[1]);
        }
    free(found);
}

static int *numbers(CUdeviceptr *device, size_t count)
{
    assert_int_equal(cuMemAlloc_v2(device, count * sizeof(int)), CUDA_SUCCESS);
    return (int *)(uintptr_t)*device;
}

static void factored_matrices_solve_their_systems_and_have_inverses(void **state)
{
    (void)state;
    enum { RIGHT_SIDES = 4 };
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++)
        for (int operation = BLAS_N; operation <= BLAS_C; operation++) {
            int n = operation == BLAS_N ? 33 : 6, host_info = 1, info[BATCH];
            struct batch a = batch_of(forms[f].type, n, n, 5), b = batch_of(forms[f].type, n, RIGHT_SIDES, 6);
            struct batch inverse = batch_of(forms[f].type, n, n, 7);
            CUdeviceptr pivots, infos;
            int *p = numbers(&pivots, (size_t)(n * BATCH)), *i = numbers(&infos, BATCH);
            const void *const *constant = (const void *const *)list(&a);
            GOOD(forms[f].getrf(handle, n, list(&a), n + MORE, p, i, BATCH));
            assert_int_equal(cuMemcpyDtoH_v2(info, infos, sizeof info), CUDA_SUCCESS);
            GOOD(forms[f].getrs(handle, operation, n, RIGHT_SIDES, constant, n + MORE, p, list(&b), n + MORE,
                                &host_info, BATCH));
            GOOD(forms[f].getri(handle, n, constant, n + MORE, p, list(&inverse), n + MORE, i, BATCH));
            assert_int_equal(host_info, 0);
            for (int k = 0; k < BATCH; k++) {
                assert_int_equal(info[k], 0);
                expect_product(&a.each[k], &b.each[k], &b.each[k], n, RIGHT_SIDES, operation);
                expect_product(&a.each[k], &inverse.each[k], NULL, n, n, BLAS_N);
            }
            release(&a);
            release(&b);
            release(&inverse);
            assert_int_equal(cuMemFree_v2(pivots), CUDA_SUCCESS);
            assert_int_equal(cuMemFree_v2(infos), CUDA_SUCCESS);
        }
}

static void pivots_are_the_largest_and_singular_matrices_are_told(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    static const double columns[BATCH][9] = {
        {1, -4, 2, 2, 8, 9, 3, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {2, 1, 1, 2, 1, 1, 5, 6, 7}};
    struct batch a = batch_of(GEMM_F64, 3, 3, 1);
    CUdeviceptr pivots, infos;
    int *p = numbers(&pivots, 9), *i = numbers(&infos, BATCH), found[9], info[BATCH];
    for (int k = 0; k < BATCH; k++)
        for (int c = 0; c < 3; c++)
            assert_int_equal(cuMemcpyHtoD_v2(a.each[k].device + (size_t)(c * (3 + MORE)) * 8, &columns[k][3 * c], 24),
                             CUDA_SUCCESS);
    GOOD(cublasDgetrfBatched(handle, 3, list(&a), 3 + MORE, p, i, BATCH));
    assert_int_equal(cuMemcpyDtoH_v2(found, pivots, sizeof found), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH_v2(info, infos, sizeof info), CUDA_SUCCESS);
    /* The first column's largest element is -4. Below it 9 + 8 / 2 = 13 is larger than 2 + 8 / 4 = 4. */
    assert_int_equal(found[0], 2);
    assert_int_equal(found[1], 3);
    assert_int_equal(info[0], 0);
    assert_int_equal(info[1], 1);
    assert_int_equal(info[2], 2);
    release(&a);
    assert_int_equal(cuMemFree_v2(pivots), CUDA_SUCCESS);
    assert_int_equal(cuMemFree_v2(infos), CUDA_SUCCESS);
}

static void batches_of_triangles_are_solved_each_by_itself(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct triangle t = {LEFT, UPPER, BLAS_T, 1, 9, 4};
    for (size_t f = 0; f < FORMS; f++) {
        struct batch a = batch_of(forms[f].type, t.m, t.m, 3), b = batch_of(forms[f].type, t.m, t.n, 9);
        char alpha[16];
        rig_write(alpha, forms[f].type, 0, (double[]){1, 0});
        GOOD(forms[f].trsm_batched(handle, t.side, t.half, t.operation, t.unit, t.m, t.n, alpha,
                                   (const void *const *)list(&a), t.m + MORE, list(&b), t.m + MORE, BATCH));
        for (int k = 0; k < BATCH; k++) {
            void *found = rig_result(&b.each[k]);
            expect_sides(&a.each[k], &b.each[k], found, &t, 1);
            free(found);
        }
        release(&a);
        release(&b);
    }
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    float one = 1, zero = 0, nan_ = NAN, found = 1;
    struct rig_matrix a = rig_matrix(GEMM_F32, 16, 1);
    void *p = rig_at(&a, 0);
    assert_int_equal(cublasStrsm_v2(NULL, 0, 0, 0, 0, 2, 2, &one, p, 2, p, 2), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasStrsm_v2(handle, 2, 0, 0, 0, 2, 2, &one, p, 2, p, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasStrsm_v2(handle, 0, 2, 0, 0, 2, 2, &one, p, 2, p, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasStrsm_v2(handle, 0, 0, 3, 0, 2, 2, &one, p, 2, p, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasStrsm_v2(handle, 0, 0, 0, 0, -1, 2, &one, p, 2, p, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasStrsm_v2(handle, 1, 0, 0, 0, 2, 4, &one, p, 3, p, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasStrsm_v2(handle, 0, 0, 0, 0, 2, 2, NULL, p, 2, p, 2), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasStrsm_v2(handle, 0, 0, 0, 0, 0, 2, &one, NULL, 1, NULL, 1));
    /* A scalar of zero makes any number zero. */
    assert_int_equal(cuMemcpyHtoD_v2(a.device, &nan_, sizeof nan_), CUDA_SUCCESS);
    GOOD(cublasStrsm_v2(handle, 0, 0, 0, 0, 1, 1, &zero, p, 1, p, 1));
    assert_int_equal(cuMemcpyDtoH_v2(&found, a.device, sizeof found), CUDA_SUCCESS);
    assert_true(found == 0);
    assert_int_equal(cublasSgetrfBatched(handle, 2, p, 2, NULL, NULL, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSgetrfBatched(handle, 3, p, 2, NULL, p, 1), CUBLAS_STATUS_INVALID_VALUE);
    rig_free(&a);
}

UNIT_TESTS(UNIT(solutions_of_triangular_systems_give_their_right_sides),
           UNIT(factored_matrices_solve_their_systems_and_have_inverses),
           UNIT(pivots_are_the_largest_and_singular_matrices_are_told),
           UNIT(batches_of_triangles_are_solved_each_by_itself), UNIT(wrong_arguments_have_the_documented_status))
