/* Matrices with their layouts, for tests of cublasLt. */
#ifndef SUBCORE_TESTS_BLAS_LT_RIG_H
#define SUBCORE_TESTS_BLAS_LT_RIG_H

#include "blas/lt.h"
#include "tests/blas/rig.h"

typedef struct lt_layout *layout_t;
typedef struct lt_operation *operation_t;
typedef struct lt_preference *preference_t;

cublasStatus_t cublasLtMatrixLayoutCreate(layout_t *, int, uint64_t, uint64_t, int64_t);
cublasStatus_t cublasLtMatrixLayoutDestroy(layout_t);
cublasStatus_t cublasLtMatrixLayoutSetAttribute(layout_t, int, const void *, size_t);
cublasStatus_t cublasLtMatrixLayoutGetAttribute(layout_t, int, void *, size_t, size_t *);
cublasStatus_t cublasLtMatmulDescCreate(operation_t *, int, int);
cublasStatus_t cublasLtMatmulDescDestroy(operation_t);
cublasStatus_t cublasLtMatmulDescSetAttribute(operation_t, int, const void *, size_t);
cublasStatus_t cublasLtMatmulDescGetAttribute(operation_t, int, void *, size_t, size_t *);
cublasStatus_t cublasLtMatmulPreferenceCreate(preference_t *);
cublasStatus_t cublasLtMatmulPreferenceDestroy(preference_t);
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(preference_t, int, const void *, size_t);
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, operation_t, layout_t, layout_t, layout_t, layout_t,
                                              preference_t, int, void *, int *);
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, operation_t, const void *, const void *, layout_t, const void *,
                              layout_t, const void *, const void *, layout_t, void *, layout_t, const void *, void *,
                              size_t, CUstream);

static const char *const gpu = "h200"; /* it has FP8 */

/* Numbers of attributes, as documented. */
enum { ORDER = 1, BATCH = 5, STRIDE = 6, TRANSA = 3, TRANSB = 4, EPILOGUE = 7, BIAS = 8, AUX = 11, AUX_LD = 12 };
enum { SCALE_A = 17, SCALE_B = 18, SCALE_D = 20, SCALE_MODE_A = 31 };

struct lt_case {
    unsigned type, result; /* of A and B, then C and D */
    int m, n, k, more, op_a, op_b, batch;
    unsigned epilogue;
    bool by_rows; /* C and D */
    float alpha, beta;
};

/* A matrix with its layout. `rows` of a matrix that is stored by rows lie behind each other. */
struct stored {
    struct rig_matrix data;
    layout_t layout;
    long long ld, stride;
    bool by_rows;
};

static inline struct stored stored(unsigned type, int rows, int columns, const struct lt_case *c, bool by_rows,
                                   uint64_t seed)
{
    struct stored s = {.by_rows = by_rows, .ld = (by_rows ? columns : rows) + c->more};
    s.stride = s.ld * (by_rows ? rows : columns) + 16;
    s.data = rig_matrix(type, (size_t)(s.stride * c->batch), seed);
    GOOD(cublasLtMatrixLayoutCreate(&s.layout, (int)type, (uint64_t)rows, (uint64_t)columns, s.ld));
    int32_t order = by_rows, batch = c->batch;
    GOOD(cublasLtMatrixLayoutSetAttribute(s.layout, ORDER, &order, sizeof order));
    GOOD(cublasLtMatrixLayoutSetAttribute(s.layout, BATCH, &batch, sizeof batch));
    GOOD(cublasLtMatrixLayoutSetAttribute(s.layout, STRIDE, &s.stride, sizeof s.stride));
    return s;
}

static inline size_t place(const struct stored *s, int z, int i, int j)
{
    return (size_t)(z * s->stride + (s->by_rows ? i * s->ld + j : j * s->ld + i));
}

static inline void release(struct stored *s)
{
    GOOD(cublasLtMatrixLayoutDestroy(s->layout));
    rig_free(&s->data);
}

static inline double read_one(const struct rig_matrix *m, const void *bytes, size_t at)
{
    double x[2];
    rig_read(bytes, m->type, at, x);
    return x[0];
}

static inline double gelu(double x) { return x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

static inline double gelu_slope(double x)
{
    double step = 1e-6;
    return (gelu(x + step) - gelu(x - step)) / (2 * step);
}

#endif
