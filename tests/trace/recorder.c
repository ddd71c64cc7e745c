#include "recorder.h"

#include "../unit.h"
#include "base/embed.h"
#include "base/hash.h"
#include "cli/example_map.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/observers.h"
#include "exec/run.h"
#include "exec/warp_state.h"
#include "stream.h"
#include "tests/launch_begin.h"

struct device {
    struct memory *memory;
    struct exec_module module;
    struct recording *r;
    unsigned sm;
    const struct exec_launch *launch;
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

static void watch(void *self, const struct exec_warp *warp, const struct issued *is)
{
    struct device *d = self;
    struct recorded_kernel *k = &d->r->kernel[d->r->kernels - 1];
    struct recorded_warp *w = &k->warp[warp->cta->linear * k->warps + warp->index];
    const struct isa_inst *isa = &d->launch->kernel->code[is->pc / 16].isa;
    bool two = isa_op_info((enum isa_op)isa->op)->memory == ISA_MEM_ASYNC_COPY;
    w->hash = issued_hash(w->instructions ? w->hash : HASH_SEED, is, two);
    w->instructions++;
    k->instructions++;
    d->r->instructions++;
    struct trace_stream *s = trace_writer_stream(d->r->writer, warp->cta->linear, warp->index);
    assert_non_null(s);
    trace_stream_add(s, is);
    if (is->flow == ISSUED_EXITED)
        trace_stream_end(s);
}

static void begin(struct device *d, const struct exec_launch *launch)
{
    const struct exec_kernel *code = launch->kernel;
    struct trace_launch l = {.name = (char *)(uintptr_t)code->cubin->name,
                             .architecture = d->sm,
                             .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
                             .block = {launch->block.x, launch->block.y, launch->block.z},
                             .registers = 32,
                             .control_bits = true,
                             .code_count = code->count};
    l.code = calloc(l.code_count, sizeof *l.code);
    assert_non_null(l.code);
    for (uint32_t i = 0; i < l.code_count; i++)
        l.code[i].isa = code->code[i].isa;
    struct recording *r = d->r;
    assert_true(r->kernels < sizeof r->kernel / sizeof *r->kernel);
    r->kernel[r->kernels] = (struct recorded_kernel){.ctas = launch->cta_count, .warps = launch->warps_per_cta};
    struct recorded_kernel *k = &r->kernel[r->kernels++];
    k->warp = calloc(k->ctas * k->warps, sizeof *k->warp);
    assert_non_null(k->warp);
    assert_true(trace_writer_begin(r->writer, &l, &r->status));
    free(l.code);
}

static bool device_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                          uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    enum { SM_COUNT = 4, WARP_SLOTS = 256 };
    struct device *d = self;
    struct exec_launch launch;
    if (!launch_begin(&launch, &d->module, kernel, (struct exec_dim){grid.x, grid.y, grid.z},
                      (struct exec_dim){block.x, block.y, block.z}, dynamic_shared_bytes, params, param_bytes, SM_COUNT,
                      WARP_SLOTS, &d->r->status))
        return false;
    const struct exec_watch watcher = {d, watch, NULL};
    launch.watch = &watcher;
    d->launch = &launch;
    begin(d, &launch);
    struct exec_totals totals;
    bool ok = exec_run(&launch, NULL, NULL, NULL, &totals, &d->r->status);
    if (!trace_writer_end(d->r->writer, ok, &d->r->status))
        ok = false;
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

bool record_example(const struct example *example, unsigned sm, struct recording *r)
{
    struct device d = {.r = r, .sm = sm, .memory = memory_create(UINT64_C(1) << 30, &r->status)};
    struct cubin_bytes image = find_cubin(example->module, sm);
    struct example_result result = {.ok = false};
    const struct example_device interface = {&d, device_alloc, device_write, device_read, device_launch, example_map};
    if (d.memory && exec_module_load(&d.module, d.memory, image, example->module, &r->status)) {
        result = example->run(&interface);
        exec_module_unload(&d.module);
    }
    memory_destroy(d.memory);
    return result.ok;
}

void recording_free(struct recording *r)
{
    for (uint32_t i = 0; i < r->kernels; i++)
        free(r->kernel[i].warp);
    r->kernels = 0;
}
