/* Copies of boxes: rows and slices, in linear memory and in arrays. */
#include "driver/abi/api_memory.h"
#include "driver/memory/copy.h"
#include "driver/state/context.h"

static CUDA_MEMCPY3D from_rows(const CUDA_MEMCPY2D *rows)
{
    return (CUDA_MEMCPY3D){
        .srcXInBytes = rows->srcXInBytes,
        .srcY = rows->srcY,
        .srcMemoryType = rows->srcMemoryType,
        .srcHost = rows->srcHost,
        .srcDevice = rows->srcDevice,
        .srcArray = rows->srcArray,
        .srcPitch = rows->srcPitch,
        .dstXInBytes = rows->dstXInBytes,
        .dstY = rows->dstY,
        .dstMemoryType = rows->dstMemoryType,
        .dstHost = rows->dstHost,
        .dstDevice = rows->dstDevice,
        .dstArray = rows->dstArray,
        .dstPitch = rows->dstPitch,
        .WidthInBytes = rows->WidthInBytes,
        .Height = rows->Height,
        .Depth = 1,
    };
}

static CUresult copy_rows(const char *name, const CUDA_MEMCPY2D *rows, CUstream stream, bool per_thread,
                          enum copy_manner manner)
{
    if (!rows)
        return copy_call(name, NULL, stream, per_thread, manner);
    CUDA_MEMCPY3D box = from_rows(rows);
    return copy_call(name, &box, stream, per_thread, manner);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) { return copy_rows(__func__, pCopy, NULL, false, COPY_SYNCHRONOUS); }

CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *pCopy)
{
    return copy_rows(__func__, pCopy, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
    return copy_rows(__func__, pCopy, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *pCopy)
{
    return copy_rows(__func__, pCopy, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return copy_rows(__func__, pCopy, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return copy_rows(__func__, pCopy, hStream, true, COPY_ASYNCHRONOUS);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) { return copy_call(__func__, pCopy, NULL, false, COPY_SYNCHRONOUS); }

CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *pCopy)
{
    return copy_call(__func__, pCopy, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return copy_call(__func__, pCopy, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return copy_call(__func__, pCopy, hStream, true, COPY_ASYNCHRONOUS);
}

static CUDA_MEMCPY3D from_peers(const CUDA_MEMCPY3D_PEER *peers)
{
    return (CUDA_MEMCPY3D){
        .srcXInBytes = peers->srcXInBytes,
        .srcY = peers->srcY,
        .srcZ = peers->srcZ,
        .srcLOD = peers->srcLOD,
        .srcMemoryType = peers->srcMemoryType,
        .srcHost = peers->srcHost,
        .srcDevice = peers->srcDevice,
        .srcArray = peers->srcArray,
        .srcPitch = peers->srcPitch,
        .srcHeight = peers->srcHeight,
        .dstXInBytes = peers->dstXInBytes,
        .dstY = peers->dstY,
        .dstZ = peers->dstZ,
        .dstLOD = peers->dstLOD,
        .dstMemoryType = peers->dstMemoryType,
        .dstHost = peers->dstHost,
        .dstDevice = peers->dstDevice,
        .dstArray = peers->dstArray,
        .dstPitch = peers->dstPitch,
        .dstHeight = peers->dstHeight,
        .WidthInBytes = peers->WidthInBytes,
        .Height = peers->Height,
        .Depth = peers->Depth,
    };
}

static CUresult copy_peers(const char *name, const CUDA_MEMCPY3D_PEER *peers, CUstream stream, bool per_thread,
                           enum copy_manner manner)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !peers)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS &&
        (!context_lives(call.driver, peers->srcContext) || !context_lives(call.driver, peers->dstContext)))
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS) {
        CUDA_MEMCPY3D box = from_peers(peers);
        result = copy_submit(&call, &box, stream, per_thread, manner);
    }
    return call_end(&call, result);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
    return copy_peers(__func__, pCopy, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER *pCopy)
{
    return copy_peers(__func__, pCopy, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    return copy_peers(__func__, pCopy, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    return copy_peers(__func__, pCopy, hStream, true, COPY_ASYNCHRONOUS);
}
