/* A matrix product on a simulated GPU against sums in double. */
#ifndef SUBCORE_TESTS_BLAS_TRIAL_H
#define SUBCORE_TESTS_BLAS_TRIAL_H

#include "tests/blas/rig.h"

/* The scalars of a product, and how they are stored. */
struct scalars {
    double alpha[2], beta[2];
    char bytes[2][16];
};

static void put_scalar(char *bytes, unsigned sum, const double x[2])
{
    if (sum == GEMM_S32)
        *(int32_t *)(void *)bytes = (int32_t)x[0];
    else
        rig_write(bytes, sum, 0, x);
}

struct form {
    const char *name;
    unsigned a, b, c, compute, sum;
};

static const struct form forms[] = {
    {"f32", GEMM_F32, GEMM_F32, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
    {"tf32", GEMM_F32, GEMM_F32, GEMM_F32, BLAS_COMPUTE_32F_FAST_TF32, GEMM_F32},
    {"f64", GEMM_F64, GEMM_F64, GEMM_F64, BLAS_COMPUTE_64F, GEMM_F64},
    {"f16", GEMM_F16, GEMM_F16, GEMM_F16, BLAS_COMPUTE_32F, GEMM_F32},
    {"f16 to f32", GEMM_F16, GEMM_F16, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
    {"bf16", GEMM_BF16, GEMM_BF16, GEMM_BF16, BLAS_COMPUTE_32F, GEMM_F32},
    {"bf16 to f32", GEMM_BF16, GEMM_BF16, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
    {"f16 in f16", GEMM_F16, GEMM_F16, GEMM_F16, BLAS_COMPUTE_16F, GEMM_F16},
    {"c32", GEMM_C32, GEMM_C32, GEMM_C32, BLAS_COMPUTE_32F, GEMM_C32},
    {"c64", GEMM_C64, GEMM_C64, GEMM_C64, BLAS_COMPUTE_64F, GEMM_C64},
    {"s8", GEMM_S8, GEMM_S8, GEMM_S32, BLAS_COMPUTE_32I, GEMM_S32},
    {"s8 to f32", GEMM_S8, GEMM_S8, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

struct shape {
    int m, n, k, more_a, more_b, more_c; /* by how much leading dimensions are larger than they need be */
    int batch;
    long long gap; /* elements between the matrices of a batch */
    int offset;    /* elements before the first matrix */
};

static struct scalars scalars_of(unsigned sum, double alpha, double beta)
{
    struct scalars s = {.alpha = {alpha, sum == GEMM_C32 || sum == GEMM_C64 ? 0.25 : 0}, .beta = {beta, 0}};
    if (sum == GEMM_S32)
        s.alpha[0] = trunc(alpha), s.beta[0] = trunc(beta);
    put_scalar(s.bytes[0], sum, s.alpha);
    put_scalar(s.bytes[1], sum, s.beta);
    return s;
}

/* The value that D(i, j) has to have, and how far it may be from it. */
static void expect(const struct form *f, const struct scalars *s, const struct rig_sum *sum, const double c[2],
                   size_t k, const double found[2])
{
    bool adds = s->beta[0] != 0;
    double re = s->alpha[0] * sum->re - s->alpha[1] * sum->im + (adds ? s->beta[0] * c[0] : 0);
    double im = s->alpha[0] * sum->im + s->alpha[1] * sum->re + (adds ? s->beta[0] * c[1] : 0);
    double sizes = hypot(s->alpha[0], s->alpha[1]) * sum->size + (adds ? fabs(s->beta[0]) * hypot(c[0], c[1]) : 0);
    double allowed = sizes * (double)(2 * k + 8) * rig_precision(f->sum) + hypot(re, im) * rig_precision(f->c) * 1.01;
    if (f->sum == GEMM_F16)
        allowed += 0x1p-24 * (double)k;
    if (f->c == GEMM_F16)
        allowed += 0x1p-25;
    if (!(fabs(found[0] - re) <= allowed) || !(fabs(found[1] - im) <= allowed))
        fail_msg("%s: %.17g %.17g instead of %.17g %.17g, which may differ by %g", f->name, found[0], found[1], re, im,
                 allowed);
}

static long long rows_of(int op, int rows, int columns) { return op == BLAS_N ? rows : columns; }

static inline void try(const char *gpu, const struct form *f, const struct shape *s, int op_a, int op_b, double alpha,
                       double beta)
{
    cublasHandle_t handle = rig_handle(gpu);
    long long lda = rows_of(op_a, s->m, s->k) + s->more_a, ldb = rows_of(op_b, s->k, s->n) + s->more_b;
    long long ldc = s->m + s->more_c;
    lda += lda == 0, ldb += ldb == 0, ldc += ldc == 0;
    long long stride_a = lda * rows_of(op_a, s->k, s->m) + s->gap, stride_b = ldb * rows_of(op_b, s->n, s->k) + s->gap;
    long long stride_c = ldc * s->n + s->gap;
    size_t offset = (size_t)s->offset;
    struct rig_matrix a = rig_matrix(f->a, offset + (size_t)(stride_a * s->batch), 1);
    struct rig_matrix b = rig_matrix(f->b, offset + (size_t)(stride_b * s->batch), 2);
    struct rig_matrix c = rig_matrix(f->c, offset + (size_t)(stride_c * s->batch), 3);
    struct scalars scalars = scalars_of(f->sum, alpha, beta);
    GOOD(cublasGemmStridedBatchedEx(handle, op_a, op_b, s->m, s->n, s->k, scalars.bytes[0], rig_at(&a, offset),
                                    (int)f->a, (int)lda, stride_a, rig_at(&b, offset), (int)f->b, (int)ldb, stride_b,
                                    scalars.bytes[1], rig_at(&c, offset), (int)f->c, (int)ldc, stride_c, s->batch,
                                    (int)f->compute, 99));
    void *found = rig_result(&c);
    for (size_t i = 0; i < offset; i++)
        assert_memory_equal((char *)found + i * product_size(f->c), (char *)c.host + i * product_size(f->c),
                            product_size(f->c));
    for (size_t z = 0; z < (size_t)s->batch; z++)
        for (size_t j = 0; j < (size_t)s->n; j++)
            for (size_t i = 0; i < (size_t)ldc; i++) {
                double x[2], old[2];
                size_t at = offset + z * (size_t)stride_c + j * (size_t)ldc + i;
                rig_read(found, f->c, at, x);
                rig_read(c.host, f->c, at, old);
                if (i >= (size_t)s->m) {
                    assert_true(x[0] == old[0] && x[1] == old[1]); /* between columns nothing is written */
                    continue;
                }
                struct rig_sum sum = rig_product(&a, offset + z * (size_t)stride_a, lda, op_a, &b,
                                                 offset + z * (size_t)stride_b, ldb, op_b, i, j, (size_t)s->k);
                expect(f, &scalars, &sum, old, (size_t)s->k, x);
            }
    free(found);
    rig_free(&a);
    rig_free(&b);
    rig_free(&c);
}

#endif
