/* Matrices with a structure as they are stored, and as plain matrices of doubles. */
#ifndef SUBCORE_TESTS_BLAS_STRUCTURED_RIG_H
#define SUBCORE_TESTS_BLAS_STRUCTURED_RIG_H

#include "blas/structured.h"
#include "tests/blas/decomposition.h"

enum storage { FULL, BAND, PACKED };

/* How a matrix is stored. A band has `below` and `above` diagonals beside the main one. */
struct layout {
    enum structured_kind kind;
    enum storage storage;
    int m, n, lda, below, above, uplo, diag;
};

static inline bool is_complex(unsigned type) { return type == GEMM_C32 || type == GEMM_C64; }

/* Elements that the matrix takes. */
static inline size_t layout_count(const struct layout *l)
{
    return l->storage == PACKED ? (size_t)(l->n * (l->n + 1) / 2) : (size_t)(l->lda * l->n);
}

/* Where element (i, j) is stored, or -1. */
static inline long long layout_place(const struct layout *l, int i, int j)
{
    bool general = l->kind == STRUCTURED_GENERAL;
    if (!general && (l->uplo == LOWER ? i < j : i > j))
        return -1;
    if (l->storage == FULL)
        return i + (long long)j * l->lda;
    if (l->storage == PACKED && l->uplo == UPPER)
        return i + (long long)j * (j + 1) / 2;
    if (l->storage == PACKED)
        return i - j + (long long)j * l->n - (long long)j * (j - 1) / 2;
    if (i - j > l->below || j - i > l->above)
        return -1;
    return l->above + i - j + (long long)j * l->lda;
}

/* The whole matrix: the other triangle, the unit diagonal and the zeros are filled in. */
static inline struct plain layout_plain(const struct layout *l, const void *data, unsigned type)
{
    struct plain p = plain(l->m, l->n);
    for (int j = 0; j < l->n; j++)
        for (int i = 0; i < l->m; i++) {
            double x[2] = {0, 0};
            long long at = layout_place(l, i, j);
            bool mirrored = at < 0 && (l->kind == STRUCTURED_SYMMETRIC || l->kind == STRUCTURED_HERMITIAN);
            if (mirrored)
                at = layout_place(l, j, i);
            if (at >= 0)
                rig_read(data, type, (size_t)at, x);
            if (l->kind == STRUCTURED_HERMITIAN)
                x[1] = i == j ? 0 : mirrored ? -x[1] : x[1];
            *plain_at(&p, i, j) = x[0] + I * x[1];
            if (l->kind == STRUCTURED_TRIANGLE && l->diag == UNIT && i == j)
                *plain_at(&p, i, j) = 1;
        }
    return p;
}

/* Applies an operation. Frees its argument. */
static inline struct plain turned(struct plain a, int operation)
{
    if (operation == BLAS_N)
        return a;
    struct plain p = plain_adjoint(&a);
    for (int i = 0; i < p.rows * p.columns && operation == BLAS_T; i++)
        p.at[i] = conj(p.at[i]);
    free(a.at);
    return p;
}

/* A scalar as a program gives it. Complex ones have an imaginary part, unless they are zero or `real`. */
struct given {
    double complex value;
    _Alignas(16) char bytes[16];
};

static inline struct given given(double x, unsigned type, bool real)
{
    struct given g = {.value = x + (is_complex(type) && !real && x != 0 ? 0.25 * I : 0)};
    rig_write(g.bytes, real ? structured_real(type) : type, 0, (double[]){creal(g.value), cimag(g.value)});
    return g;
}

static inline double complex read_complex(const void *data, unsigned type, size_t at)
{
    double x[2];
    rig_read(data, type, at, x);
    return x[0] + I * x[1];
}

static inline void expect_near(double complex found, double complex right, double allowed, const char *what)
{
    if (!(cabs(found - right) <= allowed))
        fail_msg("%s: %.17g %.17g instead of %.17g %.17g, which may differ by %g", what, creal(found), cimag(found),
                 creal(right), cimag(right), allowed);
}

#endif
