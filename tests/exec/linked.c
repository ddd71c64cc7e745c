/* The kernels of linked.cu, linked from two files, optimised and for debuggers, at once and on cores whose accesses
 * take effect late. */
#include "base/file.h"
#include "deferred_run.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

enum { WORDS = 256, THREADS = 128, SEEDS = 2 };

struct setting {
    struct memory *memory;
    struct exec_module module;
    char name[64];
    uint64_t seed; /* 0: at once */
    int32_t *out;  /* WORDS words of device memory */
    uint64_t out_address;
    char *printed;
};

static void run(struct setting *s, const char *kernel, int32_t n)
{
    struct {
        uint64_t out;
        int32_t n, unused;
    } parameters = {s->out_address, n, 0};
    struct exec_launch launch;
    struct exec_totals totals;
    struct status status = {0};
    size_t size;
    if (!launch_begin(&launch, &s->module, kernel, (struct exec_dim){1, 1, 1}, (struct exec_dim){THREADS, 1, 1}, 0,
                      &parameters, 12, 8, 256, &status))
        fail_msg("%s: %s", s->name, status.text);
    launch.output = open_memstream(&s->printed, &size);
    assert_non_null(launch.output);
    bool ok = s->seed ? deferred_run(&launch, s->seed, &totals, &status)
                      : exec_run(&launch, NULL, NULL, NULL, &totals, &status);
    fclose(launch.output);
    exec_launch_end(&launch);
    if (!ok)
        fail_msg("%s, seed %u: %s", s->name, (unsigned)s->seed, status.text);
}

static void on_every_machine(const char *program, void (*check)(struct setting *s))
{
    static const unsigned architectures[] = {75, 80, 90, 100, 120};
    for (unsigned i = 0; i < 5 * SEEDS; i++) {
        struct setting s = {.seed = i % SEEDS};
        struct status status = {0};
        struct file_bytes file;
        char path[4096];
        snprintf(s.name, sizeof s.name, "tests/exec/cubin/%s.sm_%u.cubin", program, architectures[i / SEEDS]);
        assert_true(file_read(unit_path(path, s.name), 1 << 20, &file, &status));
        s.memory = memory_create(1 << 25, &status);
        assert_non_null(s.memory);
        if (!exec_module_load(&s.module, s.memory, (struct cubin_bytes){file.data, file.size}, s.name, &status))
            fail_msg("%s", status.text);
        s.out_address = memory_alloc(s.memory, 4 * WORDS);
        s.out = (int32_t *)(void *)memory_at(s.memory, s.out_address);
        check(&s);
        free(s.printed);
        exec_module_unload(&s.module);
        memory_destroy(s.memory);
        file_free(&file);
    }
}

static int32_t ackermann(int32_t m, int32_t n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int32_t by_table(int32_t t, int32_t n)
{
    const int32_t results[] = {t + 100, t * 3, n - t, t ^ n, t / 3 + n, t << 2, t & n, -1, -1};
    return results[t % 9];
}

static void check_calls(struct setting *s)
{
    enum { N = 2 };
    run(s, "calls_of_functions", N);
    for (int32_t t = 0; t < THREADS; t++) {
        int32_t area = t % 2 ? t * t * (N + 1) + 1 + (N + 1) : t + N;
        int32_t called = t % 3 == 0 ? 2 * t : t % 3 == 1 ? -t : t + 3;
        assert_int_equal(s->out[t], area + 1000 * called + by_table(t, N));
        assert_int_equal(s->out[THREADS + t], ackermann(t % 3, N + t % 4));
    }
    assert_string_equal(s->printed, "");
}

static void check_threads_together(struct setting *s)
{
    enum { N = 12 };
    run(s, "threads_together", N);
    for (int32_t t = 0; t < THREADS; t++) {
        int32_t above = 0;
        for (int32_t lane = t % 2; lane < 32; lane += 2)
            above += lane > N;
        assert_int_equal(s->out[t], THREADS * (THREADS - 1) / 2 * N * 10000 + (t ^ 2) * 100 + above);
    }
    assert_string_equal(s->printed, "thread 12 of linked: 1.50\n");
}

static void linked_files_call_each_others_functions(void **state)
{
    (void)state;
    on_every_machine("linked", check_calls);
}

static void linked_threads_vote_meet_and_print(void **state)
{
    (void)state;
    on_every_machine("linked", check_threads_together);
}

static void code_for_debuggers_calls_functions_of_other_files(void **state)
{
    (void)state;
    on_every_machine("debug", check_calls);
}

static void threads_vote_meet_and_print_in_code_for_debuggers(void **state)
{
    (void)state;
    on_every_machine("debug", check_threads_together);
}

UNIT_TESTS(UNIT(linked_files_call_each_others_functions), UNIT(linked_threads_vote_meet_and_print),
           UNIT(code_for_debuggers_calls_functions_of_other_files),
           UNIT(threads_vote_meet_and_print_in_code_for_debuggers))
