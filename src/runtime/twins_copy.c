#include "runtime/abi/api_copy.h"
#include "runtime/abi/api_stream.h"
#include "runtime/runtime.h"

/* Functions for programs that were compiled for a default stream per host thread. A synchronous copy is one in the
 * thread's stream that is waited for. */

static cudaStream_t own(void) { return runtime_own(NULL); }

static cudaError_t finish(cudaError_t error) { return error == cudaSuccess ? cudaStreamSynchronize(own()) : error; }

cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(void **dptrs, size_t *sizes, size_t count,
                                                     struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                     size_t numPrefetchLocs, unsigned long long flags,
                                                     cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemDiscardAndPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
                                               flags, runtime_own(stream));
}

cudaError_t cudaMemDiscardBatchAsync_ptsz(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                          cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemDiscardBatchAsync(dptrs, sizes, count, flags, runtime_own(stream));
}

cudaError_t cudaMemPrefetchAsync_ptsz(const void *devPtr, size_t count, struct cudaMemLocation location,
                                      unsigned int flags, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemPrefetchAsync(devPtr, count, location, flags, runtime_own(stream));
}

cudaError_t cudaMemPrefetchBatchAsync_ptsz(void **dptrs, size_t *sizes, size_t count,
                                           struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                                     runtime_own(stream));
}

cudaError_t cudaMemcpy2DAsync_ptsz(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, runtime_own(stream));
}

cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                            size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind,
                                            cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, runtime_own(stream));
}

cudaError_t cudaMemcpy2DFromArray_ptds(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                       size_t width, size_t height, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return finish(cudaMemcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, own()));
}

cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                          size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, runtime_own(stream));
}

cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return finish(cudaMemcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, own()));
}

cudaError_t cudaMemcpy2D_ptds(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return finish(cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, own()));
}

cudaError_t cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpy3DAsync(p, runtime_own(stream));
}

cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags,
                                        cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpy3DBatchAsync(numOps, opList, flags, runtime_own(stream));
}

cudaError_t cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpy3DPeerAsync(p, runtime_own(stream));
}

cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p)
{
    RUNTIME_CALL;
    return finish(cudaMemcpy3DPeerAsync(p, own()));
}

cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p)
{
    RUNTIME_CALL;
    return finish(cudaMemcpy3DAsync(p, own()));
}

cudaError_t cudaMemcpyAsync_ptsz(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                                 cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpyAsync(dst, src, count, kind, runtime_own(stream));
}

cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
                                      struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                      cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, runtime_own(stream));
}

cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                          size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpyFromArrayAsync(dst, src, wOffset, hOffset, count, kind, runtime_own(stream));
}

cudaError_t cudaMemcpyFromArray_ptds(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                     enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return finish(cudaMemcpyFromArrayAsync(dst, src, wOffset, hOffset, count, kind, own()));
}

cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void *dst, const void *symbol, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind, runtime_own(stream));
}

cudaError_t cudaMemcpyFromSymbol_ptds(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return finish(cudaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind, own()));
}

cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpyToArrayAsync(dst, wOffset, hOffset, src, count, kind, runtime_own(stream));
}

cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                   enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return finish(cudaMemcpyToArrayAsync(dst, wOffset, hOffset, src, count, kind, own()));
}

cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *src, size_t count, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind, runtime_own(stream));
}

cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return finish(cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind, own()));
}

cudaError_t cudaMemcpy_ptds(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return finish(cudaMemcpyAsync(dst, src, count, kind, own()));
}

cudaError_t cudaMemset2DAsync_ptsz(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                                   cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemset2DAsync(devPtr, pitch, value, width, height, runtime_own(stream));
}

cudaError_t cudaMemset2D_ptds(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    RUNTIME_CALL;
    return finish(cudaMemset2DAsync(devPtr, pitch, value, width, height, own()));
}

cudaError_t cudaMemset3DAsync_ptsz(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                                   cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemset3DAsync(pitchedDevPtr, value, extent, runtime_own(stream));
}

cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
    RUNTIME_CALL;
    return finish(cudaMemset3DAsync(pitchedDevPtr, value, extent, own()));
}

cudaError_t cudaMemsetAsync_ptsz(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemsetAsync(devPtr, value, count, runtime_own(stream));
}

cudaError_t cudaMemset_ptds(void *devPtr, int value, size_t count)
{
    RUNTIME_CALL;
    return finish(cudaMemsetAsync(devPtr, value, count, own()));
}

/* The legacy stream waits for the thread's, and the other way about. */
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                          size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                          enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return cudaMemcpy2DArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind);
}

cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                        size_t wOffsetSrc, size_t hOffsetSrc, size_t count, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return cudaMemcpyArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count, kind);
}
