#include "tests/hazard/example.h"

#include "base/embed.h"
#include "cli/example_map.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/launch.h"
#include "exec/module.h"
#include "exec/observers.h"
#include "exec/run.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

struct device {
    struct memory *memory;
    struct exec_module module;
    struct hazards *hazards;
    bool (*executed)[EXAMPLE_CODE]; /* [EXAMPLE_KERNELS] */
    struct status status;
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

static void watch(void *self, const struct exec_warp *warp, const struct issued *issued)
{
    struct device *d = self;
    size_t kernel = (size_t)(warp->cta->launch->kernel - d->module.kernels);
    if (d->executed && issued->active && issued->pc / 16 < EXAMPLE_CODE)
        d->executed[kernel][issued->pc / 16] = true;
    if (d->hazards)
        hazards_issued(d->hazards, 0, warp->slot, warp->cta->linear, issued->pc, issued->path, issued->active, 0);
}

static bool device_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                          uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    struct device *d = self;
    const struct exec_watch watcher = {d, watch, NULL};
    struct exec_launch l;
    struct exec_totals totals;
    if (!launch_begin(&l, &d->module, kernel, (struct exec_dim){grid.x, grid.y, grid.z},
                      (struct exec_dim){block.x, block.y, block.z}, dynamic_shared_bytes, params, param_bytes, 4, 256,
                      &d->status))
        return false;
    const struct hazard_launch h = {.kernel = kernel,
                                    .architecture = d->module.sm,
                                    .isa = &l.kernel->code[0].isa,
                                    .stride = sizeof l.kernel->code[0],
                                    .count = l.kernel->count,
                                    .sms = 1,
                                    .warps_per_cta = l.warps_per_cta};
    l.watch = &watcher;
    bool ok = (!d->hazards || hazards_begin(d->hazards, &h)) && exec_run(&l, NULL, NULL, NULL, &totals, &d->status);
    if (d->hazards)
        hazards_end(d->hazards);
    exec_launch_end(&l);
    return ok;
}

void example_check(const struct example *example, struct cubin_bytes image, struct hazards *hazards,
                   bool (*executed)[EXAMPLE_CODE])
{
    struct device d = {.hazards = hazards, .executed = executed};
    const struct example_device interface = {&d, device_alloc, device_write, device_read, device_launch, example_map};
    d.memory = memory_create(UINT64_C(1) << 30, &d.status);
    if (!d.memory || !exec_module_load(&d.module, d.memory, image, example->module, &d.status))
        fail_msg("%s", d.status.text);
    struct example_result result = example->run(&interface);
    if (!result.ok)
        fail_msg("%s: %s %s", example->name, d.status.text, result.text);
    exec_module_unload(&d.module);
    memory_destroy(d.memory);
}

struct cubin_bytes example_image(const char *module, unsigned sm)
{
    char name[64];
    size_t count;
    const struct embedded *cubins = embedded_cubins(&count);
    snprintf(name, sizeof name, "%s.sm_%u", module, sm);
    for (size_t i = 0; i < count; i++)
        if (strcmp(cubins[i].name, name) == 0)
            return (struct cubin_bytes){cubins[i].data, cubins[i].size};
    return (struct cubin_bytes){0};
}
