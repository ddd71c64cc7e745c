#include "gpu/likeness.h"

#include <string.h>

#include "base/hash.h"

/* Integers up to here are sizes, strides and counts. A single-precision number of ordinary size has more. */
enum { LARGEST_SIZE = 1 << 26 };

static bool is_address(const struct memory *memory, const uint8_t *at, size_t left)
{
    uint64_t value;
    if (left < sizeof value)
        return false;
    memcpy(&value, at, sizeof value);
    return memory_inside(memory, value, 1);
}

static uint64_t add_number(uint64_t hash, uint64_t number) { return hash_bytes(hash, &number, sizeof number); }

/* Parameters have no types here: each word is looked at. */
static uint64_t add_parameters(uint64_t hash, const struct memory *memory, const uint8_t *bytes, size_t size)
{
    size_t step;
    for (size_t at = 0; at + sizeof(uint32_t) <= size; at += step) {
        uint32_t word;
        memcpy(&word, bytes + at, sizeof word);
        bool address = at % sizeof(uint64_t) == 0 && is_address(memory, bytes + at, size - at);
        step = address ? sizeof(uint64_t) : sizeof(uint32_t);
        if (!address && word <= LARGEST_SIZE)
            hash = add_number(hash_bytes(hash, &word, sizeof word), at);
    }
    return hash;
}

uint64_t likeness_of(const struct memory *memory, const struct gpu_launch *launch)
{
    uint64_t hash = hash_bytes(HASH_SEED, launch->kernel, strlen(launch->kernel));
    const uint32_t shape[] = {launch->grid.x,    launch->grid.y,     launch->grid.z,    launch->block.x,
                              launch->block.y,   launch->block.z,    launch->cluster.x, launch->cluster.y,
                              launch->cluster.z, launch->cooperative};
    for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++)
        hash = add_number(hash, shape[i]);
    hash = add_number(hash, launch->dynamic_shared_bytes);
    hash = hash_mix(add_parameters(hash, memory, launch->parameters, launch->parameter_bytes));
    return hash ? hash : 1;
}
