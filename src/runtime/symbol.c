#include "runtime/symbol.h"

#include "runtime/abi/api_copy.h"
#include "runtime/abi/api_launch.h"
#include "runtime/abi/api_memory.h"
#include "runtime/copy.h"
#include "runtime/images.h"
#include "runtime/runtime.h"

cudaError_t symbol_part(const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, bool to,
                        void **address)
{
    CUdeviceptr base = 0;
    size_t size = 0;
    enum cudaMemcpyKind with_host = to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (kind != with_host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = images_variable(symbol, &base, &size);
    if (error == cudaSuccess && (offset > size || count > size - offset))
        error = cudaErrorInvalidValue;
    *address = (void *)(uintptr_t)(base + offset);
    return error;
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    RUNTIME_CALL;
    CUdeviceptr address = 0;
    size_t size;
    cudaError_t error = devPtr == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = images_variable(symbol, &address, &size);
    if (error == cudaSuccess)
        *devPtr = (void *)(uintptr_t)address;
    return runtime_done(error);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    RUNTIME_CALL;
    CUdeviceptr address;
    cudaError_t error = size == NULL ? cudaErrorInvalidValue : runtime_enter();
    return runtime_done(error == cudaSuccess ? images_variable(symbol, &address, size) : error);
}

static cudaError_t copy_to(const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind,
                           struct copy_order order)
{
    void *address;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = symbol_part(symbol, count, offset, kind, true, &address);
    return runtime_done(error == cudaSuccess ? copy_line(address, src, count, kind, order) : error);
}

static cudaError_t copy_from(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                             struct copy_order order)
{
    void *address;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = symbol_part(symbol, count, offset, kind, false, &address);
    return runtime_done(error == cudaSuccess ? copy_line(dst, address, count, kind, order) : error);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return copy_to(symbol, src, count, offset, kind, (struct copy_order){.wait = true});
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return copy_to(symbol, src, count, offset, kind, (struct copy_order){.stream = stream});
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return copy_from(dst, symbol, count, offset, kind, (struct copy_order){.wait = true});
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return copy_from(dst, symbol, count, offset, kind, (struct copy_order){.stream = stream});
}
