/* The driver's services for a running program, printing, allocating, failing assertions, is the same for any number of
 * host threads and with idle cycles skipped or not; and the model of time computes plain execution's results. */
#include "base/file.h"
#include "base/hash.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { WORDS = 1024, LAUNCHES = 16 };

struct step {
    const char *kernel;
    uint32_t ctas, threads;
    int32_t n;
};

struct outcome {
    uint64_t memory, words[LAUNCHES], cycles[LAUNCHES], instructions[LAUNCHES];
    char printed[8192];
    char fault[300];
};

struct variant {
    unsigned threads;
    bool skip, functional;
};

static const struct step services[] = {
    {"print_all", 1, 1, 5},    {"print_order", 40, 96, 0}, {"heap_lists", 12, 64, 20}, {"heap_full", 1, 1, 100},
    {"heap_lists", 30, 96, 5}, {"chain", 1, 64, 3},        {"hand_over", 1, 64, 5},    {"virtual_calls", 1, 70, 5},
    {"recursion", 3, 70, 2},   {"jump_table", 2, 100, 11}, {"early_exit", 1, 96, 11},  {"counted_barriers", 2, 128, 3},
    {"reductions", 2, 256, 7}, {"two_groups", 2, 64, 12},  {"print_order", 12, 48, 0}, {"assertion", 9, 64, 64 + 37},
};

static struct gpu *gpu_of(const char *name, struct variant v, FILE *output)
{
    struct status status = {0};
    struct config config;
    const struct gpu_options options = {.threads = v.threads, .functional = v.functional, .output = output};
    assert_true(config_load(&config, name, &status));
    assert_true(config_set(&config, v.skip ? "run.skip_idle=true" : "run.skip_idle=false", &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    if (!gpu)
        fail_msg("%s", status.text);
    return gpu;
}

static void launch(struct gpu *gpu, struct exec_module *module, uint64_t out, unsigned index, struct outcome *o)
{
    const struct step *step = &services[index];
    const struct {
        uint64_t out;
        int32_t n, unused;
    } parameters = {out, step->n, 0};
    const struct gpu_launch l = {.module = module,
                                 .kernel = step->kernel,
                                 .grid = {step->ctas, 1, 1},
                                 .block = {step->threads, 1, 1},
                                 .parameters = &parameters,
                                 .parameter_bytes = 12};
    struct kernel_result result;
    struct status status = {0};
    void *words = memory_at(gpu_memory(gpu), out);
    memset(words, 0, 4 * WORDS);
    if (!gpu_launch(gpu, &l, &result, &status)) {
        if (index != LAUNCHES - 1)
            fail_msg("%s: %s", step->kernel, status.text);
        snprintf(o->fault, sizeof o->fault, "%s", status.text);
    }
    o->words[index] = hash_bytes(HASH_SEED, words, 4 * WORDS);
    o->cycles[index] = result.cycles;
    o->instructions[index] = result.warp_instructions;
}

static void run(const char *name, unsigned sm, struct variant v, struct outcome *o)
{
    struct status status = {0};
    struct file_bytes file;
    char path[4096], cubin[64];
    memset(o, 0, sizeof *o);
    FILE *output = fmemopen(o->printed, sizeof o->printed, "w");
    assert_non_null(output);
    struct gpu *gpu = gpu_of(name, v, output);
    snprintf(cubin, sizeof cubin, "tests/exec/cubin/flow.sm_%u.cubin", sm);
    assert_true(file_read(unit_path(path, cubin), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, cubin, &status);
    if (!module)
        fail_msg("%s", status.text);
    uint64_t out = memory_alloc(gpu_memory(gpu), 4 * WORDS);
    for (unsigned i = 0; i < LAUNCHES; i++)
        launch(gpu, module, out, i, o);
    o->memory = memory_digest(gpu_memory(gpu));
    gpu_destroy(gpu);
    fclose(output);
    file_free(&file);
}

static void compare(const char *name, unsigned sm)
{
    static const struct variant variants[] = {{2, true, false}, {3, true, false}, {1, false, false}, {3, false, false}};
    struct outcome first, other;
    run(name, sm, (struct variant){1, true, false}, &first);
    assert_non_null(strstr(first.printed, "block 39 thread 80\n"));
    assert_non_null(strstr(first.fault, "block: [1,0,0], thread: [37,0,0] Assertion `"));
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        run(name, sm, variants[v], &other);
        assert_string_equal(first.printed, other.printed);
        assert_string_equal(first.fault, other.fault);
        for (unsigned i = 0; i < LAUNCHES; i++)
            if (first.cycles[i] != other.cycles[i])
                fail_msg("%s on %s with %u threads, skipping %s: %llu and %llu cycles", services[i].kernel, name,
                         variants[v].threads, variants[v].skip ? "on" : "off", (unsigned long long)first.cycles[i],
                         (unsigned long long)other.cycles[i]);
        assert_memory_equal(&first, &other, sizeof first);
    }
    run(name, sm, (struct variant){1, true, true}, &other);
    for (unsigned i = 0; i + 1 < LAUNCHES; i++)
        if (first.words[i] != other.words[i])
            fail_msg("%s on %s: timed and plain execution differ", services[i].kernel, name);
}

static void services_do_not_depend_on_threads_or_skipping_on_a100(void **state)
{
    (void)state;
    compare("a100", 80);
}

static void services_do_not_depend_on_threads_or_skipping_on_rtx_a6000(void **state)
{
    (void)state;
    compare("rtx-a6000", 86);
}

static void services_do_not_depend_on_threads_or_skipping_on_h200(void **state)
{
    (void)state;
    compare("h200", 90);
}

UNIT_TESTS(UNIT(services_do_not_depend_on_threads_or_skipping_on_a100),
           UNIT(services_do_not_depend_on_threads_or_skipping_on_rtx_a6000),
           UNIT(services_do_not_depend_on_threads_or_skipping_on_h200))
