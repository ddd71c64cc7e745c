/* Grouped products against sums in double: sizes, transposes, types, scalars, empty groups, and wrong arguments. */
#include "tests/blas/trial.h"

#define GROUPED_ARGUMENTS(number)                                                                                      \
    cublasHandle_t, const int *, const int *, const number *, const number *, const number *, const void *,            \
        const void *const *
cublasStatus_t cublasGemmGroupedBatchedEx(GROUPED_ARGUMENTS(int), int, const int *, const void *const *, int,
                                          const int *, const void *, void *const *, int, const int *, int, const int *,
                                          int);
cublasStatus_t cublasGemmGroupedBatchedEx_64(GROUPED_ARGUMENTS(int64_t), int, const int64_t *, const void *const *, int,
                                             const int64_t *, const void *, void *const *, int, const int64_t *,
                                             int64_t, const int64_t *, int);
#define NAMED(name, number)                                                                                            \
    cublasStatus_t name(GROUPED_ARGUMENTS(number), const number *, const void *const *, const number *, const void *,  \
                        void *const *, const number *, number, const number *);
NAMED(cublasSgemmGroupedBatched, int)
NAMED(cublasSgemmGroupedBatched_64, int64_t)
NAMED(cublasDgemmGroupedBatched, int)
NAMED(cublasDgemmGroupedBatched_64, int64_t)

enum { GROUPS = 6, MOST = 16, LIST = MOST };

static const char *gpu(void) { return "a100"; }

/* The groups of a call, and their matrices. Group 2 has no products, group 3 no rows, group 4 no depth. */
struct call {
    int transa[GROUPS], transb[GROUPS];
    int m[GROUPS], n[GROUPS], k[GROUPS], lda[GROUPS], ldb[GROUPS], ldc[GROUPS], size[GROUPS];
    double alpha[GROUPS], beta[GROUPS];
    int count, products;
    struct rig_matrix a[MOST], b[MOST], c[MOST];
    CUdeviceptr lists; /* the addresses: A, then B, then C */
};

static const struct group {
    int m, n, k, size;
    double alpha, beta;
} groups[GROUPS] = {{33, 17, 40, 3, 1.5, 0}, {5, 70, 9, 1, -0.5, 2}, {8, 8, 8, 0, 1, 1},
                    {0, 4, 4, 2, 1, 1},      {6, 5, 0, 2, 1, -2},    {130, 129, 20, 2, 0.25, 0.5}};

static void add_product(struct call *s, const struct form *f, int g)
{
    int at = s->products++;
    uint64_t seed = (uint64_t)at * 3;
    int across_a = s->transa[g] == BLAS_N ? s->k[g] : s->m[g], across_b = s->transb[g] == BLAS_N ? s->n[g] : s->k[g];
    s->a[at] = rig_matrix(f->a, (size_t)(s->lda[g] * across_a), seed + 1);
    s->b[at] = rig_matrix(f->b, (size_t)(s->ldb[g] * across_b), seed + 2);
    s->c[at] = rig_matrix(f->c, (size_t)(s->ldc[g] * s->n[g]), seed + 3);
    CUdeviceptr address[3] = {s->a[at].device, s->b[at].device, s->c[at].device};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cuMemcpyHtoD_v2(s->lists + (i * LIST + (unsigned)at) * 8, &address[i], 8), CUDA_SUCCESS);
}

static struct call call_of(const struct form *f, int turn)
{
    struct call s = {.count = GROUPS};
    assert_int_equal(cuMemAlloc_v2(&s.lists, 3 * LIST * 8), CUDA_SUCCESS);
    for (int g = 0; g < GROUPS; g++) {
        s.transa[g] = (g + turn) % 3;
        s.transb[g] = (g + turn) / 3 % 3;
        s.m[g] = groups[g].m, s.n[g] = groups[g].n, s.k[g] = groups[g].k, s.size[g] = groups[g].size;
        s.lda[g] = (int)rows_of(s.transa[g], s.m[g], s.k[g]) + 1 + g;
        s.ldb[g] = (int)rows_of(s.transb[g], s.k[g], s.n[g]) + 1;
        s.ldc[g] = s.m[g] + 1 + g % 2;
        s.alpha[g] = groups[g].alpha;
        s.beta[g] = groups[g].beta;
        for (int i = 0; i < s.size[g]; i++)
            add_product(&s, f, g);
    }
    return s;
}

static const void *const *list(const struct call *s, unsigned which)
{
    return (const void *const *)(uintptr_t)(s->lists + (CUdeviceptr)which * LIST * 8);
}

static void free_call(struct call *s)
{
    for (int i = 0; i < s->products; i++) {
        rig_free(&s->a[i]);
        rig_free(&s->b[i]);
        rig_free(&s->c[i]);
    }
    assert_int_equal(cuMemFree_v2(s->lists), CUDA_SUCCESS);
}

static void check_product(const struct call *s, const struct form *f, int g, int at)
{
    void *found = rig_result(&s->c[at]);
    struct scalars scalars = {.alpha = {s->alpha[g], 0}, .beta = {s->beta[g], 0}};
    for (int j = 0; j < s->n[g]; j++)
        for (int i = 0; i < s->ldc[g]; i++) {
            double x[2], old[2];
            size_t place = (size_t)(j * s->ldc[g] + i);
            rig_read(found, f->c, place, x);
            rig_read(s->c[at].host, f->c, place, old);
            if (i >= s->m[g]) {
                assert_true(x[0] == old[0]); /* between columns nothing is written */
                continue;
            }
            struct rig_sum sum = rig_product(&s->a[at], 0, s->lda[g], s->transa[g], &s->b[at], 0, s->ldb[g],
                                             s->transb[g], (size_t)i, (size_t)j, (size_t)s->k[g]);
            expect(f, &scalars, &sum, old, (size_t)s->k[g], x);
        }
    free(found);
}

static void check_call(struct call *s, const struct form *f)
{
    int at = 0;
    for (int g = 0; g < s->count; g++)
        for (int i = 0; i < s->size[g]; i++)
            check_product(s, f, g, at++);
    assert_int_equal(at, s->products);
    free_call(s);
}

/* Scalars as the type of the sum has them, and numbers of 64 bits. */
static void convert(const struct call *s, bool wide, char alpha[GROUPS * 8], char beta[GROUPS * 8],
                    int64_t numbers[7][GROUPS])
{
    const int *from[7] = {s->m, s->n, s->k, s->lda, s->ldb, s->ldc, s->size};
    for (size_t g = 0; g < GROUPS; g++) {
        rig_write(alpha, wide ? GEMM_F64 : GEMM_F32, g, (double[2]){s->alpha[g], 0});
        rig_write(beta, wide ? GEMM_F64 : GEMM_F32, g, (double[2]){s->beta[g], 0});
        for (int i = 0; i < 7; i++)
            numbers[i][g] = from[i][g];
    }
}

static cublasStatus_t run(cublasHandle_t handle, const struct call *s, const struct form *f, bool wide)
{
    _Alignas(8) char alpha[GROUPS * 8], beta[GROUPS * 8];
    int64_t n[7][GROUPS];
    convert(s, f->sum == GEMM_F64, alpha, beta, n);
    void *const *c = (void *const *)(uintptr_t)list(s, 2);
    if (wide)
        return cublasGemmGroupedBatchedEx_64(handle, s->transa, s->transb, n[0], n[1], n[2], alpha, list(s, 0),
                                             (int)f->a, n[3], list(s, 1), (int)f->b, n[4], beta, c, (int)f->c, n[5],
                                             s->count, n[6], (int)f->compute);
    return cublasGemmGroupedBatchedEx(handle, s->transa, s->transb, s->m, s->n, s->k, alpha, list(s, 0), (int)f->a,
                                      s->lda, list(s, 1), (int)f->b, s->ldb, beta, c, (int)f->c, s->ldc, s->count,
                                      s->size, (int)f->compute);
}

static const struct form listed[] = {
    {"f32", GEMM_F32, GEMM_F32, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
    {"f32 pedantic", GEMM_F32, GEMM_F32, GEMM_F32, BLAS_COMPUTE_32F_PEDANTIC, GEMM_F32},
    {"tf32", GEMM_F32, GEMM_F32, GEMM_F32, BLAS_COMPUTE_32F_FAST_TF32, GEMM_F32},
    {"f16", GEMM_F16, GEMM_F16, GEMM_F16, BLAS_COMPUTE_32F, GEMM_F32},
    {"bf16", GEMM_BF16, GEMM_BF16, GEMM_BF16, BLAS_COMPUTE_32F, GEMM_F32},
    {"f64", GEMM_F64, GEMM_F64, GEMM_F64, BLAS_COMPUTE_64F, GEMM_F64},
    {"f64 pedantic", GEMM_F64, GEMM_F64, GEMM_F64, BLAS_COMPUTE_64F_PEDANTIC, GEMM_F64},
};

static void groups_of_every_type_and_transpose_agree_with_sums_in_double(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu());
    for (size_t f = 0; f < sizeof listed / sizeof listed[0]; f++)
        for (int turn = 0; turn < 9; turn++) {
            struct call s = call_of(&listed[f], turn);
            GOOD(run(handle, &s, &listed[f], turn % 2 != 0));
            check_call(&s, &listed[f]);
        }
}

static void groups_by_name_agree_with_sums_in_double(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu());
    for (int which = 0; which < 4; which++) {
        const struct form *f = &listed[which < 2 ? 0 : 5];
        struct call s = call_of(f, which);
        _Alignas(8) char alpha[GROUPS * 8], beta[GROUPS * 8];
        int64_t n[7][GROUPS];
        convert(&s, which >= 2, alpha, beta, n);
        void *const *c = (void *const *)(uintptr_t)list(&s, 2);
        if (which % 2 != 0)
            GOOD((which < 2 ? cublasSgemmGroupedBatched_64 : cublasDgemmGroupedBatched_64)(
                handle, s.transa, s.transb, n[0], n[1], n[2], alpha, list(&s, 0), n[3], list(&s, 1), n[4], beta, c,
                n[5], s.count, n[6]));
        else
            GOOD((which < 2 ? cublasSgemmGroupedBatched
                            : cublasDgemmGroupedBatched)(handle, s.transa, s.transb, s.m, s.n, s.k, alpha, list(&s, 0),
                                                         s.lda, list(&s, 1), s.ldb, beta, c, s.ldc, s.count, s.size));
        check_call(&s, f);
    }
}

static void a_call_without_groups_does_nothing(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu());
    GOOD(cublasSgemmGroupedBatched(handle, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                   0, NULL));
}

/* Changes one number of a good call, and expects that no group has run. */
static void refused(int *number, int bad, struct call *s, cublasStatus_t status)
{
    cublasHandle_t handle = rig_handle(gpu());
    int good = *number;
    *number = bad;
    assert_int_equal(run(handle, s, &listed[0], false), status);
    *number = good;
    void *found = rig_result(&s->c[0]);
    assert_memory_equal(found, s->c[0].host, s->c[0].count * sizeof(float));
    free(found);
}

static void wrong_numbers_in_the_last_group_keep_all_from_running(void **state)
{
    (void)state;
    rig_handle(gpu());
    struct call s = call_of(&listed[0], 0);
    int last = GROUPS - 1;
    refused(&s.m[last], -1, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.n[last], -1, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.k[last], -1, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.size[last], -1, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.lda[last], 1, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.ldb[last], 0, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.ldc[last], s.m[last] - 1, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.transa[last], 3, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.transb[last], -1, &s, CUBLAS_STATUS_INVALID_VALUE);
    refused(&s.count, -1, &s, CUBLAS_STATUS_INVALID_VALUE);
    free_call(&s);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu());
    struct call s = call_of(&listed[0], 0);
    struct form other = listed[0];
    assert_int_equal(run(NULL, &s, &other, false), CUBLAS_STATUS_NOT_INITIALIZED);
    other.c = GEMM_F16;
    assert_int_equal(run(handle, &s, &other, false), CUBLAS_STATUS_NOT_SUPPORTED);
    other.c = GEMM_F32, other.compute = BLAS_COMPUTE_64F;
    assert_int_equal(run(handle, &s, &other, false), CUBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(cublasSgemmGroupedBatched(handle, s.transa, s.transb, s.m, s.n, s.k, NULL, list(&s, 0), s.lda,
                                               list(&s, 1), s.ldb, s.alpha, (void *const *)(uintptr_t)list(&s, 2),
                                               s.ldc, s.count, s.size),
                     CUBLAS_STATUS_INVALID_VALUE);
    float ones[GROUPS] = {1, 1, 1, 1, 1, 1};
    assert_int_equal(cublasSgemmGroupedBatched(handle, s.transa, s.transb, s.m, s.n, s.k, ones, NULL, s.lda,
                                               list(&s, 1), s.ldb, ones, (void *const *)(uintptr_t)list(&s, 2), s.ldc,
                                               s.count, s.size),
                     CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasSetPointerMode_v2(handle, BLAS_DEVICE));
    assert_int_equal(run(handle, &s, &listed[0], false), CUBLAS_STATUS_NOT_SUPPORTED);
    GOOD(cublasSetPointerMode_v2(handle, BLAS_HOST));
    free_call(&s);
}

UNIT_TESTS(UNIT(groups_of_every_type_and_transpose_agree_with_sums_in_double),
           UNIT(groups_by_name_agree_with_sums_in_double), UNIT(a_call_without_groups_does_nothing),
           UNIT(wrong_numbers_in_the_last_group_keep_all_from_running),
           UNIT(wrong_arguments_have_the_documented_status))
