/* Handles, settings, and the libraries' names and versions. */
#include "blas/blas.h"

BLAS_API(cublasStatus_t, cublasCreate_v2, cublasHandle_t *handle) { return blas_create(handle); }

BLAS_API(cublasStatus_t, cublasDestroy_v2, cublasHandle_t handle) { return blas_destroy(handle); }

BLAS_API(cublasStatus_t, cublasSetStream_v2, cublasHandle_t handle, CUstream stream)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasGetStream_v2, cublasHandle_t handle, CUstream *stream)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (stream == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

/* The kernels need no workspace: it is checked and ignored. */
BLAS_API(cublasStatus_t, cublasSetWorkspace_v2, cublasHandle_t handle, void *workspace, size_t size)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return (uintptr_t)workspace % 256 != 0 || (workspace == NULL && size > 0) ? CUBLAS_STATUS_INVALID_VALUE
                                                                              : CUBLAS_STATUS_SUCCESS;
}

#define SETTING(name, field, good)                                                                                     \
    BLAS_API(cublasStatus_t, cublasSet##name, cublasHandle_t handle, int value)                                        \
    {                                                                                                                  \
        if (!blas_lives(handle))                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (!(good))                                                                                                   \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                        \
        handle->field = value;                                                                                         \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublasGet##name, cublasHandle_t handle, int *value)                                       \
    {                                                                                                                  \
        if (!blas_lives(handle))                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (value == NULL)                                                                                             \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                        \
        *value = handle->field;                                                                                        \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }

SETTING(PointerMode_v2, pointer_mode, value == BLAS_HOST || value == BLAS_DEVICE)
SETTING(MathMode, math_mode, value >= 0 && (value & ~BLAS_MATH_FLAG) < BLAS_MATH_MODES)
SETTING(AtomicsMode, atomics_mode, value == 0 || value == 1)
SETTING(SmCountTarget, processor_target, value >= 0 && value <= handle->processors)

/* Products of emulated types run in their own type, which is at least as precise. */
SETTING(EmulationStrategy, emulation, value >= 0 && value <= 2)
SETTING(EmulationSpecialValuesSupport, special_values, value >= 0 && value <= BLAS_SPECIAL_VALUES)
SETTING(FixedPointEmulationMantissaControl, mantissa_control, value == 0 || value == 1)
SETTING(FixedPointEmulationMaxMantissaBitCount, mantissa_most, value >= 0)
SETTING(FixedPointEmulationMantissaBitOffset, mantissa_offset, true)

BLAS_API(cublasStatus_t, cublasSetFixedPointEmulationMantissaBitCountPointer, cublasHandle_t handle, int *count)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->mantissa_count = count;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasGetFixedPointEmulationMantissaBitCountPointer, cublasHandle_t handle, int **count)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (count == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *count = handle->mantissa_count;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- names and versions ------------------------------------------------------------------------------------------ */

#define STATUSES(STATUS)                                                                                               \
    STATUS(CUBLAS_STATUS_SUCCESS, "success")                                                                           \
    STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized")                                           \
    STATUS(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed")                                               \
    STATUS(CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed to the function")                \
    STATUS(CUBLAS_STATUS_ARCH_MISMATCH, "the GPU lacks a feature that the function needs")                             \
    STATUS(CUBLAS_STATUS_MAPPING_ERROR, "an access to GPU memory space failed")                                        \
    STATUS(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed to launch on the GPU")                                 \
    STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed")                                               \
    STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "the simulator's own cuBLAS lacks this operation")                             \
    STATUS(CUBLAS_STATUS_LICENSE_ERROR, "the functionality needs a license")

BLAS_API(const char *, cublasGetStatusName, cublasStatus_t status)
{
    switch (status) {
#define STATUS(name, text)                                                                                             \
    case name: return #name;
        STATUSES(STATUS)
#undef STATUS
    default: return "CUBLAS_STATUS_UNKNOWN";
    }
}

BLAS_API(const char *, cublasGetStatusString, cublasStatus_t status)
{
    switch (status) {
#define STATUS(name, text)                                                                                             \
    case name: return text;
        STATUSES(STATUS)
#undef STATUS
    default: return "unknown status";
    }
}

BLAS_API(const char *, cublasLtGetStatusName, cublasStatus_t status) { return cublasGetStatusName(status); }

BLAS_API(const char *, cublasLtGetStatusString, cublasStatus_t status) { return cublasGetStatusString(status); }

/* One number for both libraries: the lowest one of the CUDA version in the file's name. */
BLAS_API(size_t, cublasLtGetVersion, void) { return BLAS_VERSION; }

BLAS_API(size_t, cublasLtGetCudartVersion, void) { return BLAS_VERSION / 10; }

BLAS_API(size_t, cublasGetCudartVersion, void) { return BLAS_VERSION / 10; }

BLAS_API(cublasStatus_t, cublasGetVersion_v2, cublasHandle_t handle, int *version)
{
    (void)handle; /* may be null, as documented */
    if (version == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = BLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasGetProperty, int property, int *value)
{
    if (value == NULL || property < 0 || property > 2)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = property == 0 ? BLAS_VERSION / 10000 : property == 1 ? BLAS_VERSION / 100 % 100 : BLAS_VERSION % 100;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtGetProperty, int property, int *value) { return cublasGetProperty(property, value); }

/* ---- logs: there are none ---------------------------------------------------------------------------------------- */

BLAS_API(cublasStatus_t, cublasLoggerConfigure, int on, int to_output, int to_error, const char *file)
{
    (void)on, (void)to_output, (void)to_error, (void)file;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasSetLoggerCallback, void *callback)
{
    (void)callback;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasGetLoggerCallback, void **callback)
{
    if (callback == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *callback = NULL;
    return CUBLAS_STATUS_SUCCESS;
}
