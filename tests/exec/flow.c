/* The kernels of flow.cu on every architecture, at once and on cores whose accesses take effect late. */
#include "base/file.h"
#include "deferred_run.h"
#include "exec/launch/service.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

enum { WORDS = 1024, SEEDS = 3, SMS = 8 };

struct setting {
    struct memory *memory;
    struct exec_module module;
    unsigned sm;
    uint64_t seed; /* 0: at once */
    int32_t *out;  /* WORDS words of device memory */
    uint64_t out_address;
    char *printed; /* by the last run */
    struct status status;
};

static bool run(struct setting *s, const char *kernel, uint32_t ctas, uint32_t threads, int32_t n)
{
    struct {
        uint64_t out;
        int32_t n, unused;
    } parameters = {s->out_address, n, 0};
    struct exec_launch launch;
    struct exec_totals totals;
    s->status = (struct status){0};
    memset(s->out, 0, 4 * WORDS);
    free(s->printed);
    bool ok = launch_begin(&launch, &s->module, kernel, (struct exec_dim){ctas, 1, 1}, (struct exec_dim){threads, 1, 1},
                           0, &parameters, 12, SMS, 256, &s->status);
    if (!ok)
        fail_msg("sm_%u: %s", s->sm, s->status.text);
    size_t size;
    launch.output = open_memstream(&s->printed, &size);
    assert_non_null(launch.output);
    ok = s->seed ? deferred_run(&launch, s->seed, &totals, &s->status)
                 : exec_run(&launch, NULL, NULL, NULL, &totals, &s->status);
    fclose(launch.output);
    exec_launch_end(&launch);
    return ok;
}

static void run_well(struct setting *s, const char *kernel, uint32_t ctas, uint32_t threads, int32_t n)
{
    if (!run(s, kernel, ctas, threads, n))
        fail_msg("sm_%u, seed %u: %s", s->sm, (unsigned)s->seed, s->status.text);
}

/* Runs `check` on a fresh machine for each architecture, at once and late. */
static void on_every_machine(void (*check)(struct setting *s))
{
    static const unsigned architectures[] = {70, 75, 80, 86, 89, 90, 100, 120};
    for (unsigned i = 0; i < 8 * SEEDS; i++) {
        struct setting s = {.sm = architectures[i / SEEDS], .seed = i % SEEDS};
        struct file_bytes file;
        char path[4096], name[64];
        snprintf(name, sizeof name, "tests/exec/cubin/flow.sm_%u.cubin", s.sm);
        assert_true(file_read(unit_path(path, name), 1 << 20, &file, &s.status));
        s.memory = memory_create(1 << 25, &s.status);
        assert_non_null(s.memory);
        assert_true(exec_module_load(&s.module, s.memory, (struct cubin_bytes){file.data, file.size}, name, &s.status));
        s.out_address = memory_alloc(s.memory, 4 * WORDS);
        s.out = (int32_t *)(void *)memory_at(s.memory, s.out_address);
        check(&s);
        free(s.printed);
        exec_module_unload(&s.module);
        memory_destroy(s.memory);
        file_free(&file);
    }
}

/* ---- calls and jumps --------------------------------------------------------------------------------------------- */

static int32_t ackermann(int32_t m, int32_t n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void check_virtual(struct setting *s)
{
    run_well(s, "virtual_calls", 1, 70, 5);
    for (int32_t t = 0; t < 70; t++)
        assert_int_equal(s->out[t], t % 3 == 0 ? t + 5 : t % 3 == 1 ? t * t * 6 : 6 * t * t * 7);
}

static void functions_are_called_virtually(void **state)
{
    (void)state;
    on_every_machine(check_virtual);
}

static void check_calls(struct setting *s)
{
    run_well(s, "pointers", 1, 70, 2);
    for (int32_t t = 0; t < 70; t++) {
        int32_t k = (t + 2) % 3;
        assert_int_equal(s->out[t], (k == 0 ? 2 * t : k == 1 ? -t : t + 7) + (t % 2 ? -1 : 2));
    }
    run_well(s, "recursion", 1, 70, 2);
    for (int32_t t = 0; t < 70; t++)
        assert_int_equal(s->out[t], ackermann(t % 3, 2 + t % 4));
}

static void functions_are_called_through_pointers_and_recursively(void **state)
{
    (void)state;
    on_every_machine(check_calls);
}

static int32_t by_table(int32_t t, int32_t n)
{
    switch (t * n % 12) {
    case 0: return t + 100;
    case 1: return t * 3;
    case 2: return n - t;
    case 3: return t ^ n;
    case 4: return t / 3 + n;
    case 5: return t << 2;
    case 6: return (int32_t)popcount32((uint32_t)t) + n;
    case 7: return t & n;
    case 8: return t | 64;
    default: return -1;
    }
}

static void check_tables(struct setting *s)
{
    for (int32_t n = 1; n < 12; n += 5) {
        run_well(s, "jump_table", 1, 100, n);
        for (int32_t t = 0; t < 100; t++)
            assert_int_equal(s->out[t], by_table(t, n));
    }
}

static void jump_tables_lead_each_thread_to_its_case(void **state)
{
    (void)state;
    on_every_machine(check_tables);
}

/* ---- threads of a warp ------------------------------------------------------------------------------------------- */

static int32_t search(int32_t t, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        if (i * i > t)
            return -i;
        for (int32_t j = 1; j < n; j++) {
            if (i * j == t)
                return i * 100 + j;
            if (i * j > t)
                break;
        }
    }
    return 0;
}

static void check_progress(struct setting *s)
{
    run_well(s, "chain", 1, 64, 3);
    for (int32_t t = 0; t < 64; t++)
        assert_int_equal(s->out[t], 3 * (t + 1));
    run_well(s, "hand_over", 1, 64, 5);
    for (int32_t t = 0; t < 64; t++)
        assert_int_equal(s->out[t], t % 2 ? 5 : 10 * (t + 1));
    run_well(s, "early_exit", 1, 96, 11);
    for (int32_t t = 0; t < 96; t++) {
        int32_t r = search(t, 11);
        assert_int_equal(s->out[t], t % 7 == 6 ? -1000 : r < 0 ? r + search(-r, 11) : r);
    }
}

static void check_groups(struct setting *s)
{
    run_well(s, "two_groups", 1, 64, 12);
    for (int32_t t = 0; t < 64; t++) {
        int32_t lane = t % 32, from = t % 2 ? lane + 2 : lane - 2, above = 0;
        from = from < 0 || from > 31 ? t : t - lane + from;
        for (int32_t k = lane % 2; k < 32; k += 2)
            above += t - lane + k > 12;
        assert_int_equal(s->out[t], from * (t % 2 ? 3 : 5) + 1000 * above);
    }
    run_well(s, "elected", 1, 96, 7);
    for (int32_t t = 0; t < 96; t++)
        assert_int_equal(s->out[t], s->sm < 90 ? 7 : (t % 32 == 0) + 7);
}

static void groups_of_threads_vote_and_elect_among_themselves(void **state)
{
    (void)state;
    on_every_machine(check_groups);
}

static void threads_of_a_warp_wait_for_each_other_without_a_standstill(void **state)
{
    (void)state;
    on_every_machine(check_progress);
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

static void check_barriers(struct setting *s)
{
    run_well(s, "counted_barriers", 1, 128, 3);
    for (int32_t t = 0; t < 128; t++)
        assert_int_equal(s->out[t], t < 64 ? t + 64 + 3 : (t - 64) * 3 + 1);
    run_well(s, "reductions", 2, 256, 7);
    int32_t sum = 0;
    for (int32_t i = 0; i < 7; i++) {
        int32_t count = 0;
        for (int32_t t = 0; t < 256; t++)
            count += t * i % 5 == 1;
        sum = sum * 3 + count + 100000;
    }
    for (int32_t t = 0; t < 256; t++)
        assert_int_equal(s->out[t], sum);
}

static void barriers_count_and_combine(void **state)
{
    (void)state;
    on_every_machine(check_barriers);
}

/* ---- special registers ------------------------------------------------------------------------------------------- */

static void assert_special(const struct setting *s, unsigned which, uint32_t lane, uint32_t expected)
{
    uint32_t found = (uint32_t)s->out[32 * which + lane];
    if (found != expected)
        fail_msg("sm_%u: register %u of lane %u is 0x%x, not 0x%x", s->sm, which, lane, found, expected);
}

static void check_special(struct setting *s)
{
    run_well(s, "special_registers", 2, 64, 0);
    uint32_t cluster = s->sm >= 90;
    uint32_t warps = s->sm == 75 ? 32 : s->sm == 86 || s->sm == 89 || s->sm == 120 ? 48 : 64;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t self = UINT32_C(1) << lane, lower = self - 1;
        const uint32_t expected[] = {lane, self, lower, lower | self, ~(lower | self), ~lower, 2, 1, 0, 0, SMS, 1};
        for (unsigned k = 0; k < sizeof expected / sizeof *expected; k++)
            assert_special(s, k, lane, expected[k]);
        assert_in_range(s->out[32 * 12 + lane], 0, SMS - 1);
        assert_in_range(s->out[32 * 13 + lane], 1, warps - 1);
        assert_special(s, 14, lane, warps);
        if (!s->seed) {
            assert_true(s->out[32 * 15 + lane] > 0);
            assert_true(s->out[32 * 17 + lane] > s->out[32 * 15 + lane]);
        }
        assert_special(s, 18, lane, 0);
        assert_special(s, 19, lane, cluster);
        assert_special(s, 20, lane, 2 * cluster);
        assert_special(s, 21, lane, cluster);
        assert_special(s, 22, lane, cluster);
    }
}

static void special_registers_tell_where_a_thread_is(void **state)
{
    (void)state;
    on_every_machine(check_special);
}

/* ---- printf, assert, trap ---------------------------------------------------------------------------------------- */

static void expect_line(int t, int n, char *text, size_t size)
{
    int used = snprintf(text, size, "%d %i %u %x %X %o %c %s %p|", -t, n, 7u + (unsigned)t, 0xbeefu, 0xBEEFu, 8u,
                        'a' + t, "text", (void *)(uintptr_t)0x1234);
    used += snprintf(text + used, size - (size_t)used, "%5d|%-5d|%05d|%+d|% d|%#x|%.3d|%*d|%-*d|%%|", t, t, t, t, t,
                     255u, 7, 6, n, 4, n);
    used += snprintf(text + used, size - (size_t)used, "%f %e %g %a %.2f %10.3e %G|", 1.5, 1e10, 0.0001, 1.0,
                     (double)3.14159f, 12345.678, 1e-10);
    used += snprintf(text + used, size - (size_t)used, "%llu %lld %hhd %hu %ld %lx|", 1ull << 63, -5ll, (signed char)-3,
                     (unsigned short)65535, 1l << 40, -1ul);
    snprintf(text + used, size - (size_t)used, "%s|%.2s|%6s|\n", "", "abcdef", "xy");
}

static void check_printf(struct setting *s)
{
    char expected[2048];
    run_well(s, "print_all", 1, 1, 5);
    expect_line(0, 5, expected, sizeof expected);
    assert_string_equal(s->printed, expected);
    assert_int_equal(s->out[0], 9);
    if (s->seed)
        return;
    size_t used = 0;
    for (unsigned block = 0; block < 12; block++)
        for (unsigned t = 0; t < 48; t += 16)
            used += (size_t)snprintf(expected + used, sizeof expected - used, "block %u thread %u\n", block, t);
    run_well(s, "print_order", 12, 48, 0);
    assert_string_equal(s->printed, expected);
}

static void printf_formats_as_the_host_does(void **state)
{
    (void)state;
    on_every_machine(check_printf);
}

/* Replaces `from`, a part of the module's format string, by `to`. */
static void change_format(struct setting *s, const char *from, const char *to)
{
    char *at = (char *)memory_at(s->memory, s->module.globals);
    for (size_t left = 1 << 16; left > 0 && strncmp(at, from, strlen(from)) != 0; left--)
        at++;
    assert_memory_equal(at, from, strlen(from));
    assert_true(strlen(to) <= strlen(from));
    memset(at, '|', strlen(from));
    memcpy(at, to, strlen(to));
}

/* Between '@' and '#'. */
static size_t printed_columns(const struct setting *s)
{
    const char *begin = strchr(s->printed, '@'), *end = strchr(s->printed, '#');
    assert_true(begin && end > begin);
    return (size_t)(end - begin) - 1;
}

static void check_widths(struct setting *s)
{
    static const struct {
        const char *format;
        size_t columns;
    } cases[] = {{"@%2000000000d#", 4096},
                 {"@%4096d#", 4096},
                 {"@%4095d#", 4095},
                 {"@%.99999999d#", 4096},
                 {"@%-9999999d#", 4096}};
    char before[] = "%5d|%-5d|%05d|";
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        change_format(s, before, cases[i].format);
        run_well(s, "print_all", 1, 1, 5);
        assert_int_equal(printed_columns(s), cases[i].columns);
        memset(before, '|', sizeof before - 1);
        memcpy(before, cases[i].format, strlen(cases[i].format));
    }
}

static void a_width_and_a_precision_of_printf_are_4096_at_most(void **state)
{
    (void)state;
    on_every_machine(check_widths);
}

static void a_call_of_printf_prints_a_mebibyte_at_most(void **state)
{
    (void)state;
    struct service_text text = {0};
    char *piece = calloc(1, SERVICE_TEXT);
    assert_non_null(piece);
    memset(piece, 'a', SERVICE_TEXT);
    service_append(&text, piece, SERVICE_TEXT - 1);
    assert_int_equal(text.used, (1 << 20) - 1);
    service_append(&text, "bc", 2);
    assert_int_equal(text.used, 1 << 20);
    service_append(&text, "d", 1);
    assert_int_equal(strlen(text.text), 1 << 20);
    assert_int_equal(text.text[(1 << 20) - 1], 'b');
    free(text.text);
    free(piece);
}

static void check_failures(struct setting *s)
{
    assert_false(run(s, "assertion", 3, 64, 64 + 37));
    assert_non_null(strstr(s->status.text, "warp 1, lane 5: flow.cu:"));
    assert_non_null(strstr(s->status.text, ": block: [1,0,0], thread: [37,0,0] Assertion `threadIdx.x + blockIdx.x * "
                                           "blockDim.x != n` failed"));
    run_well(s, "assertion", 3, 64, -1);
    assert_false(run(s, "trap", 1, 64, 40));
    assert_int_equal(s->status.code, STATUS_FAULT);
    assert_non_null(strstr(s->status.text, "warp 1, lane 8: thread (40,0,0) has executed a trap"));
    run_well(s, "trap", 1, 64, 64);
}

static void assertions_and_traps_stop_the_launch_and_name_the_thread(void **state)
{
    (void)state;
    on_every_machine(check_failures);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

static void check_heap(struct setting *s)
{
    run_well(s, "heap_lists", 3, 64, 20);
    for (int32_t t = 0; t < 64; t++)
        assert_int_equal(s->out[t], 190 * t);
    static const int32_t expected[] = {1, 0, 0, 1};
    for (unsigned again = 0; again < 2; again++) {
        run_well(s, "heap_full", 1, 1, 100);
        assert_memory_equal(s->out, expected, sizeof expected);
    }
}

static void malloc_and_free_share_a_heap_that_outlives_a_launch(void **state)
{
    (void)state;
    on_every_machine(check_heap);
}

UNIT_TESTS(UNIT(functions_are_called_virtually), UNIT(functions_are_called_through_pointers_and_recursively),
           UNIT(jump_tables_lead_each_thread_to_its_case),
           UNIT(threads_of_a_warp_wait_for_each_other_without_a_standstill),
           UNIT(groups_of_threads_vote_and_elect_among_themselves), UNIT(barriers_count_and_combine),
           UNIT(special_registers_tell_where_a_thread_is), UNIT(printf_formats_as_the_host_does),
           UNIT(a_width_and_a_precision_of_printf_are_4096_at_most), UNIT(a_call_of_printf_prints_a_mebibyte_at_most),
           UNIT(assertions_and_traps_stop_the_launch_and_name_the_thread),
           UNIT(malloc_and_free_share_a_heap_that_outlives_a_launch))
