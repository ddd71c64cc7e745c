/* Batches of products with vectors against sums in double: types, transposes, lists and distances, increments. */
#include "tests/blas/rig.h"

typedef cublasStatus_t list_32(cublasHandle_t, int, int, int, const void *, const void *const[], int,
                               const void *const[], int, const void *, void *const[], int, int);
typedef cublasStatus_t list_64(cublasHandle_t, int, int64_t, int64_t, const void *, const void *const[], int64_t,
                               const void *const[], int64_t, const void *, void *const[], int64_t, int64_t);
typedef cublasStatus_t strided_32(cublasHandle_t, int, int, int, const void *, const void *, int, long long,
                                  const void *, int, long long, const void *, void *, int, long long, int);
typedef cublasStatus_t strided_64(cublasHandle_t, int, int64_t, int64_t, const void *, const void *, int64_t, long long,
                                  const void *, int64_t, long long, const void *, void *, int64_t, long long, int64_t);
#define DECLARE(letters)                                                                                               \
    list_32 cublas##letters##gemvBatched;                                                                              \
    list_64 cublas##letters##gemvBatched_64;                                                                           \
    strided_32 cublas##letters##gemvStridedBatched;                                                                    \
    strided_64 cublas##letters##gemvStridedBatched_64;
DECLARE(S)
DECLARE(D)
DECLARE(C)
DECLARE(Z)
DECLARE(HSH)
DECLARE(HSS)
DECLARE(TST)
DECLARE(TSS)

/* Types: `in` is that of A and x, `out` that of y. */
static const struct form {
    unsigned in, out, sum;
    list_32 *list;
    list_64 *list_wide;
    strided_32 *strided;
    strided_64 *strided_wide;
} forms[] = {
#define FORM(letters, in, out, sum)                                                                                    \
    {                                                                                                                  \
        in, out, sum, cublas##letters##gemvBatched, cublas##letters##gemvBatched_64,                                   \
            cublas##letters##gemvStridedBatched, cublas##letters##gemvStridedBatched_64                                \
    }
    FORM(S, GEMM_F32, GEMM_F32, GEMM_F32),     FORM(D, GEMM_F64, GEMM_F64, GEMM_F64),
    FORM(C, GEMM_C32, GEMM_C32, GEMM_C32),     FORM(Z, GEMM_C64, GEMM_C64, GEMM_C64),
    FORM(HSH, GEMM_F16, GEMM_F16, GEMM_F32),   FORM(HSS, GEMM_F16, GEMM_F32, GEMM_F32),
    FORM(TST, GEMM_BF16, GEMM_BF16, GEMM_F32), FORM(TSS, GEMM_BF16, GEMM_F32, GEMM_F32),
};
enum { FORMS = sizeof forms / sizeof forms[0], LISTS = 3 };

static const char *const gpu = "rtx-a6000";

static const struct shape {
    int m, n, more, incx, incy, batch;
} shapes[] = {{1, 1, 0, 1, 1, 1},    {33, 17, 0, 1, 1, 3}, {64, 40, 3, 1, 1, 2},
              {5, 100, 1, 2, -1, 4}, {90, 5, 0, -3, 2, 3}, {2, 2, 0, 1, 1, 30}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* The operands of a call. Distances between the parts of a batch are larger than they need be. */
struct call {
    const struct form *form;
    const struct shape *s;
    int op, inner, outer, lda;
    long long stride_a, stride_x, stride_y;
    struct rig_matrix a, x, y;
    double alpha[2], beta[2];
    char bytes[2][16];
    CUdeviceptr lists; /* addresses of all A, then all x, then all y */
};

static bool is_complex(unsigned type) { return type == GEMM_C32 || type == GEMM_C64; }

static void list_addresses(struct call *c)
{
    size_t batch = (size_t)c->s->batch;
    void **list = calloc(LISTS * batch, sizeof *list);
    assert_non_null(list);
    for (size_t z = 0; z < batch; z++) {
        list[z] = rig_at(&c->a, z * (size_t)c->stride_a);
        list[batch + z] = rig_at(&c->x, z * (size_t)c->stride_x);
        list[2 * batch + z] = rig_at(&c->y, z * (size_t)c->stride_y);
    }
    assert_int_equal(cuMemAlloc_v2(&c->lists, LISTS * batch * sizeof *list), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(c->lists, list, LISTS * batch * sizeof *list), CUDA_SUCCESS);
    free(list);
}

static struct call call_of(const struct form *f, const struct shape *s, int op, double alpha, double beta)
{
    struct call c = {.form = f, .s = s, .op = op, .lda = s->m + s->more};
    rig_handle(gpu);
    c.inner = op == BLAS_N ? s->n : s->m;
    c.outer = op == BLAS_N ? s->m : s->n;
    c.stride_a = c.lda * s->n + 5;
    c.stride_x = c.inner * abs(s->incx) + 1;
    c.stride_y = c.outer * abs(s->incy) + 2;
    c.a = rig_matrix(f->in, (size_t)(c.stride_a * s->batch), 1);
    c.x = rig_matrix(f->in, (size_t)(c.stride_x * s->batch), 2);
    c.y = rig_matrix(f->out, (size_t)(c.stride_y * s->batch), 3);
    c.alpha[0] = alpha, c.alpha[1] = is_complex(f->sum) ? 0.25 : 0;
    c.beta[0] = beta;
    rig_write(c.bytes[0], f->sum, 0, c.alpha);
    rig_write(c.bytes[1], f->sum, 0, c.beta);
    list_addresses(&c);
    return c;
}

static void run(const struct call *c, int way, const void *alpha, const void *beta)
{
    const struct form *f = c->form;
    const struct shape *s = c->s;
    cublasHandle_t handle = rig_handle(gpu);
    void *const *lists = (void *const *)(uintptr_t)c->lists;
    const void *const *a = (const void *const *)lists, *const *x = a + s->batch;
    void *const *y = lists + 2 * s->batch;
    void *first_a = rig_at(&c->a, 0), *first_x = rig_at(&c->x, 0), *first_y = rig_at(&c->y, 0);
    switch (way) {
    case 0: GOOD(f->list(handle, c->op, s->m, s->n, alpha, a, c->lda, x, s->incx, beta, y, s->incy, s->batch)); break;
    case 1:
        GOOD(f->list_wide(handle, c->op, s->m, s->n, alpha, a, c->lda, x, s->incx, beta, y, s->incy, s->batch));
        break;
    case 2:
        GOOD(f->strided(handle, c->op, s->m, s->n, alpha, first_a, c->lda, c->stride_a, first_x, s->incx, c->stride_x,
                        beta, first_y, s->incy, c->stride_y, s->batch));
        break;
    default:
        GOOD(f->strided_wide(handle, c->op, s->m, s->n, alpha, first_a, c->lda, c->stride_a, first_x, s->incx,
                             c->stride_x, beta, first_y, s->incy, c->stride_y, s->batch));
    }
}

static size_t place(int i, int n, int increment)
{
    return (size_t)(increment > 0 ? i * increment : (n - 1 - i) * -increment);
}

static void check_one(const struct call *c, int z, int i, const double old[2], const double got[2])
{
    const struct form *f = c->form;
    struct rig_sum sum = {0};
    for (int l = 0; l < c->inner; l++) {
        double e[2], v[2];
        rig_read(c->a.host, f->in, (size_t)(z * c->stride_a + (c->op == BLAS_N ? l * c->lda + i : i * c->lda + l)), e);
        rig_read(c->x.host, f->in, (size_t)(z * c->stride_x) + place(l, c->inner, c->s->incx), v);
        rig_add(&sum, e, v, c->op == BLAS_C, 0);
    }
    double re = c->alpha[0] * sum.re - c->alpha[1] * sum.im + (c->beta[0] != 0 ? c->beta[0] * old[0] : 0);
    double im = c->alpha[0] * sum.im + c->alpha[1] * sum.re + (c->beta[0] != 0 ? c->beta[0] * old[1] : 0);
    double allowed = (2 * sum.size + 4) * (c->inner + 4) * rig_precision(f->sum) +
                     (hypot(re, im) * rig_precision(f->out) + (f->out == GEMM_F16 ? 0x1p-25 : 0)) * 1.01;
    if (!(fabs(got[0] - re) <= allowed) || !(fabs(got[1] - im) <= allowed))
        fail_msg("%.17g %.17g instead of %.17g %.17g, which may differ by %g", got[0], got[1], re, im, allowed);
}

/* Compares y with the sums, makes sure that nothing else is written, and frees all. */
static void finish(struct call *c)
{
    void *found = rig_result(&c->y);
    for (int z = 0; z < c->s->batch; z++)
        for (int i = 0; i < c->outer; i++) {
            double old[2], got[2];
            size_t at = (size_t)(z * c->stride_y) + place(i, c->outer, c->s->incy);
            rig_read(c->y.host, c->form->out, at, old);
            rig_read(found, c->form->out, at, got);
            check_one(c, z, i, old, got);
            rig_write(c->y.host, c->form->out, at, got);
        }
    assert_memory_equal(found, c->y.host, c->y.count * product_size(c->form->out));
    free(found);
    assert_int_equal(cuMemFree_v2(c->lists), CUDA_SUCCESS);
    rig_free(&c->a);
    rig_free(&c->x);
    rig_free(&c->y);
}

static void batches_agree_with_sums_in_double(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int op = BLAS_N; op <= BLAS_C; op++) {
                struct call c = call_of(&forms[f], &shapes[s], op, 1.5, s % 2 ? -0.5 : 0);
                run(&c, (int)((f + s + (size_t)op) % 4), c.bytes[0], c.bytes[1]);
                finish(&c);
            }
}

static void each_form_of_a_call_has_the_same_result(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (int way = 0; way < 4; way++) {
            struct call c = call_of(&forms[f], &shapes[3], BLAS_T, -2, 0.25);
            run(&c, way, c.bytes[0], c.bytes[1]);
            finish(&c);
        }
}

static void scalars_of_a_batch_may_lie_on_the_device(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct call c = call_of(&forms[f], &shapes[1], BLAS_C, 0.75, 2);
        struct rig_matrix scalars = rig_matrix(forms[f].sum, 2, 4);
        memcpy(scalars.host, c.bytes[0], product_size(forms[f].sum));
        memcpy((char *)scalars.host + product_size(forms[f].sum), c.bytes[1], product_size(forms[f].sum));
        assert_int_equal(cuMemcpyHtoD_v2(scalars.device, scalars.host, 2 * product_size(forms[f].sum)), CUDA_SUCCESS);
        GOOD(cublasSetPointerMode_v2(rig_handle(gpu), BLAS_DEVICE));
        run(&c, 2, rig_at(&scalars, 0), rig_at(&scalars, 1));
        GOOD(cublasSetPointerMode_v2(rig_handle(gpu), BLAS_HOST));
        finish(&c);
        rig_free(&scalars);
    }
}

static void a_zero_scalar_stops_reading(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    float one = 1, zero = 0, not [9];
    for (int i = 0; i < 9; i++)
        not [i] = NAN;
    struct rig_matrix a = rig_matrix(GEMM_F32, 9, 1), x = rig_matrix(GEMM_F32, 3, 2), y = rig_matrix(GEMM_F32, 3, 3);
    for (int op = BLAS_N; op <= BLAS_T; op++) {
        assert_int_equal(cuMemcpyHtoD_v2(a.device, a.host, 36), CUDA_SUCCESS);
        assert_int_equal(cuMemcpyHtoD_v2(y.device, not, 12), CUDA_SUCCESS);
        GOOD(cublasSgemvStridedBatched(handle, op, 3, 3, &one, rig_at(&a, 0), 3, 9, rig_at(&x, 0), 1, 3, &zero,
                                       rig_at(&y, 0), 1, 3, 1));
        float *found = rig_result(&y);
        assert_true(found[0] == found[0] && found[1] == found[1] && found[2] == found[2]);
        free(found);
        assert_int_equal(cuMemcpyHtoD_v2(a.device, not, 36), CUDA_SUCCESS);
        GOOD(cublasSgemvStridedBatched(handle, op, 3, 3, &zero, rig_at(&a, 0), 3, 9, rig_at(&x, 0), 1, 3, &zero,
                                       rig_at(&y, 0), 1, 3, 1));
        found = rig_result(&y);
        assert_true(found[0] == 0 && found[1] == 0 && found[2] == 0);
        free(found);
    }
    rig_free(&a);
    rig_free(&x);
    rig_free(&y);
}

static void wrong_batches_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix all = rig_matrix(GEMM_F32, 64, 1);
    const void *p = rig_at(&all, 0);
    const void *const *l = p;
    void *y = rig_at(&all, 32);
    float one = 1;
    const int invalid = CUBLAS_STATUS_INVALID_VALUE;
#define STRIDED(h, op, m, n, al, a, lda, x, incx, be, y, incy, batch)                                                  \
    (int)cublasSgemvStridedBatched(h, op, m, n, al, a, lda, 4, x, incx, 2, be, y, incy, 2, batch)
    assert_int_equal(STRIDED(NULL, 0, 2, 2, &one, p, 2, p, 1, &one, y, 1, 2), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(STRIDED(handle, 3, 2, 2, &one, p, 2, p, 1, &one, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, -1, 2, &one, p, 2, p, 1, &one, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, -1, &one, p, 2, p, 1, &one, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 3, 2, &one, p, 2, p, 1, &one, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, 2, NULL, p, 2, p, 1, &one, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, 2, &one, p, 2, p, 1, NULL, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, 2, &one, p, 2, p, 0, &one, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, 2, &one, p, 2, p, 1, &one, y, 0, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, 2, &one, p, 2, p, 1, &one, y, 1, -1), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, 2, &one, NULL, 2, p, 1, &one, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, 2, &one, p, 2, NULL, 1, &one, y, 1, 2), invalid);
    assert_int_equal(STRIDED(handle, 0, 2, 2, &one, p, 2, p, 1, &one, NULL, 1, 2), invalid);
    assert_int_equal(cublasSgemvBatched(NULL, 0, 2, 2, &one, l, 2, l, 1, &one, y, 1, 2), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasSgemvBatched(handle, 0, 2, 2, &one, NULL, 2, l, 1, &one, y, 1, 2), invalid);
    assert_int_equal(cublasSgemvBatched(handle, 0, 2, 2, &one, l, 2, l, 1, &one, y, 1, -2), invalid);
    GOOD(STRIDED(handle, 0, 0, 2, &one, NULL, 1, NULL, 1, &one, NULL, 1, 2));
    const int64_t huge = (int64_t)1 << 40; /* more rows than a grid has */
    assert_int_equal(cublasSgemvStridedBatched_64(handle, 0, huge, 2, &one, p, huge, 4, p, 1, 2, &one, y, 1, 2, 1),
                     CUBLAS_STATUS_NOT_SUPPORTED);
    GOOD(STRIDED(handle, 0, 2, 2, &one, NULL, 2, NULL, 1, &one, NULL, 1, 0));
    void *found = rig_result(&all);
    assert_memory_equal(found, all.host, 64 * 4);
    free(found);
    rig_free(&all);
}

UNIT_TESTS(UNIT(batches_agree_with_sums_in_double), UNIT(each_form_of_a_call_has_the_same_result),
           UNIT(scalars_of_a_batch_may_lie_on_the_device), UNIT(a_zero_scalar_stops_reading),
           UNIT(wrong_batches_have_the_documented_status))
