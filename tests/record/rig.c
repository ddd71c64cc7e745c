#include "rig.h"

#include "base/embed.h"
#include "base/file.h"
#include "cli/example_map.h"

void rig_begin(struct rig *r, const char *gpu, const char *path, bool record)
{
    memset(r, 0, sizeof *r);
    r->output = fopen("/dev/null", "we");
    struct gpu_options options = {.threads = 1, .functional = true, .output = r->output};
    assert_true(config_load(&r->config, gpu, &r->status));
    assert_true(config_set(&r->config, "gpu.memory=2", &r->status));
    if (record) {
        const struct trace_origin origin = {"a test", gpu, "functional execution"};
        options.trace = r->writer = trace_writer_create(path, &origin, &r->status);
        if (!r->writer)
            fail_msg("%s", r->status.text);
    } else {
        match_open(&r->check, path);
    }
    r->gpu = gpu_create(&r->config, &options, &r->status);
    assert_non_null(r->gpu);
    r->out = memory_alloc(gpu_memory(r->gpu), 4 * RIG_WORDS);
}

void rig_load(struct rig *r, struct cubin_bytes image, const char *name)
{
    r->module = gpu_load(r->gpu, image, name, &r->status);
    if (!r->module)
        fail_msg("%s", r->status.text);
}

void rig_load_file(struct rig *r, const char *place)
{
    char path[4096];
    struct file_bytes file;
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &r->status));
    rig_load(r, (struct cubin_bytes){file.data, file.size}, place);
    file_free(&file);
}

bool rig_launch(struct rig *r, const struct gpu_launch *given)
{
    const struct exec_watch watch = {&r->check, match_issued, NULL};
    struct gpu_launch launch = *given;
    struct kernel_result result;
    launch.module = r->module;
    if (!r->writer) {
        launch.watch = &watch;
        match_begin(&r->check);
    }
    r->status = (struct status){0};
    bool ok = gpu_launch(r->gpu, &launch, &result, &r->status);
    if (!r->writer && ok)
        match_end(&r->check);
    return ok;
}

void rig_end(struct rig *r)
{
    struct status status = {0};
    if (!r->writer)
        match_close(&r->check);
    else if (!trace_writer_finish(r->writer, &status))
        fail_msg("%s", status.text);
    trace_writer_destroy(r->writer);
    gpu_destroy(r->gpu);
    fclose(r->output);
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

static uint64_t device_alloc(void *self, size_t bytes)
{
    return memory_alloc(gpu_memory(((struct rig *)self)->gpu), bytes);
}

static bool device_write(void *self, uint64_t to, const void *from, size_t bytes)
{
    return memory_write(gpu_memory(((struct rig *)self)->gpu), to, from, bytes);
}

static bool device_read(void *self, void *to, uint64_t from, size_t bytes)
{
    return memory_read(gpu_memory(((struct rig *)self)->gpu), to, from, bytes);
}

static bool device_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                          uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    const struct gpu_launch launch = {
        .kernel = kernel,
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .parameters = params,
        .parameter_bytes = param_bytes,
    };
    return rig_launch(self, &launch);
}

void rig_example(struct rig *r, const struct example *example)
{
    const struct example_device device = {r, device_alloc, device_write, device_read, device_launch, example_map};
    char name[64];
    size_t count;
    const struct embedded *cubins = embedded_cubins(&count);
    snprintf(name, sizeof name, "%s.sm_%u", example->module, r->config.gpu.architecture);
    for (size_t i = 0; i < count; i++)
        if (strcmp(cubins[i].name, name) == 0)
            rig_load(r, (struct cubin_bytes){cubins[i].data, cubins[i].size}, name);
    assert_non_null(r->module);
    struct example_result result = example->run(&device);
    if (!result.ok)
        fail_msg("%s: %s %s", example->name, result.text, r->status.text);
}
