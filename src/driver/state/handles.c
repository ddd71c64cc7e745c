#include "driver/state/handles.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

struct slot {
    void *pointer; /* NULL: free */
    enum handle_kind kind;
};

/* Open addressing, at most half full. A removal closes its gap. */
struct handles {
    struct slot *slots;
    size_t size; /* a power of two */
    size_t used;
};

static size_t home(const struct handles *handles, const void *pointer)
{
    return (size_t)((uint64_t)(uintptr_t)pointer * 0x9e3779b97f4a7c15U >> 20) & (handles->size - 1);
}

struct handles *handles_create(void)
{
    struct handles *handles = calloc(1, sizeof *handles);
    if (!handles)
        return NULL;
    handles->size = 256;
    handles->slots = calloc(handles->size, sizeof *handles->slots);
    if (!handles->slots) {
        free(handles);
        return NULL;
    }
    return handles;
}

static struct slot *slot_of(const struct handles *handles, const void *pointer)
{
    size_t i = home(handles, pointer);
    while (handles->slots[i].pointer && handles->slots[i].pointer != pointer)
        i = (i + 1) & (handles->size - 1);
    return &handles->slots[i];
}

static bool grow(struct handles *handles)
{
    struct handles larger = {.size = handles->size * 2, .used = handles->used};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < handles->size; ++i)
        if (handles->slots[i].pointer)
            *slot_of(&larger, handles->slots[i].pointer) = handles->slots[i];
    free(handles->slots);
    *handles = larger;
    return true;
}

void *handle_new(struct handles *handles, enum handle_kind kind, size_t size)
{
    if (handles->used * 2 >= handles->size && !grow(handles))
        return NULL;
    void *pointer = calloc(1, size);
    if (!pointer)
        return NULL;
    *slot_of(handles, pointer) = (struct slot){pointer, kind};
    ++handles->used;
    return pointer;
}

bool handle_is(const struct handles *handles, enum handle_kind kind, const void *pointer)
{
    return pointer && slot_of(handles, pointer)->kind == kind && kind != HANDLE_NONE;
}

void handle_free(struct handles *handles, void *pointer)
{
    struct slot *gap = slot_of(handles, pointer);
    assert(pointer && gap->pointer);
    size_t mask = handles->size - 1, hole = (size_t)(gap - handles->slots);
    for (size_t i = (hole + 1) & mask; handles->slots[i].pointer; i = (i + 1) & mask)
        if (((i - home(handles, handles->slots[i].pointer)) & mask) >= ((i - hole) & mask)) {
            handles->slots[hole] = handles->slots[i];
            hole = i;
        }
    handles->slots[hole] = (struct slot){NULL, HANDLE_NONE};
    --handles->used;
    free(pointer);
}
