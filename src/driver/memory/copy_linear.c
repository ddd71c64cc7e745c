/* Copies of byte ranges. */
#include "driver/abi/api_memory.h"
#include "driver/memory/copy.h"
#include "driver/state/context.h"

static uint64_t number(const void *p) { return (uintptr_t)p; }

static CUresult linear(const char *name, CUmemorytype to_type, uint64_t to, CUmemorytype from_type, uint64_t from,
                       size_t bytes, bool per_thread)
{
    CUDA_MEMCPY3D box = copy_linear(to_type, to, from_type, from, bytes);
    return copy_call(name, &box, NULL, per_thread, COPY_SYNCHRONOUS);
}

static CUresult later(const char *name, CUmemorytype to_type, uint64_t to, CUmemorytype from_type, uint64_t from,
                      size_t bytes, CUstream stream, bool per_thread)
{
    CUDA_MEMCPY3D box = copy_linear(to_type, to, from_type, from, bytes);
    return copy_call(name, &box, stream, per_thread, COPY_ASYNCHRONOUS);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return linear(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_HOST, number(srcHost), ByteCount, false);
}

CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return linear(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_HOST, number(srcHost), ByteCount, true);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    return later(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_HOST, number(srcHost), ByteCount, hStream,
                 false);
}

CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    return later(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_HOST, number(srcHost), ByteCount, hStream,
                 true);
}

CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return linear(__func__, CU_MEMORYTYPE_HOST, number(dstHost), CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, false);
}

CUresult cuMemcpyDtoH_v2_ptds(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return linear(__func__, CU_MEMORYTYPE_HOST, number(dstHost), CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, true);
}

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return later(__func__, CU_MEMORYTYPE_HOST, number(dstHost), CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, hStream,
                 false);
}

CUresult cuMemcpyDtoHAsync_v2_ptsz(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return later(__func__, CU_MEMORYTYPE_HOST, number(dstHost), CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, hStream,
                 true);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    return linear(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, false);
}

CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    return linear(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, true);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return later(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, hStream, false);
}

CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return later(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, hStream, true);
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    return linear(__func__, CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED, src, ByteCount, false);
}

CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    return linear(__func__, CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED, src, ByteCount, true);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return later(__func__, CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED, src, ByteCount, hStream, false);
}

CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return later(__func__, CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED, src, ByteCount, hStream, true);
}

static CUresult peer(const char *name, CUcontext to_context, CUcontext from_context, const CUDA_MEMCPY3D *box,
                     CUstream stream, bool per_thread, enum copy_manner manner)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS &&
        (!context_lives(call.driver, to_context) || !context_lives(call.driver, from_context)))
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS)
        result = copy_submit(&call, box, stream, per_thread, manner);
    return call_end(&call, result);
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                      size_t ByteCount)
{
    CUDA_MEMCPY3D box = copy_linear(CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount);
    return peer(__func__, dstContext, srcContext, &box, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemcpyPeer_ptds(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount)
{
    CUDA_MEMCPY3D box = copy_linear(CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount);
    return peer(__func__, dstContext, srcContext, &box, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount, CUstream hStream)
{
    CUDA_MEMCPY3D box = copy_linear(CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount);
    return peer(__func__, dstContext, srcContext, &box, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    CUDA_MEMCPY3D box = copy_linear(CU_MEMORYTYPE_DEVICE, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount);
    return peer(__func__, dstContext, srcContext, &box, hStream, true, COPY_ASYNCHRONOUS);
}
