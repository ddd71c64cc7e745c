/* Handles, statuses, versions and launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_module.h"
#include "sparse/sparse.h"

enum { VERSION = 12600, MOST_BLOCKS = 8192 };

/* The thread's context, or the first device's primary one. */
static bool enter(void)
{
    CUcontext context = NULL;
    if (cuInit(0) != CUDA_SUCCESS || cuCtxGetCurrent(&context) != CUDA_SUCCESS)
        return false;
    return context != NULL ||
           (cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS && cuCtxSetCurrent(context) == CUDA_SUCCESS);
}

static cusparseStatus_t load(struct sparse *sparse)
{
    static const char *const names[SPARSE_IMAGES] = {"dense", "build"};
    size_t count;
    const struct embedded *files = embedded_sparse(&count);
    for (size_t i = 0; i < count; i++)
        for (int image = 0; image < SPARSE_IMAGES; image++)
            if (strcmp(files[i].name, names[image]) == 0 &&
                cuLibraryLoadData(&sparse->images[image], files[i].data, NULL, NULL, 0, NULL, NULL, 0) != CUDA_SUCCESS)
                return CUSPARSE_STATUS_ARCH_MISMATCH;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t destroy(struct sparse *sparse)
{
    if (!sparse_lives(sparse))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    for (int image = 0; image < SPARSE_IMAGES; image++)
        if (sparse->images[image] != NULL)
            cuLibraryUnload(sparse->images[image]);
    sparse->magic = 0;
    free(sparse);
    return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API(cusparseStatus_t, cusparseCreate, struct sparse **handle)
{
    if (handle == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *handle = NULL;
    if (!enter())
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    struct sparse *sparse = calloc(1, sizeof *sparse);
    if (sparse == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    sparse->magic = SPARSE_MAGIC;
    cusparseStatus_t status = load(sparse);
    if (status == CUSPARSE_STATUS_SUCCESS)
        *handle = sparse;
    else
        destroy(sparse);
    return status;
}

SPARSE_API(cusparseStatus_t, cusparseDestroy, struct sparse *handle) { return destroy(handle); }

SPARSE_API(cusparseStatus_t, cusparseSetStream, struct sparse *handle, CUstream stream)
{
    if (!sparse_lives(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API(cusparseStatus_t, cusparseGetStream, struct sparse *handle, CUstream *stream)
{
    if (!sparse_lives(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (stream == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API(cusparseStatus_t, cusparseSetPointerMode, struct sparse *handle, int mode)
{
    if (!sparse_lives(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (mode != 0 && mode != 1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    handle->device_scalars = mode == 1;
    return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API(cusparseStatus_t, cusparseGetPointerMode, struct sparse *handle, int *mode)
{
    if (!sparse_lives(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (mode == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *mode = handle->device_scalars;
    return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API(cusparseStatus_t, cusparseGetVersion, struct sparse *handle, int *version)
{
    if (!sparse_lives(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (version == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *version = VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API(const char *, cusparseGetErrorName, cusparseStatus_t status)
{
    static const char *const names[] = {"CUSPARSE_STATUS_SUCCESS",
                                        "CUSPARSE_STATUS_NOT_INITIALIZED",
                                        "CUSPARSE_STATUS_ALLOC_FAILED",
                                        "CUSPARSE_STATUS_INVALID_VALUE",
                                        "CUSPARSE_STATUS_ARCH_MISMATCH",
                                        "CUSPARSE_STATUS_MAPPING_ERROR",
                                        "CUSPARSE_STATUS_EXECUTION_FAILED",
                                        "CUSPARSE_STATUS_INTERNAL_ERROR",
                                        "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                        "CUSPARSE_STATUS_ZERO_PIVOT",
                                        "CUSPARSE_STATUS_NOT_SUPPORTED",
                                        "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
    return (size_t)status < sizeof names / sizeof names[0] ? names[status] : "unrecognized error code";
}

SPARSE_API(const char *, cusparseGetErrorString, cusparseStatus_t status)
{
    static const char *const texts[] = {"success",
                                        "initialization error",
                                        "out of memory",
                                        "invalid value",
                                        "architecture mismatch",
                                        "mapping error",
                                        "kernel launch failure",
                                        "internal error",
                                        "matrix type not supported",
                                        "zero pivot",
                                        "operation not supported",
                                        "insufficient resources"};
    return (size_t)status < sizeof texts / sizeof texts[0] ? texts[status] : "unrecognized error code";
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static const char *type_name(unsigned type)
{
    switch (type) {
    case SPARSE_F32: return "f32";
    case SPARSE_F64: return "f64";
    case SPARSE_F16: return "f16";
    case SPARSE_BF16: return "bf16";
    case SPARSE_C32: return "c32";
    default: return "c64";
    }
}

cusparseStatus_t sparse_launch(const struct sparse *sparse, enum sparse_image image, const char *name,
                               const unsigned *type, unsigned long long blocks, long long batch,
                               struct sparse_arguments *g)
{
    char title[64];
    CUkernel kernel;
    void *arguments[] = {g};
    if (blocks == 0 || batch == 0)
        return CUSPARSE_STATUS_SUCCESS;
    snprintf(title, sizeof title, "subcore_sparse_%s%s%s", name, type ? "_" : "", type ? type_name(*type) : "");
    if (cuLibraryGetKernel(&kernel, sparse->images[image], title) != CUDA_SUCCESS)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    /* The driver takes kernels for functions here. */
    CUresult result =
        cuLaunchKernel((CUfunction)(void *)kernel, (unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS),
                       (unsigned)batch, 1, SPARSE_THREADS, 1, 1, 0, sparse->stream, arguments, NULL);
    return result == CUDA_SUCCESS ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}
