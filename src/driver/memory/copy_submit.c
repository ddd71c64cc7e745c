/* Copies on their way into a stream. */
#include <stdlib.h>
#include <string.h>

#include "driver/capture/submit.h"
#include "driver/memory/allocations.h"
#include "driver/memory/copy.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"

/* Larger copies from pageable memory are not staged but waited for, as the API allows: memory does not pile up. */
enum { MOST_STAGED = 4 << 20 };

static bool pageable(const struct driver *driver, const struct copy_end *end)
{
    return end->space == COPY_HOST && !allocation_find(driver, copy_row(end, 0, 0));
}

static bool synchronous(const struct driver *driver, const struct copy_end *end)
{
    const struct allocation *found = end->space == COPY_ARRAY ? NULL : allocation_find(driver, copy_row(end, 0, 0));
    return found && found->synchronous;
}

/* Takes a copy of pageable memory, rows packed. */
static bool stage(struct copy_command *c)
{
    size_t bytes = c->width * c->height * c->depth;
    if (bytes > MOST_STAGED || !(c->staged = malloc(bytes)))
        return false;
    uint8_t *to = c->staged;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++, to += c->width)
            memcpy(to, (const void *)(uintptr_t)copy_row(&c->from, y, z), c->width);
    return true;
}

/* Whether the call may return before the copy is done. */
static bool may_run_later(const struct driver *driver, struct copy_command *c, enum copy_manner manner)
{
    bool from_host = c->from.space == COPY_HOST, to_host = c->to.space == COPY_HOST;
    if (manner == COPY_IN_STREAM)
        return true;
    if (manner == COPY_DURING_CALL)
        return from_host && stage(c);
    if ((from_host && to_host) || synchronous(driver, &c->from) || synchronous(driver, &c->to))
        return false;
    if (manner == COPY_SYNCHRONOUS)
        return !from_host && !to_host;
    if (pageable(driver, &c->to))
        return false;
    return !pageable(driver, &c->from) || stage(c);
}

CUresult copy_submit(struct call *call, const CUDA_MEMCPY3D *box, CUstream handle, bool per_thread,
                     enum copy_manner manner)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    struct command command;
    CUresult result = copy_make(call->driver, box, &command);
    if (result != CUDA_SUCCESS || command.kind == COMMAND_EMPTY)
        return result;
    if (manner != COPY_SYNCHRONOUS && stream->capture) /* the node reads memory when it runs */
        return stream_submit(stream, &command);
    if (may_run_later(call->driver, &command.copy, manner))
        return stream_submit(stream, &command);
    return stream_submit_and_wait(stream, &command);
}

CUresult copy_call(const char *name, const CUDA_MEMCPY3D *box, CUstream stream, bool per_thread,
                   enum copy_manner manner)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = !box ? CUDA_ERROR_INVALID_VALUE : copy_submit(&call, box, stream, per_thread, manner);
    return call_end(&call, result);
}
