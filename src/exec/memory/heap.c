#include "exec/memory/heap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* Two tags a block, at its first and last unit: its length in units, negative while it is in use. */
struct heap {
    uint64_t base, bytes;
    uint32_t units;
    uint32_t first; /* no unit below it is free */
    bool touched;   /* something has been allocated */
    int32_t *tag;   /* [units] */
    bool *begins;   /* [units]: a block in use begins here: tags inside of blocks are left over */
};

static void set_block(struct heap *heap, uint32_t at, uint32_t units, bool used)
{
    heap->tag[at] = heap->tag[at + units - 1] = used ? -(int32_t)units : (int32_t)units;
}

static uint32_t length(const struct heap *heap, uint32_t at) { return (uint32_t)abs(heap->tag[at]); }

bool heap_prepare(struct memory *memory, struct status *status)
{
    if (memory->heap)
        return true;
    struct heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        return status_fail(status, STATUS_MEMORY, "no host memory for the device heap");
    heap->bytes = memory->heap_bytes;
    heap->units = (uint32_t)(heap->bytes / HEAP_UNIT);
    heap->tag = calloc(heap->units, sizeof *heap->tag);
    heap->begins = calloc(heap->units, sizeof *heap->begins);
    heap->base = heap->tag && heap->begins ? memory_alloc(memory, heap->bytes) : 0;
    if (!heap->base) {
        heap_destroy(heap);
        return status_fail(status, STATUS_MEMORY, "no memory for a device heap of %" PRIu64 " bytes",
                           memory->heap_bytes);
    }
    set_block(heap, 0, heap->units, false);
    memory->heap = heap;
    return true;
}

void heap_destroy(struct heap *heap)
{
    if (!heap)
        return;
    free(heap->tag);
    free(heap->begins);
    free(heap);
}

void heap_clear(struct heap *heap)
{
    if (!heap || !heap->touched)
        return;
    memset(heap->begins, 0, heap->units * sizeof *heap->begins);
    set_block(heap, 0, heap->units, false);
    heap->first = 0;
    heap->touched = false;
}

bool heap_resize(struct memory *memory, uint64_t bytes, struct status *status)
{
    if (bytes < HEAP_UNIT || bytes > HEAP_MOST || bytes % HEAP_UNIT)
        return status_fail(status, STATUS_USAGE,
                           "a device heap of %" PRIu64 " bytes: it needs a multiple of %" PRIu64 " up to %" PRIu64,
                           bytes, HEAP_UNIT, HEAP_MOST);
    if (!memory->heap) {
        memory->heap_bytes = bytes;
        return true;
    }
    if (memory->heap->touched)
        return status_fail(status, STATUS_USAGE, "the device heap is in use and keeps its %" PRIu64 " bytes",
                           memory->heap->bytes);
    uint64_t old = memory->heap_bytes;
    memory_free(memory, memory->heap->base);
    heap_destroy(memory->heap);
    memory->heap = NULL;
    memory->heap_bytes = bytes;
    if (heap_prepare(memory, status))
        return true;
    memory->heap_bytes = old;
    heap_prepare(memory, &(struct status){0});
    return false;
}

uint64_t heap_alloc(struct heap *heap, uint64_t bytes)
{
    if (!heap || bytes == 0 || bytes > heap->bytes)
        return 0;
    uint32_t units = (uint32_t)(align_up(bytes, HEAP_UNIT) / HEAP_UNIT), at = heap->first;
    bool lowest = true;
    while (at < heap->units && heap->tag[at] < (int32_t)units) {
        lowest = lowest && heap->tag[at] < 0;
        at += length(heap, at);
    }
    if (at >= heap->units)
        return 0;
    uint32_t room = length(heap, at);
    if (room > units)
        set_block(heap, at + units, room - units, false);
    set_block(heap, at, units, true);
    heap->begins[at] = true;
    heap->touched = true;
    if (lowest)
        heap->first = at + units;
    return heap->base + (uint64_t)at * HEAP_UNIT;
}

bool heap_free(struct heap *heap, uint64_t address)
{
    if (!heap || address - heap->base >= heap->bytes || (address - heap->base) % HEAP_UNIT)
        return false;
    uint32_t at = (uint32_t)((address - heap->base) / HEAP_UNIT);
    if (!heap->begins[at])
        return false;
    heap->begins[at] = false;
    uint32_t units = length(heap, at);
    if (at + units < heap->units && heap->tag[at + units] > 0)
        units += length(heap, at + units);
    if (at > 0 && heap->tag[at - 1] > 0) {
        units += length(heap, at - 1);
        at -= length(heap, at - 1);
    }
    set_block(heap, at, units, false);
    heap->first = at < heap->first ? at : heap->first;
    return true;
}

void heap_archive(struct archive *a, struct heap *heap)
{
    archive_begin(a, "device heap", heap, sizeof *heap);
    archive_array(a, &heap->tag, heap->units);
    archive_array(a, &heap->begins, heap->units);
    archive_end(a);
}
