/* Copies, when their turn comes. */
#include <string.h>

#include "driver/memory/copy.h"
#include "driver/memory/host_link.h"
#include "driver/memory/space.h"
#include "driver/state/process_trace.h"
#include "exec/memory/undefined.h"

/* Rows follow each other without a gap. */
static bool packed(const struct copy_end *end, const struct copy_command *c)
{
    return (end->pitch == c->width || c->height * c->depth == 1) && (end->height == c->height || c->depth == 1);
}

/* Returns false if the memory is gone. */
static bool copy_bytes(struct driver *driver, uint64_t to, uint64_t from, const uint8_t *staged, size_t bytes)
{
    uint8_t *into = place_of(driver, to, bytes);
    const uint8_t *out_of = staged ? staged : place_of(driver, from, bytes);
    if (!into || !out_of)
        return false;
    memmove(into, out_of, bytes);
    memory_define(driver_memory(driver), to, bytes);
    return true;
}

static bool copy_rows(struct driver *driver, const struct copy_command *c)
{
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++) {
            const uint8_t *staged = c->staged ? c->staged + (z * c->height + y) * c->width : NULL;
            if (!copy_bytes(driver, copy_row(&c->to, y, z), copy_row(&c->from, y, z), staged, c->width))
                return false;
        }
    return true;
}

CUresult copy_execute(struct execution *execution)
{
    struct driver *driver = execution->driver;
    const struct copy_command *c = &execution->command->copy;
    bool from_host = c->from.space == COPY_HOST, to_host = c->to.space == COPY_HOST;
    bool whole = packed(&c->to, c) && (c->staged || packed(&c->from, c));
    uint64_t bytes = (uint64_t)c->width * c->height * c->depth, to = copy_row(&c->to, 0, 0);
    bool done = whole ? copy_bytes(driver, to, copy_row(&c->from, 0, 0), c->staged, bytes) : copy_rows(driver, c);
    if (!done)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    execution->cost = copy_cost(driver, from_host, to_host, bytes);
    if (from_host && !to_host)
        process_trace_copy(driver, to, bytes, execution->stream.in_trace);
    return CUDA_SUCCESS;
}
