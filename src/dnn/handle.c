/* Handles, versions, and the texts of statuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "dnn/dnn.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_module.h"
#include "driver/abi/enter.h"

/* Programs ask whether the library is as new as the one that they were built for. PyTorch reads cudnnGetProperty for
 * that. cudnnGetVersion tells it which graphs there are: those of attention came after 9.0, and are missing here. */
enum { GRAPH_VERSION = 90000, MAJOR = 9, MINOR = 99, PATCH = 0, RUNTIME = 13000 };

static bool load(struct dnn *dnn)
{
    static const char *const names[DNN_IMAGES] = {
        [DNN_CONVOLUTION] = "convolution",
        [DNN_CTC] = "ctc",
        [DNN_DROPOUT] = "dropout",
        [DNN_LRN] = "lrn",
        [DNN_REDUCTION] = "reduction",
        [DNN_NORMALIZATION] = "normalization",
        [DNN_POINTWISE] = "pointwise",
        [DNN_POOLING] = "pooling",
        [DNN_RNN] = "rnn",
        [DNN_SOFTMAX] = "softmax",
        [DNN_SPATIAL] = "spatial",
    };
    size_t count;
    const struct embedded *files = embedded_dnn(&count);
    for (size_t i = 0; i < count; i++)
        for (int image = 0; image < DNN_IMAGES; image++)
            if (strcmp(files[i].name, names[image]) == 0 &&
                cuLibraryLoadData(&dnn->images[image], files[i].data, NULL, NULL, 0, NULL, NULL, 0) != CUDA_SUCCESS)
                return false;
    return true;
}

static void release(struct dnn *dnn)
{
    for (int image = 0; image < DNN_IMAGES; image++)
        if (dnn->images[image] != NULL)
            cuLibraryUnload(dnn->images[image]);
    dnn->magic = 0;
    free(dnn);
}

DNN_API(cudnnStatus_t, cudnnCreate, cudnnHandle_t *handle)
{
    CUdevice device;
    if (handle == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *handle = NULL;
    if (!abi_enter(&device))
        return CUDNN_STATUS_NOT_INITIALIZED;
    struct dnn *dnn = calloc(1, sizeof *dnn);
    if (dnn == NULL)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    *dnn = (struct dnn){.magic = DNN_MAGIC, .device = device};
    if (!load(dnn)) {
        release(dnn);
        return CUDNN_STATUS_NOT_INITIALIZED;
    }
    *handle = dnn;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnDestroy, cudnnHandle_t handle)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    release(handle);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetStream, cudnnHandle_t handle, CUstream stream)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetStream, cudnnHandle_t handle, CUstream *stream)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (stream == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *stream = handle->stream;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

DNN_API(size_t, cudnnGetVersion, void) { return GRAPH_VERSION; }

DNN_API(size_t, cudnnGetCudartVersion, void) { return RUNTIME; }

DNN_API(cudnnStatus_t, cudnnGetProperty, int which, int *value)
{
    static const int values[] = {MAJOR, MINOR, PATCH};
    if (which < 0 || which > 2)
        return CUDNN_STATUS_BAD_PARAM;
    if (value == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *value = values[which];
    return CUDNN_STATUS_SUCCESS;
}

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

DNN_API(const char *, cudnnGetErrorString, cudnnStatus_t status)
{
    static const struct {
        cudnnStatus_t status;
        const char *name;
    } names[] = {
        {CUDNN_STATUS_SUCCESS, "CUDNN_STATUS_SUCCESS"},
        {CUDNN_STATUS_NOT_INITIALIZED, "CUDNN_STATUS_NOT_INITIALIZED"},
        {CUDNN_STATUS_BAD_PARAM, "CUDNN_STATUS_BAD_PARAM"},
        {CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER"},
        {CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED"},
        {CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH"},
        {CUDNN_STATUS_NOT_SUPPORTED, "CUDNN_STATUS_NOT_SUPPORTED"},
        {CUDNN_STATUS_INTERNAL_ERROR, "CUDNN_STATUS_INTERNAL_ERROR"},
        {CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"},
        {CUDNN_STATUS_EXECUTION_FAILED, "CUDNN_STATUS_EXECUTION_FAILED"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].status == status)
            return names[i].name;
    return "CUDNN_UNKNOWN_STATUS";
}

DNN_API(void, cudnnGetLastErrorString, char *message, size_t size)
{
    if (message != NULL && size > 0)
        snprintf(message, size, "the simulator's own cuDNN names the missing feature on standard error");
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

const char *dnn_type_name(int type)
{
    switch (type) {
    case DNN_F32: return "f32";
    case DNN_F64: return "f64";
    case DNN_F16: return "f16";
    case DNN_BF16: return "bf16";
    default: return NULL;
    }
}

cudnnStatus_t dnn_launch(const struct dnn *dnn, enum dnn_image image, const char *name, const unsigned grid[3],
                         unsigned threads, void *argument)
{
    CUkernel kernel;
    if (cuLibraryGetKernel(&kernel, dnn->images[image], name) != CUDA_SUCCESS)
        return CUDNN_STATUS_EXECUTION_FAILED;
    void *arguments[] = {argument};
    /* The driver takes kernels for functions here. */
    CUresult result = cuLaunchKernel((CUfunction)(void *)kernel, grid[0], grid[1], grid[2], threads, 1, 1, 0,
                                     dnn->stream, arguments, NULL);
    return result == CUDA_SUCCESS ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}
