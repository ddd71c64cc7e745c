/* Batches of prefetches and discards. Discarded memory keeps its bytes here: any content is right until it is
 * written. */
#include "driver/abi/api_memory.h"
#include "driver/memory/managed.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"
#include "driver/state/call.h"

struct batch {
    const CUdeviceptr *address;
    const size_t *bytes;
    size_t count;
    const CUmemLocation *location; /* NULL with no locations: only discards */
    const size_t *first;           /* range that a location begins with */
    size_t locations;
    unsigned long long flags;
};

static bool batch_right(const struct batch *b, bool prefetches)
{
    if (!b->address || !b->bytes || b->count == 0 || b->flags != 0)
        return false;
    if (!prefetches)
        return true;
    if (!b->location || !b->first || b->locations == 0 || b->locations > b->count || b->first[0] != 0)
        return false;
    for (size_t i = 1; i < b->locations; i++)
        if (b->first[i] >= b->count || b->first[i] <= b->first[i - 1])
            return false;
    return true;
}

/* All ranges are checked before the first is prefetched. */
static CUresult check(struct call *call, const struct batch *b, bool prefetches, CUstream handle, bool per_thread)
{
    const struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream->legacy || !batch_right(b, prefetches))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < b->count; i++)
        if (!managed_holds(call->driver, b->address[i], b->bytes[i]))
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult run(const char *name, const struct batch *b, bool prefetches, CUstream stream, bool per_thread)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = check(&call, b, prefetches, stream, per_thread);
    size_t location = 0;
    for (size_t i = 0; prefetches && i < b->count && result == CUDA_SUCCESS; i++) {
        if (location + 1 < b->locations && b->first[location + 1] == i)
            location++;
        result = managed_prefetch(&call, b->address[i], b->bytes[i], b->location[location], stream, per_thread);
    }
    return call_end(&call, result);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs,
                                 size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                 CUstream hStream)
{
    struct batch b = {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags};
    return run(__func__, &b, true, hStream, false);
}

CUresult cuMemPrefetchBatchAsync_ptsz(CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs,
                                      size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                      CUstream hStream)
{
    struct batch b = {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags};
    return run(__func__, &b, true, hStream, true);
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs,
                                           size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream)
{
    struct batch b = {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags};
    return run(__func__, &b, true, hStream, false);
}

CUresult cuMemDiscardAndPrefetchBatchAsync_ptsz(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                                CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                size_t numPrefetchLocs, unsigned long long flags, CUstream hStream)
{
    struct batch b = {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags};
    return run(__func__, &b, true, hStream, true);
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                CUstream hStream)
{
    struct batch b = {dptrs, sizes, count, NULL, NULL, 0, flags};
    return run(__func__, &b, false, hStream, false);
}

CUresult cuMemDiscardBatchAsync_ptsz(CUdeviceptr *dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                     CUstream hStream)
{
    struct batch b = {dptrs, sizes, count, NULL, NULL, 0, flags};
    return run(__func__, &b, false, hStream, true);
}
