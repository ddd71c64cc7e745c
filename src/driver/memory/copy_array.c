/* Copies from and to arrays of one dimension, and the first row of others: offsets are bytes. */
#include "driver/abi/api_memory.h"
#include "driver/memory/copy.h"

static uint64_t number(const void *p) { return (uintptr_t)p; }

/* A row of an array takes the place of one side. */
static void end_in(CUDA_MEMCPY3D *box, CUarray array, size_t offset)
{
    box->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    box->dstArray = array;
    box->dstXInBytes = offset;
}

static void begin_in(CUDA_MEMCPY3D *box, CUarray array, size_t offset)
{
    box->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    box->srcArray = array;
    box->srcXInBytes = offset;
}

static CUresult to_array(const char *name, CUarray array, size_t offset, CUmemorytype type, uint64_t from, size_t bytes,
                         CUstream stream, bool per_thread, enum copy_manner manner)
{
    CUDA_MEMCPY3D box = copy_linear(CU_MEMORYTYPE_DEVICE, 0, type, from, bytes);
    end_in(&box, array, offset);
    return copy_call(name, &box, stream, per_thread, manner);
}

static CUresult from_array(const char *name, CUmemorytype type, uint64_t to, CUarray array, size_t offset, size_t bytes,
                           CUstream stream, bool per_thread, enum copy_manner manner)
{
    CUDA_MEMCPY3D box = copy_linear(type, to, CU_MEMORYTYPE_DEVICE, 0, bytes);
    begin_in(&box, array, offset);
    return copy_call(name, &box, stream, per_thread, manner);
}

static CUresult between(const char *name, CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes,
                        bool per_thread)
{
    CUDA_MEMCPY3D box = copy_linear(CU_MEMORYTYPE_DEVICE, 0, CU_MEMORYTYPE_DEVICE, 0, bytes);
    end_in(&box, to, to_offset);
    begin_in(&box, from, from_offset);
    return copy_call(name, &box, NULL, per_thread, COPY_SYNCHRONOUS);
}

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return between(__func__, dstArray, dstOffset, srcArray, srcOffset, ByteCount, false);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return from_array(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, srcArray, srcOffset, ByteCount, NULL, false,
                      COPY_SYNCHRONOUS);
}

CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return from_array(__func__, CU_MEMORYTYPE_HOST, number(dstHost), srcArray, srcOffset, ByteCount, NULL, false,
                      COPY_SYNCHRONOUS);
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount)
{
    return to_array(__func__, dstArray, dstOffset, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, NULL, false,
                    COPY_SYNCHRONOUS);
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount)
{
    return to_array(__func__, dstArray, dstOffset, CU_MEMORYTYPE_HOST, number(srcHost), ByteCount, NULL, false,
                    COPY_SYNCHRONOUS);
}

CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream)
{
    return from_array(__func__, CU_MEMORYTYPE_HOST, number(dstHost), srcArray, srcOffset, ByteCount, hStream, false,
                      COPY_ASYNCHRONOUS);
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                              CUstream hStream)
{
    return to_array(__func__, dstArray, dstOffset, CU_MEMORYTYPE_HOST, number(srcHost), ByteCount, hStream, false,
                    COPY_ASYNCHRONOUS);
}

CUresult cuMemcpyAtoA_v2_ptds(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return between(__func__, dstArray, dstOffset, srcArray, srcOffset, ByteCount, true);
}

CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return from_array(__func__, CU_MEMORYTYPE_DEVICE, dstDevice, srcArray, srcOffset, ByteCount, NULL, true,
                      COPY_SYNCHRONOUS);
}

CUresult cuMemcpyAtoH_v2_ptds(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return from_array(__func__, CU_MEMORYTYPE_HOST, number(dstHost), srcArray, srcOffset, ByteCount, NULL, true,
                      COPY_SYNCHRONOUS);
}

CUresult cuMemcpyDtoA_v2_ptds(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount)
{
    return to_array(__func__, dstArray, dstOffset, CU_MEMORYTYPE_DEVICE, srcDevice, ByteCount, NULL, true,
                    COPY_SYNCHRONOUS);
}

CUresult cuMemcpyHtoA_v2_ptds(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount)
{
    return to_array(__func__, dstArray, dstOffset, CU_MEMORYTYPE_HOST, number(srcHost), ByteCount, NULL, true,
                    COPY_SYNCHRONOUS);
}

CUresult cuMemcpyAtoHAsync_v2_ptsz(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                   CUstream hStream)
{
    return from_array(__func__, CU_MEMORYTYPE_HOST, number(dstHost), srcArray, srcOffset, ByteCount, hStream, true,
                      COPY_ASYNCHRONOUS);
}

CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                                   CUstream hStream)
{
    return to_array(__func__, dstArray, dstOffset, CU_MEMORYTYPE_HOST, number(srcHost), ByteCount, hStream, true,
                    COPY_ASYNCHRONOUS);
}
