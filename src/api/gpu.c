/* Opening a GPU, and its memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"

enum { MOST_THREADS = 256 };

/* ---- life -------------------------------------------------------------------------------------------------------- */

static bool configure(struct config *config, const struct subcore_options *options, struct status *status)
{
    if (!config_load(config, options->gpu ? options->gpu : "rtx-a6000", status))
        return false;
    for (size_t i = 0; i < options->set_count; i++)
        if (!config_set(config, options->set[i], status))
            return false;
    return config_check(config, status);
}

struct subcore_gpu *subcore_open(const struct subcore_options *options, struct subcore_error *error)
{
    static const struct subcore_options none = {0};
    const struct subcore_options *o = options ? options : &none;
    struct status status = {0};
    struct config config;
    if (o->threads > MOST_THREADS || (o->set_count && !o->set)) {
        api_fail(error, SUBCORE_ARGUMENT, "subcore_open: %u host threads and %zu assignments; threads are 1 to %d",
                 o->threads, o->set_count, MOST_THREADS);
        return NULL;
    }
    struct subcore_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) {
        api_fail(error, SUBCORE_MEMORY, "subcore_open: out of memory");
        return NULL;
    }
    const struct gpu_options settings = {
        .threads = o->threads ? o->threads : 1, .output = o->output, .stop = &gpu->stop, .plan = &gpu->plan};
    if (configure(&config, o, &status))
        gpu->gpu = gpu_create(&config, &settings, &status);
    if (gpu->gpu)
        return gpu;
    api_fail_status(error, &status);
    free(gpu);
    return NULL;
}

void subcore_close(struct subcore_gpu *gpu)
{
    if (!gpu)
        return;
    while (gpu->modules)
        subcore_unload(gpu, gpu->modules);
    gpu_destroy(gpu->gpu);
    free(gpu);
}

void subcore_stop(struct subcore_gpu *gpu) { gpu->stop = true; }

void subcore_gpu_facts(const struct subcore_gpu *gpu, struct subcore_facts *facts)
{
    const struct config *c = gpu_config(gpu->gpu);
    *facts = (struct subcore_facts){
        .name = c->gpu.name,
        .architecture = c->gpu.architecture,
        .sms = c->gpu.sms,
        .clock_mhz = c->gpu.clock,
        .memory_bytes = gpu_memory(gpu->gpu)->capacity,
        .memory_bandwidth = c->dram.bandwidth * 1e9,
        .warps_per_sm = c->sm.warps,
        .registers_per_sm = c->sm.registers,
        .shared_bytes_per_cta = c->sm.shared_per_cta,
    };
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

uint64_t subcore_alloc(struct subcore_gpu *gpu, uint64_t bytes, struct subcore_error *error)
{
    const struct memory *m = gpu_memory(gpu->gpu);
    uint64_t address = memory_alloc(gpu_memory(gpu->gpu), bytes);
    if (!address)
        api_fail(error, SUBCORE_MEMORY,
                 "subcore_alloc: no room for %" PRIu64 " bytes; %" PRIu64 " of %" PRIu64 " are allocated", bytes,
                 m->allocated, m->capacity);
    return address;
}

/* The variables of a module go with it. */
static bool holds_variables(const struct subcore_gpu *gpu, uint64_t address)
{
    for (const struct subcore_module *m = gpu->modules; m; m = m->next)
        for (size_t i = 0; i < m->image_count; i++)
            if (address && (m->images[i]->globals == address || m->images[i]->constants == address))
                return true;
    return false;
}

bool subcore_free(struct subcore_gpu *gpu, uint64_t address, struct subcore_error *error)
{
    if (holds_variables(gpu, address))
        return api_fail(error, SUBCORE_ARGUMENT, "subcore_free: 0x%" PRIx64 " is where variables of a module are",
                        address);
    return memory_free(gpu_memory(gpu->gpu), address) ||
           api_fail(error, SUBCORE_ARGUMENT, "subcore_free: no allocation begins at 0x%" PRIx64, address);
}

static bool inside(struct subcore_gpu *gpu, const char *function, uint64_t address, uint64_t bytes,
                   struct subcore_error *error)
{
    char place[200];
    if (bytes == 0 || memory_inside(gpu_memory(gpu->gpu), address, bytes))
        return true;
    memory_describe(gpu_memory(gpu->gpu), address, place, sizeof place);
    return api_fail(error, SUBCORE_ARGUMENT, "%s: %" PRIu64 " bytes are not inside of one allocation: %s", function,
                    bytes, place);
}

bool subcore_write(struct subcore_gpu *gpu, uint64_t to, const void *from, uint64_t bytes, struct subcore_error *error)
{
    return inside(gpu, "subcore_write", to, bytes, error) && memory_write(gpu_memory(gpu->gpu), to, from, bytes);
}

bool subcore_read(struct subcore_gpu *gpu, void *to, uint64_t from, uint64_t bytes, struct subcore_error *error)
{
    return inside(gpu, "subcore_read", from, bytes, error) && memory_read(gpu_memory(gpu->gpu), to, from, bytes);
}

bool subcore_copy(struct subcore_gpu *gpu, uint64_t to, uint64_t from, uint64_t bytes, struct subcore_error *error)
{
    struct memory *m = gpu_memory(gpu->gpu);
    if (!inside(gpu, "subcore_copy", to, bytes, error) || !inside(gpu, "subcore_copy", from, bytes, error))
        return false;
    if (bytes)
        memmove(memory_at(m, to), memory_at(m, from), bytes);
    return true;
}

bool subcore_fill(struct subcore_gpu *gpu, uint64_t to, uint8_t value, uint64_t bytes, struct subcore_error *error)
{
    if (!inside(gpu, "subcore_fill", to, bytes, error))
        return false;
    if (bytes)
        memset(memory_at(gpu_memory(gpu->gpu), to), value, bytes);
    return true;
}
