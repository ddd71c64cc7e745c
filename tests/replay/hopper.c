/* Kernels of Hopper (clusters, barrier objects, bulk and tensor copies, products of warpgroups), recorded and replayed.
 * A record of a timed run takes the same cycles in a replay, with the same counters. In a record without time the warps
 * ask for phases more often than they would with time, as nobody lets them wait: such a replay comes close. */
#include <stdlib.h>
#include <unistd.h>

#include "tests/replay/hopper_rig.h"
#include "tests/temporary.h"
#include "tests/unit.h"
#include "trace/reader.h"
#include "trace/verify.h"

/* ---- runs ------------------------------------------------------------------------------------------------- */

static struct kernel_result replay(const struct hopper_kernel *w, const char *path, unsigned threads)
{
    struct status status = {0};
    struct gpu *gpu = hopper_gpu(&(struct gpu_options){.threads = threads});
    struct trace_file *file = trace_open(path, &status);
    struct kernel_result result = {0};
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

static void assert_same(const struct hopper_kernel *w, const struct kernel_result *a, const struct kernel_result *b)
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
    for (unsigned i = 0; i < HOPPER_KERNELS; i++) {
        char path[TEMPORARY_PATH];
        temporary_file(path);
        struct kernel_result executed = hopper_record(&hopper_kernels[i], true, path);
        verify(path);
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            struct kernel_result replayed = replay(&hopper_kernels[i], path, threads);
            assert_same(&hopper_kernels[i], &executed, &replayed);
        }
        unlink(path);
    }
}

static void a_replay_of_a_run_without_time_is_close_to_the_timed_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HOPPER_KERNELS; i++) {
        char path[TEMPORARY_PATH];
        temporary_file(path);
        struct kernel_result executed = hopper_record(&hopper_kernels[i], true, path);
        hopper_record(&hopper_kernels[i], false, path);
        verify(path);
        struct kernel_result replayed = replay(&hopper_kernels[i], path, 1);
        double off = 100 * ((double)replayed.cycles / (double)executed.cycles - 1);
        if (getenv("SUBCORE_TEST_PRINT"))
            printf("# %-14s %7ju executed, %7ju replayed: %+.1f %%\n", hopper_kernels[i].kernel,
                   (uintmax_t)executed.cycles, (uintmax_t)replayed.cycles, off);
        if ((off > hopper_kernels[i].percent || off < -hopper_kernels[i].percent) && !getenv("SUBCORE_TEST_PRINT"))
            fail_msg("%s: %ju cycles executed, %ju replayed", hopper_kernels[i].kernel, (uintmax_t)executed.cycles,
                     (uintmax_t)replayed.cycles);
        unlink(path);
    }
}

UNIT_TESTS(UNIT(a_replay_of_a_timed_run_takes_its_cycles_with_any_number_of_threads),
           UNIT(a_replay_of_a_run_without_time_is_close_to_the_timed_run))
