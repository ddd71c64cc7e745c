/* Bulk and tensor copies in timed runs: they leave the results of a functional run. The kernels are those of
 * tests/exec/tensors.cu, which tests/exec/tensors.c compares with nested loops. */
#include <stdlib.h>

#include "base/file.h"
#include "gpu/gpu.h"
#include "tests/exec/tensor_rig.h"

enum { CASES = 12 };

struct runner {
    struct gpu *gpu;
    struct kernel_result result;
    enum gpu_mode mode;
};

static bool run(struct tensor_rig *r, const char *kernel, const void *parameters, size_t bytes)
{
    struct runner *runner = r->runner;
    const struct gpu_launch launch = {.module = r->module,
                                      .kernel = kernel,
                                      .grid = {1, 1, 1},
                                      .block = {64, 1, 1},
                                      .dynamic_shared_bytes = TENSOR_SHARED,
                                      .parameters = parameters,
                                      .parameter_bytes = bytes,
                                      .mode = runner->mode};
    return gpu_launch(runner->gpu, &launch, &runner->result, &r->status);
}

static void begin(struct tensor_rig *r, struct runner *runner, uint64_t seed, bool skip)
{
    static const char place[] = "tests/exec/cubin/tensors.sm_90a.cubin";
    const struct gpu_options options = {.threads = 1, .functional = true};
    struct config config;
    struct file_bytes file;
    char path[4096];
    *r = (struct tensor_rig){.run = run, .runner = runner};
    *runner = (struct runner){0};
    assert_true(config_load(&config, "h200", &r->status));
    assert_true(config_set(&config, "gpu.memory=1", &r->status));
    assert_true(config_set(&config, skip ? "run.skip_idle=true" : "run.skip_idle=false", &r->status));
    runner->gpu = gpu_create(&config, &options, &r->status);
    assert_non_null(runner->gpu);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &r->status));
    struct exec_module *module = gpu_load(runner->gpu, (struct cubin_bytes){file.data, file.size}, place, &r->status);
    assert_non_null(module);
    file_free(&file);
    tensor_rig_enter(r, seed, gpu_memory(runner->gpu), module);
}

static void end(struct tensor_rig *r, struct runner *runner)
{
    free(r->before);
    gpu_destroy(runner->gpu);
}

/* Runs the kernel executed only, and timed, from the same memory; both leave the same. Returns the cycles. */
static uint64_t compare(struct tensor_rig *r, const char *kernel, bool with_map)
{
    static uint8_t tensor[TENSOR_BYTES], out[TILE_BYTES + 8];
    struct runner *runner = r->runner;
    for (unsigned timed = 0; timed < 2; timed++) {
        memcpy(r->host, r->before, TENSOR_BYTES);
        memset(r->out, 0x55, TILE_BYTES + 8);
        runner->mode = timed ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL;
        if (!tensor_launch(r, kernel, with_map))
            fail_msg("%s, timed %u: %s", kernel, timed, r->status.text);
        if (timed) {
            assert_memory_equal(tensor, r->host, TENSOR_BYTES);
            assert_memory_equal(out, r->out, TILE_BYTES + 8);
        }
        memcpy(tensor, r->host, TENSOR_BYTES);
        memcpy(out, r->out, TILE_BYTES + 8);
    }
    assert_true(runner->result.cycles > 300);
    return runner->result.cycles;
}

static void nothing(void *self, uint64_t address, uint32_t offset)
{
    uint32_t *end = self;
    (void)address;
    *end = offset > *end ? offset : *end;
}

static void place(struct tensor_rig *r)
{
    uint32_t end = 0;
    r->task.shared = 128 * tensor_draw(r, 12);
    r->task.bytes = tensor_model(r, nothing, &end);
    r->task.room = (end + 2047) / 1024 * 1024;
    assert_true(r->task.room <= TILE_BYTES);
}

/* The same cases, also without jumping over idle cycles: same results in the same time. */
static void check_cases(const char *kernels, unsigned least, unsigned ranks, bool column, bool loads)
{
    uint64_t cycles[2] = {0};
    for (unsigned skip = 0; skip < 2; skip++) {
        static struct tensor_rig r;
        struct runner runner;
        begin(&r, &runner, least + ranks + loads, skip);
        tensor_fill(&r);
        uint64_t in = r.task.in;
        for (uint32_t i = 0; i < TILE_BYTES; i++)
            r.in[i] = (uint8_t)tensor_draw(&r, 256);
        for (unsigned i = 0; i < CASES * ranks; i++) {
            char kernel[32];
            unsigned rank = i % ranks + least;
            snprintf(kernel, sizeof kernel, "%s_%u", kernels, rank);
            if (column)
                tensor_random_column(&r, rank);
            else
                tensor_random_tile(&r, rank, TENSOR_B4X16);
            place(&r);
            r.task.in = loads ? 0 : in;
            cycles[skip] = cycles[skip] * 31 + compare(&r, kernel, true);
        }
        end(&r, &runner);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

static void a_timed_load_of_a_tile_leaves_what_an_untimed_one_does(void **state)
{
    (void)state;
    check_cases("load", 1, 5, false, true);
}

static void so_does_a_load_of_a_column(void **state)
{
    (void)state;
    check_cases("column", 3, 3, true, true);
}

static void so_do_stores_of_tiles_and_columns(void **state)
{
    (void)state;
    check_cases("store", 1, 5, false, false);
    check_cases("column_store", 3, 3, true, false);
}

static void so_do_reductions_of_every_type_and_function(void **state)
{
    (void)state;
    static const char *const kernels[] = {
        "bulk_add_u32",   "bulk_add_s32",   "bulk_add_u64",  "bulk_inc_u32", "bulk_dec_u32", "bulk_min_s64",
        "bulk_max_f16",   "bulk_add_f16",   "bulk_add_bf16", "bulk_add_f32", "bulk_add_f64", "bulk_xor_b64",
        "shared_add_u64", "shared_min_s32", "bulk_load",     "bulk_shared",  "bulk_store",   "bulk_multicast"};
    static struct tensor_rig r;
    struct runner runner;
    begin(&r, &runner, 99, true);
    tensor_fill(&r);
    for (uint32_t i = 0; i < TILE_BYTES; i++)
        r.in[i] = (uint8_t)tensor_draw(&r, 256);
    for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        r.task.bytes = 16 * (1 + tensor_draw(&r, 300));
        r.task.shared = 16 * tensor_draw(&r, 20);
        r.task.global = r.tensor + 16 * tensor_draw(&r, 1000);
        r.task.room = 16384;
        r.task.mask = 1;
        compare(&r, kernels[i], false);
    }
    r.task.bytes = 512;
    r.task.global = r.tensor;
    compare(&r, "groups", false);
    end(&r, &runner);
}

UNIT_TESTS(UNIT(a_timed_load_of_a_tile_leaves_what_an_untimed_one_does), UNIT(so_does_a_load_of_a_column),
           UNIT(so_do_stores_of_tiles_and_columns), UNIT(so_do_reductions_of_every_type_and_function))
