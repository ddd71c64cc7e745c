/* cuSOLVER's function with types as arguments for eigenvalues and eigenvectors of general matrices. */
#include <limits.h>
#include <stdio.h>

#include "blas/kernels/general.h"
#include "blas/product.h"
#include "blas/solver.h"
#include "blas/vector.h"

/* cusolverEigMode_t */
enum vectors { NO_VECTORS = 0, VECTORS = 1 };

struct eigen {
    int left_mode, right_mode;
    long long n, lda, ldl, ldr;
    int type, type_w, type_l, type_r, computed;
};

static unsigned complex_of(unsigned type) { return type == GEMM_F32 ? GEMM_C32 : type == GEMM_F64 ? GEMM_C64 : type; }

/* Returns true if the documentation has these types: eigenvalues of a real matrix may be complex, vectors may not. */
static bool types_fit(const struct eigen *t)
{
    unsigned type = (unsigned)t->type, values = (unsigned)t->type_w;
    bool known = type == GEMM_F32 || type == GEMM_F64 || type == GEMM_C32 || type == GEMM_C64;
    return known && (values == type || values == complex_of(type)) && t->type_l == t->type && t->type_r == t->type &&
           t->computed == t->type;
}

static bool mode_is(int mode) { return mode == NO_VECTORS || mode == VECTORS; }

static bool pitch_fits(const struct eigen *t, long long pitch) { return pitch >= (t->n > 1 ? t->n : 1); }

static cusolverStatus_t check(const struct blas *blas, const struct eigen *t)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!mode_is(t->left_mode) || !mode_is(t->right_mode) || t->n < 0 || t->n > INT_MAX || !pitch_fits(t, t->lda) ||
        (t->left_mode == VECTORS && !pitch_fits(t, t->ldl)) || (t->right_mode == VECTORS && !pitch_fits(t, t->ldr)))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return types_fit(t) ? CUSOLVER_STATUS_SUCCESS : solver_refuse("cusolverDnXgeev", "these types");
}

/* Returns the bytes of work on the device. Its elements are complex also for real matrices. */
static size_t work_of(const struct eigen *t)
{
    return (size_t)general_work(t->n) * product_size(complex_of((unsigned)t->type));
}

BLAS_API(cusolverStatus_t, cusolverDnXgeev_bufferSize, struct blas *handle, void *parameters, int jobvl, int jobvr,
         int64_t n, int type, const void *A, int64_t lda, int type_w, const void *W, int type_vl, const void *VL,
         int64_t ldvl, int type_vr, const void *VR, int64_t ldvr, int computed, size_t *device_bytes,
         size_t *host_bytes)
{
    struct eigen t = {jobvl, jobvr, n, lda, ldvl, ldvr, type, type_w, type_vl, type_vr, computed};
    (void)parameters, (void)A, (void)W, (void)VL, (void)VR;
    cusolverStatus_t status = check(handle, &t);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (device_bytes == NULL || host_bytes == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *device_bytes = work_of(&t);
    *host_bytes = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

BLAS_API(cusolverStatus_t, cusolverDnXgeev, struct blas *handle, void *parameters, int jobvl, int jobvr, int64_t n,
         int type, void *A, int64_t lda, int type_w, void *W, int type_vl, void *VL, int64_t ldvl, int type_vr,
         void *VR, int64_t ldvr, int computed, void *on_device, size_t device_bytes, void *on_host, size_t host_bytes,
         int *info)
{
    struct eigen t = {jobvl, jobvr, n, lda, ldvl, ldvr, type, type_w, type_vl, type_vr, computed};
    (void)parameters, (void)on_host, (void)host_bytes;
    cusolverStatus_t status = check(handle, &t);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (info == NULL || device_bytes < work_of(&t) ||
        (n > 0 && (A == NULL || W == NULL || on_device == NULL || (jobvl == VECTORS && VL == NULL) ||
                   (jobvr == VECTORS && VR == NULL))))
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct general_arguments g = {.a = A,
                                  .values = W,
                                  .left = jobvl == VECTORS ? VL : NULL,
                                  .right = jobvr == VECTORS ? VR : NULL,
                                  .work = on_device,
                                  .a_pitch = lda,
                                  .left_pitch = ldvl,
                                  .right_pitch = ldvr,
                                  .n = (unsigned)n,
                                  .complex_values = type_w != type,
                                  .info = info};
    char kernel[48];
    struct blas_shape shape = {.grid = {1, 1, 1}, .threads = GENERAL_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_geev_%s", vector_type_name((unsigned)type));
    return solver_status(blas_launch(handle, BLAS_GENERAL, kernel, &shape, handle->stream, &g));
}
