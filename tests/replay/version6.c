/* Traces of Hopper's kernels as they come back from Accel-Sim's version 6, as text and in containers: the replay is
 * that of the native trace. */
#include <dirent.h>
#include <unistd.h>

#include "accelsim/accelsim.h"
#include "accelsim/export.h"
#include "tests/replay/hopper_rig.h"
#include "tests/replay/runner.h"
#include "tests/temporary.h"

static void remove_folder(const char *folder)
{
    char path[4096];
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *entry; (entry = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(d);
    assert_int_equal(rmdir(folder), 0);
}

/* Writes the native trace for Accel-Sim and reads that. */
static struct trace_file *there_and_back(const char *native, enum accelsim_packing packing, bool ours)
{
    char folder[TEMPORARY_PATH], list[TEMPORARY_PATH + 32];
    struct status status = {0};
    struct accelsim_written written;
    struct accelsim_report report;
    uint64_t damaged;
    const struct accelsim_export export = {.format = {.packing = packing, .version = 6, .code = ours}};
    temporary_folder(folder);
    struct trace_file *file = trace_open(native, &status);
    if (!file || !accelsim_export(file, folder, &export, &written, &damaged, &status))
        fail_msg("%s", status.text);
    trace_close(file);
    snprintf(list, sizeof list, "%s/kernelslist.g", folder);
    file = accelsim_open(list, &ACCELSIM_DEFAULTS, &report, &status);
    if (!file)
        fail_msg("%s", status.text);
    assert_int_equal(report.instructions, written.instructions);
    remove_folder(folder);
    return file;
}

static struct kernel_result replay_kernel(struct gpu *gpu, struct trace_file *file, uint32_t number, const char *name)
{
    struct status status = {0};
    struct kernel_result result = {0};
    struct trace_kernel *kernel = trace_kernel_open(file, number, &status);
    if (!kernel || !gpu_replay(gpu, kernel, &result, &status))
        fail_msg("%s: %s", name, status.text);
    trace_kernel_close(kernel);
    return result;
}

static struct kernel_result replay(struct gpu *gpu, struct trace_file *file, const char *name)
{
    struct kernel_result result = replay_kernel(gpu, file, 0, name);
    trace_close(file);
    gpu_destroy(gpu);
    return result;
}

static void assert_same(const char *what, const struct kernel_result *a, const struct kernel_result *b)
{
    if (a->cycles != b->cycles)
        fail_msg("%s: %ju cycles, %ju as version 6", what, (uintmax_t)a->cycles, (uintmax_t)b->cycles);
    for (unsigned i = 0; sm_counter_info(i); i++)
        if (sm_counter_value(&a->sm, i) != sm_counter_value(&b->sm, i))
            fail_msg("%s: %s differs", what, sm_counter_info(i)->name);
    for (unsigned i = 0; mem_counter_info(i); i++)
        if (mem_counter_value(&a->mem, i) != mem_counter_value(&b->mem, i))
            fail_msg("%s: %s differs", what, mem_counter_info(i)->name);
    assert_int_equal(a->warp_instructions, b->warp_instructions);
    assert_int_equal(a->thread_instructions, b->thread_instructions);
}

static void kernels_have_the_cycles_and_counters_of_their_native_traces(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HOPPER_KERNELS; i++) {
        char path[TEMPORARY_PATH];
        const struct hopper_kernel *w = &hopper_kernels[i];
        const struct gpu_options one = {.threads = 1};
        struct status status = {0};
        temporary_file(path);
        hopper_record(w, true, path);
        struct kernel_result native = replay(hopper_gpu(&one), trace_open(path, &status), w->kernel);
        enum accelsim_packing packing = i % 2 ? ACCELSIM_TRACEZ : ACCELSIM_PLAIN;
        struct kernel_result six = replay(hopper_gpu(&one), there_and_back(path, packing, true), w->kernel);
        assert_same(w->kernel, &native, &six);
        unlink(path);
    }
}

static struct gpu *gpu_of(const struct runner *runner)
{
    struct status status = {0};
    struct gpu *gpu = gpu_create(gpu_config(runner->gpu), &(struct gpu_options){.threads = 1}, &status);
    if (!gpu)
        fail_msg("%s", status.text);
    return gpu;
}

/* All launches of a trace. */
static void compare_launches(const char *name, const struct runner *runner, struct trace_file *a, struct trace_file *b)
{
    assert_int_equal(trace_kernels(a), trace_kernels(b));
    struct gpu *gpu = gpu_of(runner), *other = gpu_of(runner);
    for (uint32_t k = 0; k < trace_kernels(a); k++) {
        struct kernel_result native = replay_kernel(gpu, a, k, name), six = replay_kernel(other, b, k, name);
        assert_same(name, &native, &six);
    }
    gpu_destroy(gpu);
    gpu_destroy(other);
    trace_close(a);
    trace_close(b);
}

static void compare_example(const struct example *example, const char *gpu, bool functional,
                            enum accelsim_packing packing)
{
    char path[TEMPORARY_PATH];
    struct runner recorded;
    struct status status = {0};
    temporary_file(path);
    runner_run(&recorded, example, gpu, NULL, functional, path);
    compare_launches(example->name, &recorded, trace_open(path, &status), there_and_back(path, packing, true));
    runner_end(&recorded);
    unlink(path);
}

static void examples_have_the_cycles_and_counters_of_their_native_traces(void **state)
{
    (void)state;
    size_t count;
    const struct example *examples = example_list_hopper(&count);
    for (size_t i = 0; i < count; i++)
        compare_example(&examples[i], "h200", false, i % 2 ? ACCELSIM_PLAIN : ACCELSIM_TRACEZ);
    examples = example_list(&count);
    for (size_t i = 0; i < count; i += unit_full() ? 1 : 4)
        compare_example(&examples[i], "a100", true, i % 2 ? ACCELSIM_PLAIN : ACCELSIM_TRACEZ);
}

/* The part of them that Accel-Sim's own format carries, without machine code and the fields for Subcore's reader:
 * predicates, uniform registers and control bits are missing, so that warps wait less. */
static void assert_close(const char *name, const struct kernel_result *native, const struct kernel_result *six)
{
    double off = 100 * ((double)six->cycles / (double)native->cycles - 1);
    if (unit_full())
        printf("# %-18s %7ju native, %7ju as version 6 alone: %+.1f %%\n", name, (uintmax_t)native->cycles,
               (uintmax_t)six->cycles, off);
    assert_int_equal(native->warp_instructions, six->warp_instructions);
    assert_int_equal(native->sm.tma_commands, six->sm.tma_commands);
    assert_int_equal(native->sm.tma_sectors_load, six->sm.tma_sectors_load);
    assert_int_equal(native->sm.tma_sectors_store, six->sm.tma_sectors_store);
    if (off < -26 || off > 10)
        fail_msg("%s: %ju cycles, %ju as version 6 alone", name, (uintmax_t)native->cycles, (uintmax_t)six->cycles);
}

static void kernels_come_close_without_what_is_ours(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HOPPER_KERNELS; i++) {
        char path[TEMPORARY_PATH];
        const struct hopper_kernel *w = &hopper_kernels[i];
        const struct gpu_options one = {.threads = 1};
        struct status status = {0};
        temporary_file(path);
        hopper_record(w, true, path);
        struct kernel_result native = replay(hopper_gpu(&one), trace_open(path, &status), w->kernel);
        struct kernel_result six = replay(hopper_gpu(&one), there_and_back(path, ACCELSIM_PLAIN, false), w->kernel);
        assert_close(w->kernel, &native, &six);
        unlink(path);
    }
}

static void examples_come_close_without_what_is_ours(void **state)
{
    (void)state;
    size_t count;
    const struct example *examples = example_list_hopper(&count);
    for (size_t i = 0; i < count; i++) {
        char path[TEMPORARY_PATH];
        struct runner recorded;
        struct status status = {0};
        temporary_file(path);
        runner_run(&recorded, &examples[i], "h200", NULL, false, path);
        struct kernel_result native = replay(gpu_of(&recorded), trace_open(path, &status), examples[i].name);
        struct trace_file *alone = there_and_back(path, ACCELSIM_TRACEZ, false);
        struct kernel_result six = replay(gpu_of(&recorded), alone, examples[i].name);
        assert_close(examples[i].name, &native, &six);
        runner_end(&recorded);
        unlink(path);
    }
}

UNIT_TESTS(UNIT(kernels_have_the_cycles_and_counters_of_their_native_traces),
           UNIT(examples_have_the_cycles_and_counters_of_their_native_traces),
           UNIT(kernels_come_close_without_what_is_ours), UNIT(examples_come_close_without_what_is_ours))
