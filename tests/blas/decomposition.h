/* Products of factors, compared with the matrix that they come from. Matrices stand in columns. */
#ifndef SUBCORE_TESTS_BLAS_DECOMPOSITION_H
#define SUBCORE_TESTS_BLAS_DECOMPOSITION_H

#include <complex.h>

#include "blas/solver.h"
#include "tests/blas/rig.h"

/* A matrix on the host, in double, without a pitch. */
struct plain {
    int rows, columns;
    double complex *at;
};

static inline struct plain plain(int rows, int columns)
{
    struct plain p = {rows, columns, calloc((size_t)rows * (size_t)columns + 1, sizeof(double complex))};
    assert_non_null(p.at);
    return p;
}

static inline double complex *plain_at(const struct plain *p, int i, int j) { return &p->at[j * p->rows + i]; }

/* Elements of a type, with a pitch. */
static inline struct plain plain_read(const void *data, unsigned type, int rows, int columns, int pitch)
{
    struct plain p = plain(rows, columns);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            double x[2];
            rig_read(data, type, (size_t)(j * pitch + i), x);
            *plain_at(&p, i, j) = x[0] + x[1] * I;
        }
    return p;
}

/* The device's elements. */
static inline struct plain plain_result(const struct rig_matrix *m, int rows, int columns, int pitch)
{
    void *host = rig_result(m);
    struct plain p = plain_read(host, m->type, rows, columns, pitch);
    free(host);
    return p;
}

static inline struct plain plain_adjoint(const struct plain *a)
{
    struct plain p = plain(a->columns, a->rows);
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *plain_at(&p, j, i) = conj(*plain_at(a, i, j));
    return p;
}

static inline struct plain plain_product(const struct plain *a, const struct plain *b)
{
    struct plain p = plain(a->rows, b->columns);
    assert_int_equal(a->columns, b->rows);
    for (int j = 0; j < b->columns; j++)
        for (int k = 0; k < a->columns; k++)
            for (int i = 0; i < a->rows; i++)
                *plain_at(&p, i, j) += *plain_at(a, i, k) * *plain_at(b, k, j);
    return p;
}

static inline double plain_size(const struct plain *a)
{
    double sum = 0;
    for (int i = 0; i < a->rows * a->columns; i++)
        sum += creal(a->at[i] * conj(a->at[i]));
    return sqrt(sum);
}

/* Expects a = b. Their difference, in the norm of all elements, may be some steps of the type. Frees b. */
static inline void plain_expect(const struct plain *a, struct plain b, unsigned type, const char *what)
{
    double sum = 0, size = plain_size(a), allowed;
    assert_int_equal(a->rows, b.rows);
    assert_int_equal(a->columns, b.columns);
    for (int i = 0; i < a->rows * a->columns; i++)
        sum += creal((a->at[i] - b.at[i]) * conj(a->at[i] - b.at[i]));
    allowed = 8 * sqrt(a->rows + a->columns) * rig_precision(type) * (size + 1e-30);
    if (!(sqrt(sum) <= allowed))
        fail_msg("%s (%d x %d, type %u): off by %g of %g, allowed %g", what, a->rows, a->columns, type, sqrt(sum), size,
                 allowed);
    free(b.at);
}

/* Expects columns of length 1 that are orthogonal to each other. */
static inline void plain_expect_orthogonal(const struct plain *q, unsigned type, const char *what)
{
    struct plain unit = plain(q->columns, q->columns), adjoint = plain_adjoint(q);
    for (int i = 0; i < q->columns; i++)
        *plain_at(&unit, i, i) = 1;
    plain_expect(&unit, plain_product(&adjoint, q), type, what);
    free(unit.at);
    free(adjoint.at);
}

static inline struct blas *decomposition_handle(void)
{
    cusolverStatus_t cusolverDnCreate(struct blas * *handle);
    struct blas *handle = NULL;
    setenv("SUBCORE_GPU", "a100", 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
    assert_int_equal(cusolverDnCreate(&handle), CUSOLVER_STATUS_SUCCESS);
    return handle;
}

/* Device memory for numbers that tell of failures, with a value that no function leaves. */
static inline int *decomposition_infos(size_t count)
{
    CUdeviceptr infos;
    assert_int_equal(cuMemAlloc_v2(&infos, count * sizeof(int)), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD32_v2(infos, 99, count), CUDA_SUCCESS);
    return (int *)(uintptr_t)infos;
}

/* Frees it, and returns the number of a matrix. */
static inline int decomposition_info(int *infos, size_t matrix)
{
    int info = -1;
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)infos;
    assert_int_equal(cuMemcpyDtoH_v2(&info, at + matrix * sizeof info, sizeof info), CUDA_SUCCESS);
    assert_int_equal(cuMemFree_v2(at), CUDA_SUCCESS);
    return info;
}

#endif
