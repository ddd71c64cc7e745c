/* Conversions of packed triangles, which are exact, and inverses of small matrices against the identity in double. */
#include "tests/blas/rig.h"

typedef cublasStatus_t unpack_of(cublasHandle_t, int, int, const void *, void *, int);
typedef cublasStatus_t pack_of(cublasHandle_t, int, int, const void *, int, void *);
typedef cublasStatus_t invert_of(cublasHandle_t, int, const void *const[], int, void *const[], int, int *, int);
unpack_of cublasStpttr, cublasDtpttr, cublasCtpttr, cublasZtpttr;
pack_of cublasStrttp, cublasDtrttp, cublasCtrttp, cublasZtrttp;
invert_of cublasSmatinvBatched, cublasDmatinvBatched, cublasCmatinvBatched, cublasZmatinvBatched;

static const struct form {
    unsigned type;
    unpack_of *unpack;
    pack_of *pack;
    invert_of *invert;
} forms[] = {
    {GEMM_F32, cublasStpttr, cublasStrttp, cublasSmatinvBatched},
    {GEMM_F64, cublasDtpttr, cublasDtrttp, cublasDmatinvBatched},
    {GEMM_C32, cublasCtpttr, cublasCtrttp, cublasCmatinvBatched},
    {GEMM_C64, cublasZtpttr, cublasZtrttp, cublasZmatinvBatched},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const gpu = "rtx-a6000";
enum { LOWER = 0, UPPER = 1 };

/* ---- packed triangles -------------------------------------------------------------------------------------------- */

/* Calls pack or unpack, and walks through the columns of the triangle in the order of the packed elements. */
static void try_packed(const struct form *f, int uplo, int n, int more, bool unpack)
{
    cublasHandle_t handle = rig_handle(gpu);
    int ld = n + more, next = 0;
    size_t size = product_size(f->type);
    struct rig_matrix packed = rig_matrix(f->type, (size_t)(n * (n + 1) / 2 + 1), 1);
    struct rig_matrix matrix = rig_matrix(f->type, (size_t)(n * ld), 2);
    if (unpack)
        GOOD(f->unpack(handle, uplo, n, rig_at(&packed, 0), rig_at(&matrix, 0), ld));
    else
        GOOD(f->pack(handle, uplo, n, rig_at(&matrix, 0), ld, rig_at(&packed, 0)));
    char *right = unpack ? matrix.host : packed.host;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (uplo == LOWER ? i >= j : i <= j) {
                size_t one = (size_t)(j * ld + i) * size, other = (size_t)next++ * size;
                if (unpack)
                    memcpy(right + one, (char *)packed.host + other, size);
                else
                    memcpy(right + other, (char *)matrix.host + one, size);
            }
    assert_int_equal(next, n * (n + 1) / 2);
    const struct rig_matrix *result = unpack ? &matrix : &packed;
    void *found = rig_result(result);
    assert_memory_equal(found, right, result->count * size); /* all else is left as it was */
    free(found);
    rig_free(&packed);
    rig_free(&matrix);
}

static void triangles_are_packed_and_unpacked_column_by_column(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 7, 33, 300};
    for (size_t f = 0; f < FORMS; f++)
        for (int s = 0; s < (f == 0 ? 5 : 4); s++)
            for (int uplo = LOWER; uplo <= UPPER; uplo++)
                for (int unpack = 0; unpack < 2; unpack++)
                    try_packed(&forms[f], uplo, sizes[s], s % 3, unpack);
}

static void wrong_triangles_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix all = rig_matrix(GEMM_F32, 64, 1);
    void *a = rig_at(&all, 0), *p = rig_at(&all, 32);
    const int invalid = CUBLAS_STATUS_INVALID_VALUE;
    assert_int_equal(cublasStpttr(NULL, LOWER, 3, p, a, 3), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasStrttp(NULL, LOWER, 3, a, 3, p), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasStpttr(handle, 2, 3, p, a, 3), invalid);
    assert_int_equal(cublasStrttp(handle, -1, 3, a, 3, p), invalid);
    assert_int_equal(cublasStpttr(handle, LOWER, -1, p, a, 3), invalid);
    assert_int_equal(cublasStrttp(handle, LOWER, 3, a, 2, p), invalid);
    assert_int_equal(cublasStpttr(handle, UPPER, 3, NULL, a, 3), invalid);
    assert_int_equal(cublasStrttp(handle, UPPER, 3, a, 3, NULL), invalid);
    assert_int_equal(cublasStrttp(handle, UPPER, 0, a, 0, p), invalid);
    GOOD(cublasStpttr(handle, UPPER, 0, NULL, NULL, 1));
    GOOD(cublasStrttp(handle, UPPER, 0, NULL, 1, NULL));
    void *found = rig_result(&all);
    assert_memory_equal(found, all.host, 64 * 4);
    free(found);
    rig_free(&all);
}

/* ---- inverses ---------------------------------------------------------------------------------------------------- */

enum { BATCH = 5 };

/* Matrices and their inverses, with lists of addresses and room for `info` on the device. */
struct batch {
    struct rig_matrix a, b;
    CUdeviceptr lists, info;
    int n, lda, ldb;
};

static struct batch batch_of(unsigned type, int n, int more)
{
    struct batch t = {.n = n, .lda = n + more, .ldb = n + 2 * more};
    void *lists[2 * BATCH];
    rig_handle(gpu);
    t.a = rig_matrix(type, (size_t)(t.lda * n * BATCH), 5);
    t.b = rig_matrix(type, (size_t)(t.ldb * n * BATCH), 6);
    for (int z = 0; z < BATCH; z++) {
        lists[z] = rig_at(&t.a, (size_t)(z * t.lda * n));
        lists[BATCH + z] = rig_at(&t.b, (size_t)(z * t.ldb * n));
    }
    assert_int_equal(cuMemAlloc_v2(&t.lists, sizeof lists), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(t.lists, lists, sizeof lists), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&t.info, BATCH * sizeof(int)), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD8_v2(t.info, 0xff, BATCH * sizeof(int)), CUDA_SUCCESS);
    return t;
}

static void upload(const struct rig_matrix *m)
{
    assert_int_equal(cuMemcpyHtoD_v2(m->device, m->host, m->count * product_size(m->type)), CUDA_SUCCESS);
}

static void invert(const struct form *f, const struct batch *t, int info[BATCH])
{
    const void *const *given = (const void *const *)(uintptr_t)t->lists;
    void *const *result = (void *const *)(uintptr_t)t->lists + BATCH;
    GOOD(f->invert(rig_handle(gpu), t->n, given, t->lda, result, t->ldb, (int *)(uintptr_t)t->info, BATCH));
    assert_int_equal(cuMemcpyDtoH_v2(info, t->info, BATCH * sizeof info[0]), CUDA_SUCCESS);
}

static void release(struct batch *t)
{
    assert_int_equal(cuMemFree_v2(t->lists), CUDA_SUCCESS);
    assert_int_equal(cuMemFree_v2(t->info), CUDA_SUCCESS);
    rig_free(&t->a);
    rig_free(&t->b);
}

/* Enlarges one element of each row, in the column (row + shift) mod n, so that the matrix is well conditioned. */
static void strengthen(struct batch *t, int shift)
{
    for (int z = 0; z < BATCH; z++)
        for (int i = 0; i < t->n; i++) {
            double x[2];
            size_t at = (size_t)(z * t->lda * t->n + (i + shift) % t->n * t->lda + i);
            rig_read(t->a.host, t->a.type, at, x);
            x[0] += x[0] < 0 ? -t->n : t->n;
            rig_write(t->a.host, t->a.type, at, x);
        }
    upload(&t->a);
}

/* Compares A times its inverse with the identity, and elements beside the result with those before the call. */
static void check_inverse(const struct batch *t, const void *found, int z)
{
    unsigned type = t->a.type;
    for (int j = 0; j < t->n; j++) {
        for (int i = 0; i < t->n; i++) {
            struct rig_sum sum = {0};
            for (int l = 0; l < t->n; l++) {
                double x[2], y[2];
                rig_read(t->a.host, type, (size_t)(z * t->lda * t->n + l * t->lda + i), x);
                rig_read(found, type, (size_t)(z * t->ldb * t->n + j * t->ldb + l), y);
                rig_add(&sum, x, y, 0, 0);
            }
            double allowed = (sum.size + 1) * 8 * (t->n + 4) * rig_precision(type);
            assert_true(fabs(sum.re - (i == j)) <= allowed && fabs(sum.im) <= allowed);
        }
        size_t size = product_size(type), at = (size_t)(z * t->ldb * t->n + j * t->ldb + t->n) * size;
        assert_memory_equal((const char *)found + at, (char *)t->b.host + at, (size_t)(t->ldb - t->n) * size);
    }
}

static void a_matrix_times_its_inverse_is_the_identity(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 17, 31, 32};
    for (size_t f = 0; f < FORMS; f++)
        for (int s = 0; s < 6; s++) {
            struct batch t = batch_of(forms[f].type, sizes[s], s % 2);
            int info[BATCH];
            strengthen(&t, s); /* large elements away from the diagonal need exchanges of rows */
            invert(&forms[f], &t, info);
            void *found = rig_result(&t.b), *given = rig_result(&t.a);
            assert_memory_equal(given, t.a.host, t.a.count * product_size(t.a.type)); /* A stays */
            for (int z = 0; z < BATCH; z++) {
                assert_int_equal(info[z], 0);
                check_inverse(&t, found, z);
            }
            free(found), free(given);
            release(&t);
        }
}

static void a_singular_matrix_is_reported_with_its_pivot(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct batch t = batch_of(forms[f].type, 4, 0);
        int info[BATCH];
        strengthen(&t, 0);
        for (int i = 0; i < 4; i++) /* the third column of the second matrix is zero */
            rig_write(t.a.host, t.a.type, (size_t)(16 + 8 + i), (double[]){0, 0});
        for (int i = 0; i < 16; i++) /* all of the fourth matrix */
            rig_write(t.a.host, t.a.type, (size_t)(48 + i), (double[]){0, 0});
        upload(&t.a);
        invert(&forms[f], &t, info);
        void *found = rig_result(&t.b);
        assert_true(info[0] == 0 && info[1] == 3 && info[2] == 0 && info[3] == 1 && info[4] == 0);
        check_inverse(&t, found, 0);
        check_inverse(&t, found, 4);
        free(found);
        release(&t);
    }
}

static void wrong_inverses_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct batch t = batch_of(GEMM_F32, 2, 0);
    const void *const *a = (const void *const *)(uintptr_t)t.lists;
    void *const *b = (void *const *)(uintptr_t)t.lists + BATCH;
    int *info = (int *)(uintptr_t)t.info;
    const int invalid = CUBLAS_STATUS_INVALID_VALUE;
    assert_int_equal(cublasSmatinvBatched(NULL, 2, a, 2, b, 2, info, 1), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasSmatinvBatched(handle, -1, a, 2, b, 2, info, 1), invalid);
    assert_int_equal(cublasSmatinvBatched(handle, 33, a, 33, b, 33, info, 1), invalid);
    assert_int_equal(cublasSmatinvBatched(handle, 2, a, 1, b, 2, info, 1), invalid);
    assert_int_equal(cublasSmatinvBatched(handle, 2, a, 2, b, 1, info, 1), invalid);
    assert_int_equal(cublasSmatinvBatched(handle, 2, a, 2, b, 2, info, -1), invalid);
    assert_int_equal(cublasSmatinvBatched(handle, 2, NULL, 2, b, 2, info, 1), invalid);
    assert_int_equal(cublasSmatinvBatched(handle, 2, a, 2, NULL, 2, info, 1), invalid);
    assert_int_equal(cublasSmatinvBatched(handle, 2, a, 2, b, 2, NULL, 1), invalid);
    GOOD(cublasSmatinvBatched(handle, 0, NULL, 1, NULL, 1, NULL, 1));
    GOOD(cublasSmatinvBatched(handle, 2, NULL, 2, NULL, 2, NULL, 0));
    release(&t);
}

UNIT_TESTS(UNIT(triangles_are_packed_and_unpacked_column_by_column), UNIT(wrong_triangles_have_the_documented_status),
           UNIT(a_matrix_times_its_inverse_is_the_identity), UNIT(a_singular_matrix_is_reported_with_its_pivot),
           UNIT(wrong_inverses_have_the_documented_status))
