/* Copies by the engine that are under way when a run is saved, or when its rest is executed without time: it goes on to
 * the same end. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "gpu/save.h"
#include "tests/exec/tensor_rig.h"
#include "tests/temporary.h"

enum { STEP = 60, SAVES = 16 };

static const char version[] = "test";

struct saver {
    struct gpu *gpu;
    char path[TEMPORARY_PATH];
    bool writes, reads, done;
    uint64_t limit; /* cycles that are timed, the rest is executed (0: none) */
};

static bool save(void *self, uint64_t cycle, bool last, struct status *status)
{
    struct saver *s = self;
    (void)cycle;
    (void)last;
    if (!s->writes || s->done)
        return true;
    struct archive *a = archive_create(s->path, gpu_layout(version), status);
    assert_non_null(a);
    gpu_archive(s->gpu, a);
    s->done = archive_close(a, status);
    return s->done;
}

static bool begun(void *self, struct status *status)
{
    struct saver *s = self;
    if (!s->reads)
        return true;
    struct archive *a = archive_open(s->path, gpu_layout(version), status);
    if (!a)
        return false;
    gpu_archive(s->gpu, a);
    s->done = archive_close(a, status);
    return s->done;
}

struct run {
    uint64_t cycles;
    uint8_t *tensor, *out;
};

static bool launch(struct tensor_rig *r, const char *kernel, const void *parameters, size_t bytes)
{
    struct kernel_result result;
    const struct gpu_launch l = {.module = r->module,
                                 .kernel = kernel,
                                 .grid = {3, 1, 1},
                                 .block = {64, 1, 1},
                                 .dynamic_shared_bytes = TENSOR_SHARED,
                                 .parameters = parameters,
                                 .parameter_bytes = bytes,
                                 .mode = GPU_MODE_DETAILED};
    if (!gpu_launch(((struct saver *)r->runner)->gpu, &l, &result, &r->status))
        return false;
    r->random = result.cycles;
    return true;
}

/* Runs the kernel on a fresh GPU. The saver says whether it saves, or goes on from the saved state. */
static struct run run(struct saver *s, const char *kernel, uint64_t every)
{
    static const char place[] = "tests/exec/cubin/tensors.sm_90a.cubin";
    struct plan plan = {0};
    const struct gpu_options options = {
        .threads = 1 + s->reads, .functional = true, .plan = s->limit ? &plan : NULL, .pause = {s, begun, save, every}};
    char limit[32];
    static struct tensor_rig r;
    struct config config;
    struct file_bytes file;
    char path[4096];
    r = (struct tensor_rig){.run = launch, .runner = s};
    s->done = false;
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)s->limit);
    plan.finish = true;
    if (s->limit)
        assert_true(plan_add(&plan, "until-cycles", "limit", limit, &r.status));
    assert_true(config_load(&config, "h200", &r.status));
    assert_true(config_set(&config, "gpu.memory=1", &r.status));
    s->gpu = gpu_create(&config, &options, &r.status);
    assert_non_null(s->gpu);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &r.status));
    struct exec_module *module = gpu_load(s->gpu, (struct cubin_bytes){file.data, file.size}, place, &r.status);
    assert_non_null(module);
    file_free(&file);
    tensor_rig_enter(&r, 5, gpu_memory(s->gpu), module);
    tensor_fill(&r);
    for (uint32_t i = 0; i < TILE_BYTES; i++)
        r.in[i] = (uint8_t)tensor_draw(&r, 256);
    r.map = (struct tensor_map){.address = r.tensor,
                                .stride = {4, 512},
                                .size = {100, 300},
                                .box = {32, 64},
                                .step = {1, 1},
                                .rank = 2,
                                .type = TENSOR_U32,
                                .swizzle = SWIZZLE_128};
    r.task.at[0] = 80;
    r.task.bytes = strcmp(kernel, "groups") == 0 ? 4096 : 8192;
    r.task.room = 16384;
    r.task.global = r.tensor;
    if (strncmp(kernel, "load", 4) == 0)
        r.task.in = 0;
    if (!tensor_launch(&r, kernel, strcmp(kernel, "groups") != 0))
        fail_msg("%s: %s", kernel, r.status.text);
    struct run out = {.cycles = r.random, .tensor = malloc(TENSOR_BYTES), .out = malloc(TILE_BYTES)};
    assert_true(out.tensor && out.out);
    memcpy(out.tensor, r.host, TENSOR_BYTES);
    memcpy(out.out, r.out, TILE_BYTES);
    free(r.before);
    gpu_destroy(s->gpu);
    plan_free(&plan);
    return out;
}

static void same(const struct run *a, struct run b, const char *kernel, uint64_t every)
{
    if (a->cycles != b.cycles)
        fail_msg("%s, saved at cycle %u: %u cycles, not %u", kernel, (unsigned)every, (unsigned)b.cycles,
                 (unsigned)a->cycles);
    assert_memory_equal(a->tensor, b.tensor, TENSOR_BYTES);
    assert_memory_equal(a->out, b.out, TILE_BYTES);
    free(b.tensor);
    free(b.out);
}

static void a_run_that_is_saved_with_copies_under_way_goes_on_to_the_same_end(void **state)
{
    (void)state;
    static const char *const kernels[] = {"load_2", "store_2", "reduce_2_add", "groups"};
    struct saver s = {0};
    close(temporary_open(s.path));
    for (unsigned k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        s.writes = s.reads = false;
        struct run whole = run(&s, kernels[k], 0);
        unsigned resumed = 0;
        for (uint64_t every = STEP; every < whole.cycles; every += whole.cycles / SAVES + 1) {
            s.writes = true;
            s.reads = false;
            same(&whole, run(&s, kernels[k], every), kernels[k], every);
            if (!s.done)
                continue;
            s.writes = false;
            s.reads = true;
            same(&whole, run(&s, kernels[k], 0), kernels[k], every);
            resumed += s.done;
        }
        assert_true(resumed > SAVES / 2);
        free(whole.tensor);
        free(whole.out);
    }
    unlink(s.path);
}

static void what_a_limit_leaves_of_copies_is_executed(void **state)
{
    (void)state;
    static const char *const kernels[] = {"load_2", "store_2", "reduce_2_add", "groups"};
    struct saver s = {0};
    for (unsigned k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        s.limit = 0;
        struct run whole = run(&s, kernels[k], 0);
        for (s.limit = STEP; s.limit < whole.cycles; s.limit += whole.cycles / (2 * SAVES) + 1) {
            struct run part = run(&s, kernels[k], 0);
            part.cycles = whole.cycles;
            same(&whole, part, kernels[k], s.limit);
        }
        free(whole.tensor);
        free(whole.out);
    }
}

UNIT_TESTS(UNIT(what_a_limit_leaves_of_copies_is_executed),
           UNIT(a_run_that_is_saved_with_copies_under_way_goes_on_to_the_same_end))
