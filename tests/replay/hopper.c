/* Kernels of Hopper (clusters, barrier objects, bulk and tensor copies, products of warpgroups), recorded and replayed.
 * What a timed run has recorded takes the same cycles in a replay, with the same counters. Of what was recorded without
 * time the warps ask for phases more often than they would with time, as nobody lets them wait: such a replay is close. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "exec/engine/tensor_map.h"
#include "gpu/gpu.h"
#include "tests/temporary.h"
#include "tests/unit.h"
#include "trace/reader.h"
#include "trace/verify.h"
#include "trace/writer.h"

enum { ROOM = 1 << 22, MAPS = 2 * TENSOR_MAP_BYTES };

enum arguments { OUT_NUMBER, OUT_IN, IN_OUT, MAP_OUT, PRODUCT };

struct what {
    const char *cubin, *kernel;
    struct exec_dim grid;
    uint32_t threads, dynamic;
    enum arguments arguments;
    uint32_t number;
    double percent; /* of cycles, by which a replay of a functional trace may differ */
};

#define CLUSTERS "tests/gpu/cubin/clusters.sm_90.cubin"
#define ENGINE "tests/gpu/cubin/engine_clusters.sm_90a.cubin"
#define PIPELINES "tests/gpu/cubin/pipelines.sm_90.cubin"
#define WGMMA "tests/replay/cubin/wgmma.sm_90a.cubin"
enum { STAGES_BYTES = 4 * 2 * 128 * 64 * 2 + 1024, N = 256, M = 512, K = 512 };

static const struct what kernels[] = {
    {CLUSTERS, "ring", {24, 1, 1}, 64, 0, OUT_NUMBER, 6, 1},
    {CLUSTERS, "stores", {24, 1, 1}, 64, 0, OUT_NUMBER, 0, 1},
    {CLUSTERS, "atomics", {24, 1, 1}, 64, 0, OUT_NUMBER, 0, 6},
    {CLUSTERS, "phases", {24, 1, 1}, 64, 0, OUT_NUMBER, 5, 1},
    {PIPELINES, "stores", {3, 1, 1}, 128, 0, OUT_NUMBER, 50, 10},
    {PIPELINES, "copies", {2, 1, 1}, 96, 0, OUT_IN, 40, 10},
    {PIPELINES, "copies_noinc", {2, 1, 1}, 96, 0, OUT_IN, 40, 10},
    {PIPELINES, "late", {2, 1, 1}, 64, 0, OUT_NUMBER, 900, 10},
    {PIPELINES, "round_trip", {2, 1, 1}, 32, 0, OUT_NUMBER, 20, 10},
    {PIPELINES, "registers_fit", {4, 1, 1}, 384, 0, OUT_IN, 0, 10},
    {PIPELINES, "ring", {12, 1, 1}, 64, 0, OUT_NUMBER, 9, 10},
    {PIPELINES, "spread", {12, 1, 1}, 64, 0, OUT_NUMBER, 9, 12},
    {ENGINE, "multicast", {12, 1, 1}, 64, 0, IN_OUT, 0xb, 10},
    {ENGINE, "ring", {12, 1, 1}, 64, 0, IN_OUT, 3, 10},
    {ENGINE, "gather", {12, 1, 1}, 64, 0, IN_OUT, 0, 10},
    {ENGINE, "quarters", {12, 1, 1}, 64, 0, MAP_OUT, 0, 10},
    {WGMMA, "wgmma_product", {N / 128, M / 128, 1}, 384, STAGES_BYTES, PRODUCT, K, 3},
    {WGMMA, "wgmma_cluster", {N / 128, M / 128, 1}, 384, STAGES_BYTES, PRODUCT, K, 3},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- parameters -------------------------------------------------------------------------------------------------- */

/* A map is aligned to 128 bytes, and parameters begin at 0x210. */
struct parameters {
    union {
        uint64_t word[4];
        struct {
            uint8_t before[0x70], map[TENSOR_MAP_BYTES];
            uint64_t out;
        } quarters;
        struct {
            uint8_t before[0x70], a[TENSOR_MAP_BYTES], b[TENSOR_MAP_BYTES];
            uint64_t c;
            uint32_t n, k;
        } product;
    } of;
    size_t bytes;
};

static void encode(uint64_t address, uint32_t rows, uint32_t box_rows, uint8_t bytes[TENSOR_MAP_BYTES])
{
    const struct tensor_map map = {.address = address,
                                   .stride = {2, 2 * K},
                                   .size = {K, rows},
                                   .box = {64, (uint16_t)box_rows},
                                   .step = {1, 1},
                                   .rank = 2,
                                   .type = TENSOR_F16,
                                   .swizzle = SWIZZLE_128};
    assert_null(tensor_map_wrong(&map));
    tensor_map_encode(&map, bytes);
}

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

static struct parameters parameters_of(const struct what *w, uint64_t in, uint64_t out, const struct cubin_kernel *k)
{
    struct parameters p = {.bytes = k->parameter_bytes};
    bool cluster = strcmp(w->kernel, "wgmma_cluster") == 0;
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
    case PRODUCT:
        encode(in, M, 128, p.of.product.a);
        encode(in + 2 * M * K, N, cluster ? 64 : 128, p.of.product.b);
        p.of.product.c = out;
        p.of.product.n = N;
        p.of.product.k = K;
        break;
    }
    return p;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static struct gpu *make_gpu(const struct gpu_options *options)
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

/* Runs the kernel and records it. */
static struct kernel_result record(const struct what *w, bool timed, const char *path)
{
    struct status status = {0};
    struct gpu_options options = {.threads = 1, .functional = !timed, .trace_timed = true};
    struct kernel_result result;
    struct file_bytes file;
    char place[4096];
    options.trace = trace_writer_create(path, &(struct trace_origin){.gpu = "h200"}, &status);
    struct gpu *gpu = make_gpu(&options);
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

static struct kernel_result replay(const struct what *w, const char *path, unsigned threads)
{
    struct status status = {0};
    struct gpu *gpu = make_gpu(&(struct gpu_options){.threads = threads});
    struct trace_file *file = trace_open(path, &status);
    struct kernel_result result;
    struct trace_kernel *kernel = file ? trace_kernel_open(file, 0, &status) : NULL;
    if (!kernel || !gpu_replay(gpu, kernel, &result, &status))
        fail_msg("%s: %s", w->kernel, status.text);
    trace_kernel_close(kernel);
    trace_close(file);
    gpu_destroy(gpu);
    return result;
}

static void complain(void *self, const struct trace_damage *damage)
{
    (void)self;
    fail_msg("%s", damage->text);
}

static void verify(const char *path)
{
    struct status status = {0};
    const struct trace_check check = {.damage = complain};
    uint64_t damages;
    struct trace_file *file = trace_open(path, &status);
    assert_non_null(file);
    assert_true(trace_verify(file, &check, &damages, &status));
    trace_close(file);
}

static void assert_same(const struct what *w, const struct kernel_result *a, const struct kernel_result *b)
{
    if (a->cycles != b->cycles)
        fail_msg("%s: %ju cycles executed, %ju replayed", w->kernel, (uintmax_t)a->cycles, (uintmax_t)b->cycles);
    for (unsigned i = 0; sm_counter_info(i); i++)
        if (sm_counter_value(&a->sm, i) != sm_counter_value(&b->sm, i))
            fail_msg("%s: %s differs", w->kernel, sm_counter_info(i)->name);
    for (unsigned i = 0; mem_counter_info(i); i++)
        if (mem_counter_value(&a->mem, i) != mem_counter_value(&b->mem, i))
            fail_msg("%s: %s differs", w->kernel, mem_counter_info(i)->name);
    assert_int_equal(a->warp_instructions, b->warp_instructions);
    assert_int_equal(a->thread_instructions, b->thread_instructions);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void a_replay_of_a_timed_run_takes_its_cycles_with_any_number_of_threads(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KERNELS; i++) {
        char path[TEMPORARY_PATH];
        temporary_file(path);
        struct kernel_result executed = record(&kernels[i], true, path);
        verify(path);
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            struct kernel_result replayed = replay(&kernels[i], path, threads);
            assert_same(&kernels[i], &executed, &replayed);
        }
        unlink(path);
    }
}

static void a_replay_of_a_run_without_time_is_close_to_the_timed_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KERNELS; i++) {
        char path[TEMPORARY_PATH];
        temporary_file(path);
        struct kernel_result executed = record(&kernels[i], true, path);
        record(&kernels[i], false, path);
        verify(path);
        struct kernel_result replayed = replay(&kernels[i], path, 1);
        double off = 100 * ((double)replayed.cycles / (double)executed.cycles - 1);
        if (getenv("SUBCORE_TEST_PRINT"))
            printf("# %-14s %7ju executed, %7ju replayed: %+.1f %%\n", kernels[i].kernel, (uintmax_t)executed.cycles,
                   (uintmax_t)replayed.cycles, off);
        if ((off > kernels[i].percent || off < -kernels[i].percent) && !getenv("SUBCORE_TEST_PRINT"))
            fail_msg("%s: %ju cycles executed, %ju replayed", kernels[i].kernel, (uintmax_t)executed.cycles,
                     (uintmax_t)replayed.cycles);
        unlink(path);
    }
}

UNIT_TESTS(UNIT(a_replay_of_a_timed_run_takes_its_cycles_with_any_number_of_threads),
           UNIT(a_replay_of_a_run_without_time_is_close_to_the_timed_run))
