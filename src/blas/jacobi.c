/* Common settings, work sizes and launches of the functions for singular values and eigenvalues. */
#include "blas/jacobi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "blas/vector.h"

enum { MOST_SWEEPS = 100 };

cusolverStatus_t jacobi_launch(const struct blas *blas, const char *name, unsigned type, long long batch,
                               struct jacobi_arguments *g)
{
    char kernel[48];
    struct blas_shape shape = {.grid = {(unsigned)batch, 1, 1}, .threads = JACOBI_THREADS};
    if (batch == 0)
        return CUSOLVER_STATUS_SUCCESS;
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    return solver_status(blas_launch(blas, BLAS_JACOBI, kernel, &shape, blas->stream, g));
}

void jacobi_set(struct jacobi_arguments *g, const struct jacobi_settings *settings)
{
    g->tolerance = settings != NULL && settings->tolerance > 0 ? settings->tolerance : 0;
    g->sweeps = settings != NULL ? (unsigned)settings->sweeps : MOST_SWEEPS;
}

cusolverStatus_t jacobi_tell(const struct blas *blas, long long m, long long n, long long batch, bool eigen,
                             int *elements)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || batch < 0 || elements == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    long long each = eigen ? jacobi_eigen_work(n) : jacobi_svd_work(m, n);
    if (each > INT_MAX || each * batch > INT_MAX)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *elements = (int)(each * batch);
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static cusolverStatus_t create(struct jacobi_settings **settings)
{
    if (settings == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *settings = malloc(sizeof **settings);
    if (*settings == NULL)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    **settings = (struct jacobi_settings){.sweeps = MOST_SWEEPS};
    return CUSOLVER_STATUS_SUCCESS;
}

#define SETTINGS(Name, name)                                                                                           \
    BLAS_API(cusolverStatus_t, cusolverDnCreate##Name##Info, struct jacobi_settings **info) { return create(info); }   \
    BLAS_API(cusolverStatus_t, cusolverDnDestroy##Name##Info, struct jacobi_settings *info)                            \
    {                                                                                                                  \
        free(info);                                                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDnX##name##SetTolerance, struct jacobi_settings *info, double tolerance)        \
    {                                                                                                                  \
        if (info == NULL)                                                                                              \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                                      \
        info->tolerance = tolerance;                                                                                   \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDnX##name##SetMaxSweeps, struct jacobi_settings *info, int sweeps)              \
    {                                                                                                                  \
        if (info == NULL || sweeps < 0)                                                                                \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                                      \
        info->sweeps = sweeps;                                                                                         \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDnX##name##SetSortEig, struct jacobi_settings *info, int sort)                  \
    {                                                                                                                  \
        (void)sort;                                                                                                    \
        return info != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;                                 \
    }

SETTINGS(Gesvdj, gesvdj)
SETTINGS(Syevj, syevj)
