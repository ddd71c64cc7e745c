#include "runtime/copy.h"

#include "driver/abi/api_memory.h"
#include "runtime/abi/api_copy.h"
#include "runtime/runtime.h"

bool copy_types(enum cudaMemcpyKind kind, CUmemorytype *from, CUmemorytype *to)
{
    static const CUmemorytype types[][2] = {
        [cudaMemcpyHostToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
        [cudaMemcpyHostToDevice] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
        [cudaMemcpyDeviceToHost] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
        [cudaMemcpyDeviceToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
        [cudaMemcpyDefault] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
    };
    if ((unsigned)kind > cudaMemcpyDefault)
        return false;
    *from = types[kind][0];
    *to = types[kind][1];
    return true;
}

static CUresult line_now(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    switch (kind) {
    case cudaMemcpyHostToDevice: return cuMemcpyHtoD_v2(runtime_pointer(to), from, count);
    case cudaMemcpyDeviceToHost: return cuMemcpyDtoH_v2(to, runtime_pointer(from), count);
    case cudaMemcpyDeviceToDevice: return cuMemcpyDtoD_v2(runtime_pointer(to), runtime_pointer(from), count);
    default: return cuMemcpy(runtime_pointer(to), runtime_pointer(from), count);
    }
}

static CUresult line_later(void *to, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    switch (kind) {
    case cudaMemcpyHostToDevice: return cuMemcpyHtoDAsync_v2(runtime_pointer(to), from, count, stream);
    case cudaMemcpyDeviceToHost: return cuMemcpyDtoHAsync_v2(to, runtime_pointer(from), count, stream);
    case cudaMemcpyDeviceToDevice:
        return cuMemcpyDtoDAsync_v2(runtime_pointer(to), runtime_pointer(from), count, stream);
    default: return cuMemcpyAsync(runtime_pointer(to), runtime_pointer(from), count, stream);
    }
}

cudaError_t copy_line(void *to, const void *from, size_t count, enum cudaMemcpyKind kind, struct copy_order order)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (count == 0)
        return cudaSuccess;
    return (cudaError_t)(order.wait ? line_now(to, from, count, kind)
                                    : line_later(to, from, count, kind, order.stream));
}

static cudaError_t enter_and_copy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                                  struct copy_order order)
{
    cudaError_t error = runtime_enter();
    return runtime_done(error == cudaSuccess ? copy_line(to, from, count, kind, order) : error);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return enter_and_copy(dst, src, count, kind, (struct copy_order){.wait = true});
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return enter_and_copy(dst, src, count, kind, (struct copy_order){.stream = stream});
}

static cudaError_t check_peers(int one, int other)
{
    cudaError_t error = runtime_check_device(one);
    return error == cudaSuccess ? runtime_check_device(other) : error;
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
    RUNTIME_CALL;
    cudaError_t error = check_peers(dstDevice, srcDevice);
    return error == cudaSuccess ? cudaMemcpy(dst, src, count, cudaMemcpyDeviceToDevice) : runtime_done(error);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                cudaStream_t stream)
{
    RUNTIME_CALL;
    cudaError_t error = check_peers(dstDevice, srcDevice);
    return error == cudaSuccess ? cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream)
                                : runtime_done(error);
}

/* Attributes tell when sources may be read and where data is near: the order of the stream satisfies all. */
cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                 cudaStream_t stream)
{
    RUNTIME_CALL;
    bool good = dsts != NULL && srcs != NULL && sizes != NULL && count > 0 && attrs != NULL && attrsIdxs != NULL &&
                numAttrs > 0 && numAttrs <= count && attrsIdxs[0] == 0 && stream != NULL;
    for (size_t i = 1; good && i < numAttrs; i++)
        good = attrsIdxs[i] > attrsIdxs[i - 1] && attrsIdxs[i] < count;
    cudaError_t error = good ? runtime_enter() : cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = copy_line(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, (struct copy_order){.stream = stream});
    return runtime_done(error);
}
