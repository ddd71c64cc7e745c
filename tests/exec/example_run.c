#include "example_run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/embed.h"
#include "cli/example_map.h"
#include "deferred_run.h"
#include "tests/launch_begin.h"

struct device {
    struct memory *memory;
    struct exec_module module;
    struct example_run *run;
    uint64_t seed;
};

static uint64_t device_alloc(void *self, size_t bytes) { return memory_alloc(((struct device *)self)->memory, bytes); }

static bool device_write(void *self, uint64_t to, const void *from, size_t bytes)
{
    return memory_write(((struct device *)self)->memory, to, from, bytes);
}

static bool device_read(void *self, void *to, uint64_t from, size_t bytes)
{
    return memory_read(((struct device *)self)->memory, to, from, bytes);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool device_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                          uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    enum { SM_COUNT = 4, WARP_SLOTS = 256 };
    struct device *device = self;
    struct example_run *run = device->run;
    struct exec_launch launch;
    if (!launch_begin(&launch, &device->module, kernel, (struct exec_dim){grid.x, grid.y, grid.z},
                      (struct exec_dim){block.x, block.y, block.z}, dynamic_shared_bytes, params, param_bytes, SM_COUNT,
                      WARP_SLOTS, &run->status))
        return false;
    struct exec_totals totals;
    double start = now();
    bool ok = device->seed ? deferred_run(&launch, device->seed++, &totals, &run->status)
                           : exec_run(&launch, NULL, NULL, NULL, &totals, &run->status);
    run->seconds += now() - start;
    run->totals.warp_instructions += totals.warp_instructions;
    run->totals.thread_instructions += totals.thread_instructions;
    run->totals.ctas += totals.ctas;
    exec_launch_end(&launch);
    return ok;
}

static struct cubin_bytes find_cubin(const char *module, unsigned sm)
{
    char name[64];
    snprintf(name, sizeof name, "%s.sm_%u", module, sm);
    size_t count;
    const struct embedded *cubins = embedded_cubins(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(cubins[i].name, name))
            return (struct cubin_bytes){cubins[i].data, cubins[i].size};
    return (struct cubin_bytes){0};
}

struct example_run example_run(const struct example *example, unsigned sm, uint64_t seed)
{
    struct example_run run = {.result.text = "it did not start"};
    struct device device = {.run = &run, .seed = seed, .memory = memory_create(UINT64_C(1) << 30, &run.status)};
    struct cubin_bytes image = find_cubin(example->module, sm);
    const struct example_device interface = {&device,     device_alloc,  device_write,
                                             device_read, device_launch, example_map};
    if (device.memory && exec_module_load(&device.module, device.memory, image, example->module, &run.status)) {
        run.result = example->run(&interface);
        exec_module_unload(&device.module);
    }
    memory_destroy(device.memory);
    return run;
}
