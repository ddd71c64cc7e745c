#include "exec/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { ALIGNMENT = 16, UNITS = HEAP_BYTES / ALIGNMENT };

/* Two tags a block, at its first and last unit: its length in units, negative while it is in use. */
struct heap {
    uint64_t base;
    uint32_t first; /* no unit below it is free */
    int32_t tag[UNITS];
    bool begins[UNITS]; /* a block in use begins here: tags inside of blocks are left over */
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
    heap->base = memory_alloc(memory, HEAP_BYTES);
    if (!heap->base) {
        free(heap);
        return status_fail(status, STATUS_MEMORY, "no device memory for a heap of %d bytes", HEAP_BYTES);
    }
    set_block(heap, 0, UNITS, false);
    memory->heap = heap;
    return true;
}

void heap_destroy(struct heap *heap) { free(heap); }

uint64_t heap_alloc(struct heap *heap, uint64_t bytes)
{
    if (!heap || bytes == 0 || bytes > HEAP_BYTES)
        return 0;
    uint32_t units = (uint32_t)(align_up(bytes, ALIGNMENT) / ALIGNMENT), at = heap->first;
    bool lowest = true;
    while (at < UNITS && heap->tag[at] < (int32_t)units) {
        lowest = lowest && heap->tag[at] < 0;
        at += length(heap, at);
    }
    if (at >= UNITS)
        return 0;
    uint32_t room = length(heap, at);
    if (room > units)
        set_block(heap, at + units, room - units, false);
    set_block(heap, at, units, true);
    heap->begins[at] = true;
    if (lowest)
        heap->first = at + units;
    return heap->base + (uint64_t)at * ALIGNMENT;
}

bool heap_free(struct heap *heap, uint64_t address)
{
    if (!heap || address - heap->base >= HEAP_BYTES || (address - heap->base) % ALIGNMENT)
        return false;
    uint32_t at = (uint32_t)((address - heap->base) / ALIGNMENT);
    if (!heap->begins[at])
        return false;
    heap->begins[at] = false;
    uint32_t units = length(heap, at);
    if (at + units < UNITS && heap->tag[at + units] > 0)
        units += length(heap, at + units);
    if (at > 0 && heap->tag[at - 1] > 0) {
        units += length(heap, at - 1);
        at -= length(heap, at - 1);
    }
    set_block(heap, at, units, false);
    heap->first = at < heap->first ? at : heap->first;
    return true;
}
