/* Level 3 with symmetric, Hermitian and triangular matrices, and triangle updates, against products in double. */
#include "tests/blas/structured_rig.h"

typedef cublasStatus_t (*symm_t)(cublasHandle_t, int, int, int, int, const void *, const void *, int, const void *, int,
                                 const void *, void *, int);
typedef cublasStatus_t (*trmm_t)(cublasHandle_t, int, int, int, int, int, int, const void *, const void *, int,
                                 const void *, int, void *, int);
typedef cublasStatus_t (*syrk_t)(cublasHandle_t, int, int, int, int, const void *, const void *, int, const void *,
                                 void *, int);
typedef cublasStatus_t (*syr2k_t)(cublasHandle_t, int, int, int, int, const void *, const void *, int, const void *,
                                  int, const void *, void *, int);

#define CV const void *
#define DECLARE(name, ...) cublasStatus_t name(cublasHandle_t, __VA_ARGS__);
#define SYMMETRIC(symm, syrk, syr2k, syrkx)                                                                            \
    DECLARE(symm, int, int, int, int, CV, CV, int, CV, int, CV, void *, int)                                           \
    DECLARE(syrk, int, int, int, int, CV, CV, int, CV, void *, int)                                                    \
    DECLARE(syr2k, int, int, int, int, CV, CV, int, CV, int, CV, void *, int)                                          \
    DECLARE(syrkx, int, int, int, int, CV, CV, int, CV, int, CV, void *, int)
#define EVERY(L)                                                                                                       \
    DECLARE(cublas##L##trmm_v2, int, int, int, int, int, int, CV, CV, int, CV, int, void *, int)                       \
    SYMMETRIC(cublas##L##symm_v2, cublas##L##syrk_v2, cublas##L##syr2k_v2, cublas##L##syrkx)
EVERY(S)
EVERY(D)
EVERY(C)
EVERY(Z)
SYMMETRIC(cublasChemm_v2, cublasCherk_v2, cublasCher2k_v2, cublasCherkx)
SYMMETRIC(cublasZhemm_v2, cublasZherk_v2, cublasZher2k_v2, cublasZherkx)
cublasStatus_t cublasDtrmm_v2_64(cublasHandle_t, int, int, int, int, int64_t, int64_t, CV, CV, int64_t, CV, int64_t,
                                 void *, int64_t);
cublasStatus_t cublasDsyrk_v2_64(cublasHandle_t, int, int, int64_t, int64_t, CV, CV, int64_t, CV, void *, int64_t);

static const struct form {
    unsigned type;
    enum structured_kind kind;
    symm_t symm;
    syrk_t syrk;
    syr2k_t syr2k, syrkx;
    trmm_t trmm;
} forms[] = {
#define FORM(L, s) cublas##L##s##mm_v2, cublas##L##s##rk_v2, cublas##L##s##r2k_v2, cublas##L##s##rkx
    {GEMM_F32, STRUCTURED_SYMMETRIC, FORM(S, sy), cublasStrmm_v2},
    {GEMM_F64, STRUCTURED_SYMMETRIC, FORM(D, sy), cublasDtrmm_v2},
    {GEMM_C32, STRUCTURED_SYMMETRIC, FORM(C, sy), cublasCtrmm_v2},
    {GEMM_C64, STRUCTURED_SYMMETRIC, FORM(Z, sy), cublasZtrmm_v2},
    {GEMM_C32, STRUCTURED_HERMITIAN, FORM(C, he), NULL},
    {GEMM_C64, STRUCTURED_HERMITIAN, FORM(Z, he), NULL},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const gpu = "a100";

static const struct shape {
    int m, n, more;
} shapes[] = {{1, 1, 0}, {33, 17, 1}, {40, 70, 0}, {5, 100, 3}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* A sum with the sizes of its addends. */
struct sum {
    double complex value;
    double size;
};

static struct sum sum_of(const struct plain *a, const struct plain *b, int i, int j)
{
    struct sum s = {0};
    assert_int_equal(a->columns, b->rows);
    for (int k = 0; k < a->columns; k++) {
        double complex x = *plain_at(a, i, k) * *plain_at(b, k, j);
        s.value += x;
        s.size += cabs(x);
    }
    return s;
}

/* Compares C with alpha A B + beta C, where a second product may come. `triangle`: LOWER, UPPER, or -1 for all. */
static void compare(const struct rig_matrix *c, int ldc, const struct plain operands[4], double complex alpha,
                    double complex other, double complex beta, int triangle, bool hermitian, const char *what)
{
    void *found = rig_result(c);
    for (int j = 0; j < operands[1].columns; j++)
        for (int i = 0; i < ldc; i++) {
            size_t at = (size_t)(j * ldc + i);
            double complex got = read_complex(found, c->type, at), old = read_complex(c->host, c->type, at);
            bool outside = (triangle == LOWER && i < j) || (triangle == UPPER && i > j);
            if (i >= operands[0].rows || outside) {
                assert_true(got == old); /* nothing is written there */
                continue;
            }
            struct sum one = sum_of(&operands[0], &operands[1], i, j), two = {0};
            if (operands[2].at != NULL)
                two = sum_of(&operands[2], &operands[3], i, j);
            double complex right = alpha * one.value + other * two.value + (beta != 0 ? beta * old : 0);
            if (hermitian && i == j) {
                right = creal(right);
                assert_true(cimag(got) == 0);
            }
            double sizes = 2 * (one.size + two.size) + 2 * cabs(old) + cabs(right);
            expect_near(got, right, sizes * (operands[0].columns + 8) * rig_precision(c->type), what);
        }
    free(found);
}

static struct layout dense(int rows, int columns, int ld)
{
    return (struct layout){STRUCTURED_GENERAL, FULL, rows, columns, ld, 0, 0, 0, 0};
}

/* C = alpha A B + beta C with a symmetric or a Hermitian A on either side. */
static void try_symm(const struct form *f, const struct shape *s, int side, int uplo, double by)
{
    cublasHandle_t handle = rig_handle(gpu);
    int order = side == LEFT ? s->m : s->n, ld = s->m + s->more;
    struct layout l = {f->kind, FULL, order, order, order + s->more, 0, 0, uplo, 0}, lb = dense(s->m, s->n, ld);
    struct rig_matrix a = rig_matrix(f->type, layout_count(&l), 1), b = rig_matrix(f->type, layout_count(&lb), 2);
    struct rig_matrix c = rig_matrix(f->type, layout_count(&lb), 3);
    struct given alpha = given(1.5, f->type, false), beta = given(by, f->type, false);
    GOOD(f->symm(handle, side, uplo, s->m, s->n, alpha.bytes, rig_at(&a, 0), l.lda, rig_at(&b, 0), ld, beta.bytes,
                 rig_at(&c, 0), ld));
    struct plain whole = layout_plain(&l, a.host, f->type), other = layout_plain(&lb, b.host, f->type);
    struct plain operands[4] = {side == LEFT ? whole : other, side == LEFT ? other : whole};
    compare(&c, ld, operands, alpha.value, 0, beta.value, -1, false, "symm");
    free(whole.at), free(other.at);
    rig_free(&a), rig_free(&b), rig_free(&c);
}

static void products_with_symmetric_and_hermitian_matrices_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int way = 0; way < 4; way++)
                try_symm(&forms[f], &shapes[s], way % 2, way / 2, s % 2 ? -0.5 : 0);
}

/* C = alpha op(A) B with a triangle A on either side, in a matrix of its own and in B's place. */
static void try_trmm(const struct form *f, const struct shape *s, int way, bool in_place)
{
    cublasHandle_t handle = rig_handle(gpu);
    int side = way % 2, uplo = way / 2 % 2, op = way / 4 % 3, diag = way / 12;
    int order = side == LEFT ? s->m : s->n, ld = s->m + s->more;
    struct layout l = {STRUCTURED_TRIANGLE, FULL, order, order, order + s->more, 0, 0, uplo, diag};
    struct layout lb = dense(s->m, s->n, ld);
    struct rig_matrix a = rig_matrix(f->type, layout_count(&l), 1), b = rig_matrix(f->type, layout_count(&lb), 2);
    struct rig_matrix c = rig_matrix(f->type, layout_count(&lb), 3);
    struct given alpha = given(1.5, f->type, false);
    struct rig_matrix *result = in_place ? &b : &c;
    if (f->type == GEMM_F64 && way % 3 == 0)
        GOOD(cublasDtrmm_v2_64(handle, side, uplo, op, diag, s->m, s->n, alpha.bytes, rig_at(&a, 0), l.lda,
                               rig_at(&b, 0), ld, rig_at(result, 0), ld));
    else
        GOOD(f->trmm(handle, side, uplo, op, diag, s->m, s->n, alpha.bytes, rig_at(&a, 0), l.lda, rig_at(&b, 0), ld,
                     rig_at(result, 0), ld));
    struct plain whole = turned(layout_plain(&l, a.host, f->type), op), other = layout_plain(&lb, b.host, f->type);
    struct plain operands[4] = {side == LEFT ? whole : other, side == LEFT ? other : whole};
    compare(result, ld, operands, alpha.value, 0, 0, -1, false, "trmm");
    free(whole.at), free(other.at);
    rig_free(&a), rig_free(&b), rig_free(&c);
}

static void products_with_triangles_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < 4; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int way = 0; way < 24; way++)
                try_trmm(&forms[f], &shapes[s], way, (way + (int)s) % 2);
}

enum update { ONE, TWICE, MIXED };

/* A triangle of alpha op(A) op(B)' + beta C, and with A and B exchanged besides. */
static void try_update(const struct form *f, const struct shape *s, enum update update, int uplo, bool plain_op,
                       double by)
{
    cublasHandle_t handle = rig_handle(gpu);
    bool hermitian = f->kind == STRUCTURED_HERMITIAN;
    int n = s->n, k = s->m, turn = hermitian ? BLAS_C : BLAS_T, op = plain_op ? BLAS_N : turn;
    struct layout l = dense(plain_op ? n : k, plain_op ? k : n, (plain_op ? n : k) + s->more);
    struct layout lc = dense(n, n, n + s->more);
    struct rig_matrix a = rig_matrix(f->type, layout_count(&l), 1), b = rig_matrix(f->type, layout_count(&l), 2);
    struct rig_matrix c = rig_matrix(f->type, layout_count(&lc), 3);
    struct given alpha = given(1.5, f->type, hermitian && update == ONE), beta = given(by, f->type, hermitian);
    void *A = rig_at(&a, 0), *B = rig_at(&b, 0), *C = rig_at(&c, 0);
    if (update == ONE && f->type == GEMM_F64)
        GOOD(cublasDsyrk_v2_64(handle, uplo, op, n, k, alpha.bytes, A, l.lda, beta.bytes, C, lc.lda));
    else if (update == ONE)
        GOOD(f->syrk(handle, uplo, op, n, k, alpha.bytes, A, l.lda, beta.bytes, C, lc.lda));
    else
        GOOD((update == TWICE ? f->syr2k : f->syrkx)(handle, uplo, op, n, k, alpha.bytes, A, l.lda, B, l.lda,
                                                     beta.bytes, C, lc.lda));
    const void *second = update == ONE ? a.host : b.host;
    struct plain operands[4] = {turned(layout_plain(&l, a.host, f->type), op),
                                turned(layout_plain(&l, second, f->type), plain_op ? turn : BLAS_N)};
    if (update == TWICE) {
        operands[2] = turned(layout_plain(&l, b.host, f->type), op);
        operands[3] = turned(layout_plain(&l, a.host, f->type), plain_op ? turn : BLAS_N);
    }
    compare(&c, lc.lda, operands, alpha.value, hermitian ? conj(alpha.value) : alpha.value, beta.value, uplo, hermitian,
            "update");
    for (int i = 0; i < 4; i++)
        free(operands[i].at);
    rig_free(&a), rig_free(&b), rig_free(&c);
}

static void updates_of_one_triangle_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int way = 0; way < 12; way++)
                try_update(&forms[f], &shapes[s], (enum update)(way % 3), way / 3 % 2, way / 6, s % 2 ? -0.5 : 0);
}

static void nothing_is_read_where_a_scalar_is_zero(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    float zero = 0, one = 1, none = NAN;
    struct rig_matrix c = rig_matrix(GEMM_F32, 16, 1);
    GOOD(cublasSsyrk_v2(handle, LOWER, BLAS_N, 4, 9, &zero, NULL, 4, &one, rig_at(&c, 0), 4));
    void *found = rig_result(&c);
    assert_memory_equal(found, c.host, 16 * sizeof(float));
    free(found);
    assert_int_equal(cuMemcpyHtoD_v2(c.device, &none, sizeof none), CUDA_SUCCESS);
    GOOD(cublasSsymm_v2(handle, LEFT, LOWER, 1, 1, &zero, NULL, 1, NULL, 1, &zero, rig_at(&c, 0), 1));
    float *got = rig_result(&c);
    assert_true(*got == 0);
    free(got);
    rig_free(&c);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix m = rig_matrix(GEMM_C32, 64, 1);
    void *p = rig_at(&m, 0);
    float one[2] = {1, 0};
#define WRONG(status, call) assert_int_equal(call, CUBLAS_STATUS_##status)
    WRONG(NOT_INITIALIZED, cublasSsymm_v2(NULL, 0, 0, 4, 4, one, p, 4, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsymm_v2(handle, 2, 0, 4, 4, one, p, 4, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsymm_v2(handle, 0, 2, 4, 4, one, p, 4, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsymm_v2(handle, 0, 0, -4, 4, one, p, 4, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsymm_v2(handle, 0, 0, 4, 2, one, p, 3, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsymm_v2(handle, 1, 0, 2, 4, one, p, 3, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsymm_v2(handle, 0, 0, 4, 4, one, p, 4, p, 4, one, p, 3));
    WRONG(INVALID_VALUE, cublasSsymm_v2(handle, 0, 0, 4, 4, one, p, 4, p, 4, NULL, p, 4));
    WRONG(INVALID_VALUE, cublasSsymm_v2(handle, 0, 0, 4, 4, one, p, 4, NULL, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasStrmm_v2(handle, 0, 0, 3, 0, 4, 4, one, p, 4, p, 4, p, 4));
    WRONG(INVALID_VALUE, cublasStrmm_v2(handle, 0, 0, 0, 2, 4, 4, one, p, 4, p, 4, p, 4));
    WRONG(INVALID_VALUE, cublasStrmm_v2(handle, 0, 0, 0, 0, 4, 4, NULL, p, 4, p, 4, p, 4));
    WRONG(INVALID_VALUE, cublasStrmm_v2(handle, 0, 0, 0, 0, 4, 4, one, p, 4, p, 4, NULL, 4));
    WRONG(INVALID_VALUE, cublasSsyrk_v2(handle, 0, 0, 4, -1, one, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsyrk_v2(handle, 0, 0, 4, 4, one, p, 3, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsyrk_v2(handle, 0, 1, 4, 5, one, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasSsyrk_v2(handle, 0, 0, 4, 4, one, p, 4, one, p, 3));
    WRONG(INVALID_VALUE, cublasCsyrk_v2(handle, 0, BLAS_C, 4, 4, one, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasCherk_v2(handle, 0, BLAS_T, 4, 4, one, p, 4, one, p, 4));
    WRONG(INVALID_VALUE, cublasCher2k_v2(handle, 0, 0, 4, 4, one, p, 4, p, 3, one, p, 4));
    WRONG(SUCCESS, cublasSsyrk_v2(handle, 0, 0, 0, 4, one, NULL, 1, one, NULL, 1));
    WRONG(SUCCESS, cublasStrmm_v2(handle, 0, 0, 0, 0, 0, 4, one, NULL, 1, NULL, 1, NULL, 1));
    void *found = rig_result(&m);
    assert_memory_equal(found, m.host, 64 * 8);
    free(found);
    rig_free(&m);
}

UNIT_TESTS(UNIT(products_with_symmetric_and_hermitian_matrices_agree), UNIT(products_with_triangles_agree),
           UNIT(updates_of_one_triangle_agree), UNIT(nothing_is_read_where_a_scalar_is_zero),
           UNIT(wrong_arguments_have_the_documented_status))
