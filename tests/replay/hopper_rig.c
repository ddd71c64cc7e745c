#include "tests/replay/hopper_rig.h"

#include "base/file.h"
#include "exec/engine/tensor_map.h"
#include "tests/unit.h"
#include "trace/writer.h"

enum { ROOM = 1 << 22 };

#define CLUSTERS "tests/gpu/cubin/clusters.sm_90.cubin"
#define ENGINE "tests/gpu/cubin/engine_clusters.sm_90a.cubin"
#define PIPELINES "tests/gpu/cubin/pipelines.sm_90.cubin"

const struct hopper_kernel hopper_kernels[HOPPER_KERNELS] = {
    {CLUSTERS, "ring", {24, 1, 1}, 64, 0, OUT_NUMBER, 6, 1},
    {CLUSTERS, "stores", {24, 1, 1}, 64, 0, OUT_NUMBER, 0, 1},
    {CLUSTERS, "atomics", {24, 1, 1}, 64, 0, OUT_NUMBER, 0, 13}, /* a loop tries again as often as time has it */
    {CLUSTERS, "phases", {24, 1, 1}, 64, 0, OUT_NUMBER, 5, 1},
    {PIPELINES, "stores", {3, 1, 1}, 128, 0, OUT_NUMBER, 50, 10},
    {PIPELINES, "copies", {2, 1, 1}, 96, 0, OUT_IN, 40, 10},
    {PIPELINES, "copies_noinc", {2, 1, 1}, 96, 0, OUT_IN, 80, 10}, /* 40 rounds scatter by more */
    {PIPELINES, "late", {2, 1, 1}, 64, 0, OUT_NUMBER, 900, 10},
    {PIPELINES, "round_trip", {2, 1, 1}, 32, 0, OUT_NUMBER, 20, 10},
    {PIPELINES, "registers_fit", {4, 1, 1}, 384, 0, OUT_IN, 0, 10},
    {PIPELINES, "ring", {12, 1, 1}, 64, 0, OUT_NUMBER, 9, 10},
    {PIPELINES, "spread", {12, 1, 1}, 64, 0, OUT_NUMBER, 9, 12},
    {ENGINE, "multicast", {12, 1, 1}, 64, 0, IN_OUT, 0xb, 10},
    {ENGINE, "ring", {12, 1, 1}, 64, 0, IN_OUT, 3, 10},
    {ENGINE, "gather", {12, 1, 1}, 64, 0, IN_OUT, 0, 10},
    {ENGINE, "quarters", {12, 1, 1}, 64, 0, MAP_OUT, 0, 10},
};

/* ---- parameters -------------------------------------------------------------------------------------------------- */

/* A map is aligned to 128 bytes, and parameters begin at 0x210. */
struct parameters {
    union {
        uint64_t word[4];
        struct {
            uint8_t before[0x70], map[TENSOR_MAP_BYTES];
            uint64_t out;
        } quarters;
    } of;
    size_t bytes;
};

static void encode_words(uint64_t address, uint8_t bytes[TENSOR_MAP_BYTES])
{
    const struct tensor_map map = {.address = address,
                                   .stride = {4, 64},
                                   .size = {16, 100},
                                   .box = {16, 8},
                                   .step = {1, 1},
                                   .rank = 2,
                                   .type = TENSOR_U32};
    tensor_map_encode(&map, bytes);
}

static struct parameters parameters_of(const struct hopper_kernel *w, uint64_t in, uint64_t out,
                                       const struct cubin_kernel *k)
{
    struct parameters p = {.bytes = k->parameter_bytes};
    switch (w->arguments) {
    case OUT_NUMBER:
        p.of.word[0] = out;
        p.of.word[1] = w->number;
        break;
    case OUT_IN:
        p.of.word[0] = out;
        p.of.word[1] = in;
        p.of.word[2] = w->number;
        break;
    case IN_OUT:
        p.of.word[0] = in;
        p.of.word[1] = out;
        p.of.word[2] = w->number;
        break;
    case MAP_OUT:
        encode_words(in, p.of.quarters.map);
        p.of.quarters.out = out;
        break;
    }
    return p;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

struct gpu *hopper_gpu(const struct gpu_options *options)
{
    struct config config;
    struct status status = {0};
    struct gpu *gpu = NULL;
    if (config_load(&config, "h200", &status) && config_set(&config, "gpu.memory=1", &status) &&
        config_set(&config, "mbarrier.try_limit=1000000", &status))
        gpu = gpu_create(&config, options, &status);
    if (!gpu)
        fail_msg("%s", status.text);
    return gpu;
}

struct kernel_result hopper_record(const struct hopper_kernel *w, bool timed, const char *path)
{
    struct status status = {0};
    struct gpu_options options = {.threads = 1, .functional = !timed, .trace_timed = true};
    struct kernel_result result;
    struct file_bytes file;
    char place[4096];
    options.trace = trace_writer_create(path, &(struct trace_origin){.gpu = "h200"}, &status);
    struct gpu *gpu = hopper_gpu(&options);
    assert_true(file_read(unit_path(place, w->cubin), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, w->cubin, &status);
    assert_non_null(module);
    uint64_t in = memory_alloc(gpu_memory(gpu), ROOM), out = memory_alloc(gpu_memory(gpu), ROOM);
    const struct cubin_kernel *kernel = NULL;
    for (size_t i = 0; i < module->cubin.kernel_count; i++)
        if (strcmp(module->cubin.kernels[i].name, w->kernel) == 0)
            kernel = &module->cubin.kernels[i];
    assert_non_null(kernel);
    struct parameters p = parameters_of(w, in, out, kernel);
    const struct gpu_launch launch = {.module = module,
                                      .kernel = w->kernel,
                                      .grid = w->grid,
                                      .block = {w->threads, 1, 1},
                                      .dynamic_shared_bytes = w->dynamic,
                                      .parameters = &p.of,
                                      .parameter_bytes = p.bytes};
    if (!gpu_launch(gpu, &launch, &result, &status) || !trace_writer_finish(options.trace, &status))
        fail_msg("%s: %s", w->kernel, status.text);
    trace_writer_destroy(options.trace);
    file_free(&file);
    gpu_destroy(gpu);
    return result;
}
