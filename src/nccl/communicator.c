/* Communicators of one rank: how they begin and end, and their answers. */
#include <stdlib.h>
#include <string.h>

#include "driver/abi/api_device.h"
#include "driver/abi/api_memory.h"
#include "nccl/nccl.h"

enum { VERSION = 23007, NO_COLOUR = -1 };

static ncclResult_t begin(ncclComm_t *out, const char *function, int ranks, int rank)
{
    CUcontext context = NULL;
    CUdevice device;
    if (out == NULL || ranks < 1 || rank < 0 || rank >= ranks)
        return ncclInvalidArgument;
    *out = NULL;
    if (ranks > 1)
        return nccl_refuse(function, "more than one rank");
    if (cuInit(0) != CUDA_SUCCESS || cuCtxGetCurrent(&context) != CUDA_SUCCESS)
        return ncclUnhandledCudaError;
    if (context == NULL &&
        (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS || cuCtxSetCurrent(context) != CUDA_SUCCESS))
        return ncclUnhandledCudaError;
    if (cuCtxGetDevice(&device) != CUDA_SUCCESS)
        return ncclUnhandledCudaError;
    struct communicator *c = calloc(1, sizeof *c);
    if (c == NULL)
        return ncclSystemError;
    *c = (struct communicator){.magic = NCCL_MAGIC, .device = device};
    *out = c;
    return ncclSuccess;
}

static ncclResult_t end(ncclComm_t comm)
{
    if (!nccl_lives(comm))
        return ncclInvalidArgument;
    free(comm->messages);
    comm->magic = 0;
    free(comm);
    return ncclSuccess;
}

NCCL_API(ncclGetUniqueId, ncclUniqueId *id)
{
    if (id == NULL)
        return ncclInvalidArgument;
    memset(id, 0, sizeof *id);
    memcpy(id->internal, "subcore", sizeof "subcore");
    return ncclSuccess;
}

NCCL_API(ncclCommInitRank, ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    (void)id;
    return begin(comm, "ncclCommInitRank", ranks, rank);
}

NCCL_API(ncclCommInitRankConfig, ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, const void *config)
{
    (void)id, (void)config;
    return begin(comm, "ncclCommInitRankConfig", ranks, rank);
}

NCCL_API(ncclCommInitRankScalable, ncclComm_t *comm, int ranks, int rank, int ids, const ncclUniqueId *id,
         const void *config)
{
    (void)ids, (void)id, (void)config;
    return begin(comm, "ncclCommInitRankScalable", ranks, rank);
}

NCCL_API(ncclCommInitAll, ncclComm_t *comms, int devices, const int *list)
{
    if (list != NULL && devices == 1 && list[0] != 0)
        return ncclInvalidArgument;
    return begin(comms, "ncclCommInitAll", devices, 0);
}

NCCL_API(ncclCommSplit, ncclComm_t comm, int color, int key, ncclComm_t *split, const void *config)
{
    (void)key, (void)config;
    if (!nccl_lives(comm) || split == NULL)
        return ncclInvalidArgument;
    *split = NULL;
    return color == NO_COLOUR ? ncclSuccess : begin(split, "ncclCommSplit", 1, 0);
}

NCCL_API(ncclCommFinalize, ncclComm_t comm) { return nccl_lives(comm) ? ncclSuccess : ncclInvalidArgument; }
NCCL_API(ncclCommDestroy, ncclComm_t comm) { return end(comm); }
NCCL_API(ncclCommAbort, ncclComm_t comm) { return end(comm); }

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static ncclResult_t tell(const struct communicator *comm, int value, int *out)
{
    if (!nccl_lives(comm) || out == NULL)
        return ncclInvalidArgument;
    *out = value;
    return ncclSuccess;
}

NCCL_API(ncclCommCount, ncclComm_t comm, int *count) { return tell(comm, 1, count); }
NCCL_API(ncclCommUserRank, ncclComm_t comm, int *rank) { return tell(comm, 0, rank); }
NCCL_API(ncclCommCuDevice, ncclComm_t comm, int *device)
{
    return tell(comm, nccl_lives(comm) ? comm->device : 0, device);
}

NCCL_API(ncclCommGetAsyncError, ncclComm_t comm, ncclResult_t *error)
{
    if (!nccl_lives(comm) || error == NULL)
        return ncclInvalidArgument;
    *error = ncclSuccess;
    return ncclSuccess;
}

NCCL_API(ncclGetVersion, int *version)
{
    if (version == NULL)
        return ncclInvalidArgument;
    *version = VERSION;
    return ncclSuccess;
}

__attribute__((visibility("default"))) const char *ncclGetErrorString(ncclResult_t result);
const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const texts[] = {
        [ncclSuccess] = "no error",
        [ncclUnhandledCudaError] = "unhandled cuda error",
        [ncclSystemError] = "unhandled system error",
        [ncclInternalError] = "internal error",
        [ncclInvalidArgument] = "invalid argument",
        [ncclInvalidUsage] = "invalid usage: the simulator's own NCCL names the missing feature on standard error",
        [ncclRemoteError] = "remote process exited or there was a network error",
        [ncclInProgress] = "operation in progress",
        [ncclTimeout] = "timeout"};
    return (unsigned)result < sizeof texts / sizeof texts[0] ? texts[result] : "unknown result code";
}

__attribute__((visibility("default"))) const char *ncclGetLastError(ncclComm_t comm);
const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return "";
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

NCCL_API(ncclMemAlloc, void **memory, size_t bytes)
{
    CUdeviceptr device;
    if (memory == NULL)
        return ncclInvalidArgument;
    if (cuMemAlloc_v2(&device, bytes) != CUDA_SUCCESS)
        return ncclUnhandledCudaError;
    *memory = (void *)(uintptr_t)device;
    return ncclSuccess;
}

NCCL_API(ncclMemFree, void *memory)
{
    return memory == NULL || cuMemFree_v2((CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS ? ncclSuccess
                                                                                          : ncclUnhandledCudaError;
}

/* Registered memory is reached as other memory is. */
NCCL_API(ncclCommRegister, ncclComm_t comm, void *memory, size_t bytes, void **handle)
{
    if (!nccl_lives(comm) || handle == NULL || memory == NULL || bytes == 0)
        return ncclInvalidArgument;
    *handle = memory;
    return ncclSuccess;
}

NCCL_API(ncclCommDeregister, ncclComm_t comm, void *handle)
{
    return nccl_lives(comm) && handle != NULL ? ncclSuccess : ncclInvalidArgument;
}
