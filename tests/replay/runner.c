#include "tests/replay/runner.h"
#include "cli/example_map.h"

#include <unistd.h>

#include "cli/demo.h"
#include "tests/unit.h"
#include "trace/writer.h"

static uint64_t device_alloc(void *self, size_t bytes)
{
    return memory_alloc(gpu_memory(((struct runner *)self)->gpu), bytes);
}

static bool device_write(void *self, uint64_t to, const void *from, size_t bytes)
{
    return memory_write(gpu_memory(((struct runner *)self)->gpu), to, from, bytes);
}

static bool device_read(void *self, void *to, uint64_t from, size_t bytes)
{
    return memory_read(gpu_memory(((struct runner *)self)->gpu), to, from, bytes);
}

static bool device_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                          uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    struct runner *r = self;
    const struct gpu_launch launch = {.module = r->module,
                                      .kernel = kernel,
                                      .grid = {grid.x, grid.y, grid.z},
                                      .block = {block.x, block.y, block.z},
                                      .dynamic_shared_bytes = dynamic_shared_bytes,
                                      .parameters = params,
                                      .parameter_bytes = param_bytes};
    struct kernel_result *grown = realloc(r->results, (r->count + 1) * sizeof *grown);
    assert_non_null(grown);
    r->results = grown;
    return gpu_launch(r->gpu, &launch, &r->results[r->count++], &r->status);
}

static bool set_all(struct config *config, const char *set, struct status *status)
{
    char text[256];
    snprintf(text, sizeof text, "%s", set);
    bool ok = true;
    for (char *one = strtok(text, " "); one && ok; one = strtok(NULL, " "))
        ok = config_set(config, one, status);
    return ok;
}

static void begin(struct runner *r, const struct example *example, const char *gpu, const char *set,
                  const struct gpu_options *options)
{
    struct config config;
    struct cubin_bytes image;
    bool ok = config_load(&config, gpu, &r->status) && (!set || set_all(&config, set, &r->status)) &&
              demo_cubin(example->module, config.gpu.architecture, &image, &r->status);
    r->gpu = ok ? gpu_create(&config, options, &r->status) : NULL;
    r->module = r->gpu ? gpu_load(r->gpu, image, example->module, &r->status) : NULL;
    if (!r->module)
        fail_msg("%s on %s: %s", example->name, gpu, r->status.text);
}

void runner_run(struct runner *r, const struct example *example, const char *gpu, const char *set, bool functional,
                const char *trace)
{
    struct gpu_options options = {.threads = 1, .functional = functional, .trace_timed = true};
    const struct example_device device = {r, device_alloc, device_write, device_read, device_launch, example_map};
    *r = (struct runner){0};
    if (trace)
        options.trace = trace_writer_create(trace, &(struct trace_origin){.gpu = gpu}, &r->status);
    begin(r, example, gpu, set, &options);
    struct example_result result = example->run(&device);
    bool ok = result.ok && (!trace || trace_writer_finish(options.trace, &r->status));
    trace_writer_destroy(options.trace);
    if (!ok)
        fail_msg("%s on %s: %s; %s", example->name, gpu, result.text, r->status.text);
}

void runner_end(struct runner *r)
{
    gpu_destroy(r->gpu);
    free(r->results);
}
