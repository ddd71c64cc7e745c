/* Sums of matrices and products with a diagonal one against double on the host: shapes, transposes, places, scalars. */
#include "tests/blas/rig.h"

typedef cublasStatus_t geam_32(cublasHandle_t, int, int, int, int, const void *, const void *, int, const void *,
                               const void *, int, void *, int);
typedef cublasStatus_t geam_64(cublasHandle_t, int, int, int64_t, int64_t, const void *, const void *, int64_t,
                               const void *, const void *, int64_t, void *, int64_t);
typedef cublasStatus_t dgmm_32(cublasHandle_t, int, int, int, const void *, int, const void *, int, void *, int);
typedef cublasStatus_t dgmm_64(cublasHandle_t, int, int64_t, int64_t, const void *, int64_t, const void *, int64_t,
                               void *, int64_t);
geam_32 cublasSgeam, cublasDgeam, cublasCgeam, cublasZgeam;
geam_64 cublasSgeam_64, cublasDgeam_64, cublasCgeam_64, cublasZgeam_64;
dgmm_32 cublasSdgmm, cublasDdgmm, cublasCdgmm, cublasZdgmm;
dgmm_64 cublasSdgmm_64, cublasDdgmm_64, cublasCdgmm_64, cublasZdgmm_64;

static const struct form {
    unsigned type;
    geam_32 *geam;
    geam_64 *geam_wide;
    dgmm_32 *dgmm;
    dgmm_64 *dgmm_wide;
} forms[] = {
    {GEMM_F32, cublasSgeam, cublasSgeam_64, cublasSdgmm, cublasSdgmm_64},
    {GEMM_F64, cublasDgeam, cublasDgeam_64, cublasDdgmm, cublasDdgmm_64},
    {GEMM_C32, cublasCgeam, cublasCgeam_64, cublasCdgmm, cublasCdgmm_64},
    {GEMM_C64, cublasZgeam, cublasZgeam_64, cublasZdgmm, cublasZdgmm_64},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const gpu = "rtx-a6000";
enum { LEFT = 0, RIGHT = 1 };

static const struct shape {
    int m, n, more_a, more_b, more_c;
} shapes[] = {{1, 1, 0, 0, 0}, {32, 32, 0, 0, 0}, {33, 65, 1, 2, 3}, {5, 40, 0, 7, 1}, {70, 3, 4, 0, 0}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool is_complex(unsigned type) { return type == GEMM_C32 || type == GEMM_C64; }

/* Adds the product of a scalar and an element to `sum`. */
static void add(double sum[2], const double scalar[2], const double element[2])
{
    sum[0] += scalar[0] * element[0] - scalar[1] * element[1];
    sum[1] += scalar[0] * element[1] + scalar[1] * element[0];
}

static void read_op(const struct rig_matrix *m, int op, int ld, int i, int j, double x[2])
{
    rig_read(m->host, m->type, (size_t)(op == BLAS_N ? j * ld + i : i * ld + j), x);
    x[1] = op == BLAS_C ? -x[1] : x[1];
}

static void expect(const double found[2], const double right[2], double allowed, const char *what)
{
    if (!(fabs(found[0] - right[0]) <= allowed) || !(fabs(found[1] - right[1]) <= allowed))
        fail_msg("%s: %.17g %.17g instead of %.17g %.17g", what, found[0], found[1], right[0], right[1]);
}

/* ---- geam -------------------------------------------------------------------------------------------------------- */

/* A sum of two matrices, which may be the place of the result. */
struct sum {
    const struct form *form;
    int m, n, op_a, op_b, lda, ldb, ldc;
    struct rig_matrix a, b, c;
    double alpha[2], beta[2];
    char bytes[2][16];
};

static struct sum sum_of(const struct form *f, const struct shape *s, int op_a, int op_b, double alpha, double beta)
{
    struct sum t = {.form = f, .m = s->m, .n = s->n, .op_a = op_a, .op_b = op_b};
    int columns_a = op_a == BLAS_N ? s->n : s->m, columns_b = op_b == BLAS_N ? s->n : s->m;
    t.lda = (op_a == BLAS_N ? s->m : s->n) + s->more_a;
    t.ldb = (op_b == BLAS_N ? s->m : s->n) + s->more_b;
    t.ldc = s->m + s->more_c;
    t.a = rig_matrix(f->type, (size_t)(t.lda * columns_a), 1);
    t.b = rig_matrix(f->type, (size_t)(t.ldb * columns_b), 2);
    t.c = rig_matrix(f->type, (size_t)(t.ldc * s->n), 3);
    t.alpha[0] = alpha, t.alpha[1] = is_complex(f->type) && alpha != 0 ? 0.25 : 0;
    t.beta[0] = beta, t.beta[1] = is_complex(f->type) && beta != 0 ? -0.5 : 0;
    rig_write(t.bytes[0], f->type, 0, t.alpha);
    rig_write(t.bytes[1], f->type, 0, t.beta);
    return t;
}

/* Compares the result with the operands as they were, and frees all. */
static void check_sum(struct sum *t, const struct rig_matrix *result, int ld)
{
    void *found = rig_result(result);
    for (int j = 0; j < t->n; j++)
        for (int i = 0; i < ld; i++) {
            double x[2], y[2], got[2], right[2] = {0};
            size_t at = (size_t)(j * ld + i);
            rig_read(found, t->form->type, at, got);
            if (i < t->m) {
                read_op(&t->a, t->op_a, t->lda, i, j, x);
                read_op(&t->b, t->op_b, t->ldb, i, j, y);
                add(right, t->alpha, x);
                add(right, t->beta, y);
            } else {
                rig_read(result->host, t->form->type, at, right); /* between columns nothing is written */
            }
            expect(got, right, i < t->m ? 16 * rig_precision(t->form->type) : 0, "geam");
        }
    free(found);
    rig_free(&t->a);
    rig_free(&t->b);
    rig_free(&t->c);
}

static void sums_of_matrices_agree_with_double_for_all_transposes(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int op = 0; op < 9; op++) {
                struct sum t = sum_of(&forms[f], &shapes[s], op % 3, op / 3, 1.5, -0.75);
                if (op % 2)
                    GOOD(forms[f].geam(handle, t.op_a, t.op_b, t.m, t.n, t.bytes[0], rig_at(&t.a, 0), t.lda, t.bytes[1],
                                       rig_at(&t.b, 0), t.ldb, rig_at(&t.c, 0), t.ldc));
                else
                    GOOD(forms[f].geam_wide(handle, t.op_a, t.op_b, t.m, t.n, t.bytes[0], rig_at(&t.a, 0), t.lda,
                                            t.bytes[1], rig_at(&t.b, 0), t.ldb, rig_at(&t.c, 0), t.ldc));
                check_sum(&t, &t.c, t.ldc);
            }
}

static void a_sum_may_take_the_place_of_either_operand(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++)
        for (int op = BLAS_N; op <= BLAS_C; op++) {
            struct sum t = sum_of(&forms[f], &shapes[2], BLAS_N, op, 2, 0.5);
            GOOD(forms[f].geam(handle, BLAS_N, op, t.m, t.n, t.bytes[0], rig_at(&t.a, 0), t.lda, t.bytes[1],
                               rig_at(&t.b, 0), t.ldb, rig_at(&t.a, 0), t.lda));
            check_sum(&t, &t.a, t.lda);
            t = sum_of(&forms[f], &shapes[2], op, BLAS_N, 2, 0.5);
            GOOD(forms[f].geam(handle, op, BLAS_N, t.m, t.n, t.bytes[0], rig_at(&t.a, 0), t.lda, t.bytes[1],
                               rig_at(&t.b, 0), t.ldb, rig_at(&t.b, 0), t.ldb));
            check_sum(&t, &t.b, t.ldb);
        }
}

static void scalars_of_a_sum_may_lie_on_the_device(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    GOOD(cublasSetPointerMode_v2(handle, BLAS_DEVICE));
    for (size_t f = 0; f < FORMS; f++) {
        struct sum t = sum_of(&forms[f], &shapes[2], BLAS_T, BLAS_C, -3, 0.125);
        struct rig_matrix scalars = rig_matrix(forms[f].type, 2, 4);
        rig_write(scalars.host, forms[f].type, 0, t.alpha);
        rig_write(scalars.host, forms[f].type, 1, t.beta);
        assert_int_equal(cuMemcpyHtoD_v2(scalars.device, scalars.host, 2 * product_size(forms[f].type)), CUDA_SUCCESS);
        GOOD(forms[f].geam(handle, BLAS_T, BLAS_C, t.m, t.n, rig_at(&scalars, 0), rig_at(&t.a, 0), t.lda,
                           rig_at(&scalars, 1), rig_at(&t.b, 0), t.ldb, rig_at(&t.c, 0), t.ldc));
        check_sum(&t, &t.c, t.ldc);
        rig_free(&scalars);
    }
    GOOD(cublasSetPointerMode_v2(handle, BLAS_HOST));
}

static void set_all(const struct rig_matrix *m, float value)
{
    for (size_t i = 0; i < m->count; i++)
        assert_int_equal(cuMemcpyHtoD_v2(m->device + 4 * i, &value, 4), CUDA_SUCCESS);
}

static void a_term_with_a_zero_scalar_is_not_read(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    float one = 1, zero = 0;
    struct rig_matrix a = rig_matrix(GEMM_F32, 4, 1), b = rig_matrix(GEMM_F32, 4, 2), c = rig_matrix(GEMM_F32, 4, 3);
    set_all(&b, NAN);
    GOOD(cublasSgeam(handle, BLAS_N, BLAS_N, 2, 2, &one, rig_at(&a, 0), 2, &zero, rig_at(&b, 0), 2, rig_at(&c, 0), 2));
    float *found = rig_result(&c);
    assert_memory_equal(found, a.host, 16);
    free(found);
    GOOD(cublasSgeam(handle, BLAS_N, BLAS_T, 2, 2, &zero, rig_at(&b, 0), 2, &one, rig_at(&a, 0), 2, rig_at(&c, 0), 2));
    found = rig_result(&c);
    const float *given = a.host;
    assert_true(found[0] == given[0] && found[1] == given[2] && found[2] == given[1] && found[3] == given[3]);
    free(found);
    /* A zero takes the place of NaN, and operands may be absent. */
    GOOD(cublasSgeam(handle, BLAS_N, BLAS_N, 2, 2, &zero, NULL, 2, &zero, NULL, 2, rig_at(&b, 0), 2));
    found = rig_result(&b);
    assert_true(found[0] == 0 && found[1] == 0 && found[2] == 0 && found[3] == 0);
    free(found);
    rig_free(&a);
    rig_free(&b);
    rig_free(&c);
}

static void wrong_sums_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix all = rig_matrix(GEMM_F32, 64, 1);
    void *a = rig_at(&all, 0), *b = rig_at(&all, 16), *c = rig_at(&all, 32);
    float one = 1;
#define GEAM(h, ta, tb, m, n, al, a, lda, be, b, ldb, c, ldc)                                                          \
    (int)cublasSgeam(h, ta, tb, m, n, al, a, lda, be, b, ldb, c, ldc)
    const int invalid = CUBLAS_STATUS_INVALID_VALUE;
    assert_int_equal(GEAM(NULL, 0, 0, 2, 2, &one, a, 2, &one, b, 2, c, 2), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(GEAM(handle, 3, 0, 2, 2, &one, a, 2, &one, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, -1, 2, 2, &one, a, 2, &one, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, -1, 2, &one, a, 2, &one, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 2, -1, &one, a, 2, &one, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 2, 2, NULL, a, 2, &one, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 2, 2, &one, a, 2, NULL, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 3, 2, &one, a, 2, &one, b, 3, c, 3), invalid);
    assert_int_equal(GEAM(handle, 1, 0, 2, 3, &one, a, 2, &one, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 1, 2, 3, &one, a, 2, &one, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 3, 2, &one, a, 3, &one, b, 3, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 2, 2, &one, NULL, 2, &one, b, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 2, 2, &one, a, 2, &one, NULL, 2, c, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 2, 2, &one, a, 2, &one, b, 2, NULL, 2), invalid);
    /* In place, neither a transpose nor another leading dimension is allowed. */
    assert_int_equal(GEAM(handle, 1, 0, 2, 2, &one, a, 2, &one, b, 2, a, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 2, 2, &one, a, 2, &one, b, 2, a, 3), invalid);
    assert_int_equal(GEAM(handle, 0, 1, 2, 2, &one, a, 2, &one, b, 2, b, 2), invalid);
    assert_int_equal(GEAM(handle, 0, 0, 2, 2, &one, a, 2, &one, b, 3, b, 2), invalid);
    GOOD(GEAM(handle, 0, 0, 0, 2, &one, NULL, 1, &one, NULL, 1, NULL, 1));
    const int64_t huge = (int64_t)1 << 40; /* more rows than a grid has */
    assert_int_equal(cublasSgeam_64(handle, 0, 0, huge, 2, &one, a, huge, &one, b, huge, c, huge),
                     CUBLAS_STATUS_NOT_SUPPORTED);
    GOOD(GEAM(handle, 0, 0, 2, 0, &one, NULL, 2, &one, NULL, 2, NULL, 2));
    void *found = rig_result(&all);
    assert_memory_equal(found, all.host, 64 * 4);
    free(found);
    rig_free(&all);
}

/* ---- dgmm -------------------------------------------------------------------------------------------------------- */

static void try_dgmm(const struct form *f, const struct shape *s, int side, int increment, bool in_place)
{
    cublasHandle_t handle = rig_handle(gpu);
    int count = side == LEFT ? s->m : s->n, lda = s->m + s->more_a, ldc = in_place ? lda : s->m + s->more_c;
    struct rig_matrix a = rig_matrix(f->type, (size_t)(lda * s->n), 1);
    struct rig_matrix x = rig_matrix(f->type, (size_t)(count * (abs(increment) + 1)), 2);
    struct rig_matrix c = rig_matrix(f->type, (size_t)(ldc * s->n), 3);
    const struct rig_matrix *result = in_place ? &a : &c;
    if (side == LEFT)
        GOOD(f->dgmm(handle, side, s->m, s->n, rig_at(&a, 0), lda, rig_at(&x, 0), increment, rig_at(result, 0), ldc));
    else
        GOOD(f->dgmm_wide(handle, side, s->m, s->n, rig_at(&a, 0), lda, rig_at(&x, 0), increment, rig_at(result, 0),
                          ldc));
    void *found = rig_result(result);
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < ldc; i++) {
            double e[2], factor[2], got[2], right[2] = {0};
            int k = side == LEFT ? i : j;
            int at = increment < 0 ? (count - 1 - k) * -increment : k * increment;
            rig_read(found, f->type, (size_t)(j * ldc + i), got);
            rig_read(result->host, f->type, (size_t)(j * ldc + i), right);
            if (i < s->m) {
                rig_read(a.host, f->type, (size_t)(j * lda + i), e);
                rig_read(x.host, f->type, (size_t)at, factor);
                right[0] = right[1] = 0;
                add(right, factor, e);
            }
            expect(got, right, i < s->m ? 8 * rig_precision(f->type) : 0, "dgmm");
        }
    free(found);
    rig_free(&a);
    rig_free(&x);
    rig_free(&c);
}

static void products_with_a_diagonal_matrix_agree_with_double(void **state)
{
    (void)state;
    static const int increments[] = {1, -1, 3, -2, 0};
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int side = LEFT; side <= RIGHT; side++)
                for (size_t k = 0; k < 5; k++)
                    try_dgmm(&forms[f], &shapes[s], side, increments[k], k % 2);
}

static void a_tall_matrix_takes_several_blocks(void **state)
{
    (void)state;
    static const struct shape tall = {600, 2, 0, 0, 1};
    for (int side = LEFT; side <= RIGHT; side++)
        try_dgmm(&forms[0], &tall, side, 1, false);
}

static void wrong_products_with_a_diagonal_matrix_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix all = rig_matrix(GEMM_F32, 64, 1);
    void *a = rig_at(&all, 0), *x = rig_at(&all, 16), *c = rig_at(&all, 32);
    const int invalid = CUBLAS_STATUS_INVALID_VALUE;
    assert_int_equal(cublasSdgmm(NULL, LEFT, 2, 2, a, 2, x, 1, c, 2), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasSdgmm(handle, 2, 2, 2, a, 2, x, 1, c, 2), invalid);
    assert_int_equal(cublasSdgmm(handle, LEFT, -1, 2, a, 2, x, 1, c, 2), invalid);
    assert_int_equal(cublasSdgmm(handle, LEFT, 2, -1, a, 2, x, 1, c, 2), invalid);
    assert_int_equal(cublasSdgmm(handle, LEFT, 3, 2, a, 2, x, 1, c, 3), invalid);
    assert_int_equal(cublasSdgmm(handle, LEFT, 3, 2, a, 3, x, 1, c, 2), invalid);
    assert_int_equal(cublasSdgmm(handle, LEFT, 2, 2, NULL, 2, x, 1, c, 2), invalid);
    assert_int_equal(cublasSdgmm(handle, LEFT, 2, 2, a, 2, NULL, 1, c, 2), invalid);
    assert_int_equal(cublasSdgmm(handle, LEFT, 2, 2, a, 2, x, 1, NULL, 2), invalid);
    GOOD(cublasSdgmm(handle, LEFT, 0, 2, NULL, 1, NULL, 1, NULL, 1));
    const int64_t huge = (int64_t)1 << 40; /* more rows than a grid has */
    assert_int_equal(cublasSdgmm_64(handle, LEFT, huge, 2, a, huge, x, 1, c, huge), CUBLAS_STATUS_NOT_SUPPORTED);
    GOOD(cublasSdgmm(handle, RIGHT, 2, 0, NULL, 2, NULL, 1, NULL, 2));
    void *found = rig_result(&all);
    assert_memory_equal(found, all.host, 64 * 4);
    free(found);
    rig_free(&all);
}

UNIT_TESTS(UNIT(sums_of_matrices_agree_with_double_for_all_transposes),
           UNIT(a_sum_may_take_the_place_of_either_operand), UNIT(scalars_of_a_sum_may_lie_on_the_device),
           UNIT(a_term_with_a_zero_scalar_is_not_read), UNIT(wrong_sums_have_the_documented_status),
           UNIT(products_with_a_diagonal_matrix_agree_with_double), UNIT(a_tall_matrix_takes_several_blocks),
           UNIT(wrong_products_with_a_diagonal_matrix_have_the_documented_status))
