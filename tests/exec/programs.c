/* The kernels of programs.cu, at once and on cores whose accesses take effect late. */
#include "base/file.h"
#include "deferred_run.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

enum { WORDS = 1024, SEEDS = 6 };

struct setting {
    struct memory *memory;
    struct exec_module module;
    unsigned sm;
    uint64_t seed; /* 0: at once */
    uint32_t *out; /* WORDS words of device memory */
    uint64_t out_address;
};

static void run(struct setting *s, const char *kernel, uint32_t ctas, uint32_t threads, uint32_t dynamic)
{
    struct exec_launch launch;
    struct exec_totals totals;
    struct status status = {0};
    bool ok = launch_begin(&launch, &s->module, kernel, (struct exec_dim){ctas, 1, 1}, (struct exec_dim){threads, 1, 1},
                           dynamic, &s->out_address, sizeof s->out_address, 8, 256, &status);
    if (ok) {
        ok = s->seed ? deferred_run(&launch, s->seed, &totals, &status)
                     : exec_run(&launch, NULL, NULL, NULL, &totals, &status);
        exec_launch_end(&launch);
    }
    if (!ok)
        fail_msg("sm_%u, seed %u: %s", s->sm, (unsigned)s->seed, status.text);
}

/* Runs `check` on a fresh machine for each architecture, at once and late. */
static void on_every_machine(void (*check)(struct setting *s))
{
    static const unsigned architectures[] = {60, 70, 75, 80, 86, 89, 90, 100, 120};
    for (unsigned i = 0; i < 9 * SEEDS; i++) {
        struct setting s = {.sm = architectures[i / SEEDS], .seed = i % SEEDS};
        struct status status = {0};
        struct file_bytes file;
        char path[4096], name[64];
        snprintf(name, sizeof name, "tests/exec/cubin/programs.sm_%u.cubin", s.sm);
        assert_true(file_read(unit_path(path, name), 1 << 20, &file, &status));
        s.memory = memory_create(1 << 24, &status);
        assert_non_null(s.memory);
        assert_true(exec_module_load(&s.module, s.memory, (struct cubin_bytes){file.data, file.size}, name, &status));
        s.out_address = memory_alloc(s.memory, 4 * WORDS);
        s.out = (uint32_t *)(void *)memory_at(s.memory, s.out_address);
        check(&s);
        exec_module_unload(&s.module);
        memory_destroy(s.memory);
        file_free(&file);
    }
}

static void check_locks(struct setting *s)
{
    if (s->sm < 70) /* a warp of Pascal has one program counter: its threads cannot take turns */
        return;
    run(s, "lock_in_shared", 3, 64, 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(s->out[i], 64);
    s->out[0] = s->out[1] = 0;
    run(s, "lock_in_global", 4, 96, 0);
    assert_int_equal(s->out[0], 192);
    assert_int_equal(s->out[1], 192);
}

static void threads_of_a_warp_take_turns_at_a_lock(void **state)
{
    (void)state;
    on_every_machine(check_locks);
}

static uint32_t fibonacci(uint32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static void check_calls(struct setting *s)
{
    run(s, "recursion", 1, 40, 0);
    for (uint32_t t = 0; t < 40; t++)
        assert_int_equal(s->out[t], fibonacci(t % 9));
    run(s, "calls_through_pointers", 1, 70, 0);
    for (uint32_t t = 0; t < 70; t++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < t; i++)
            sum += i * i;
        assert_int_equal(s->out[t], t % 3 == 0 ? t * 3 + 1 : t % 3 == 1 ? t ^ 0x55 : sum);
    }
}

static void functions_are_called_recursively_and_through_pointers(void **state)
{
    (void)state;
    on_every_machine(check_calls);
}

static void check_memories(struct setting *s)
{
    run(s, "local_array", 2, 64, 0);
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t a[32], sum = 0, k = t;
        for (uint32_t i = 0; i < 32; i++)
            a[i] = i * t;
        for (uint32_t i = 0; i < 20; i++) {
            k = (k * 5 + 3) % 32;
            sum += a[k];
            a[(k + i) % 32] ^= sum;
        }
        assert_int_equal(s->out[t], sum);
    }
    for (uint32_t launch = 0; launch < 2; launch++) {
        run(s, "variables", 1, 64, 0);
        for (uint32_t t = 0; t < 64; t++)
            assert_int_equal(s->out[t], 5 + (t % 4 + 1) * 10 * (t % 8 + 1) + (launch ? t : 0) + (t + 1) % 64 * 1000);
    }
    run(s, "constants_by_address", 1, 64, 0);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(s->out[t], t & 1 ? t / 2 % 4 + 1 : (t / 2 % 4 + 1) * 10);
    run(s, "dynamic_shared", 2, 256, 1024);
    for (uint32_t t = 0; t < 256; t++)
        assert_int_equal(s->out[t], (t + 1) % 256 * 3);
}

static void every_kind_of_memory_holds_what_was_written(void **state)
{
    (void)state;
    on_every_machine(check_memories);
}

static void check_votes(struct setting *s)
{
    uint32_t odd = 0, even = 0, most = 0;
    for (uint32_t t = 0; t < 32; t++) {
        odd |= t % 2 && t % 3 == 0 ? 1u << t : 0;
        even += t % 2 == 0 && t % 5 == 0;
        most = t * 7 % 31 > most ? t * 7 % 31 : most;
    }
    run(s, "votes", 1, 32, 0);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(s->out[t], (t & 1 ? odd : even) + 10100 + t % 4 * (t ^ 4) + 496 + most);
}

static void votes_and_shuffles_work_in_divergent_code(void **state)
{
    (void)state;
    on_every_machine(check_votes);
}

static void check_barriers(struct setting *s)
{
    run(s, "named_barriers", 1, 128, 0);
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 4; k++)
            sum = sum * 3 + t * 10 + k;
        assert_int_equal(s->out[t], sum);
    }
    memset(s->out, 0, 4 * WORDS);
    run(s, "grid_barrier", 6, 64, 0);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t c = 0; c < 6; c++)
            assert_int_equal(s->out[1 + (k + 1) * 6 + c], k + 1);
}

static void warps_and_ctas_wait_for_each_other(void **state)
{
    (void)state;
    on_every_machine(check_barriers);
}

/* The result of 64 threads with one parity. */
static void check_parity(const uint32_t *out, uint32_t odd)
{
    uint32_t sum = 0, most = 0, mixed = 0, dec = 0, bits = 0, inc = 0, seen = 0;
    for (uint32_t t = odd; t < 128; t += 2) {
        sum += t;
        most = t * 37 % 101 > most ? t * 37 % 101 : most;
        mixed ^= t * 77;
        inc = inc >= 50 ? 0 : inc + 1;
        dec = dec == 0 || dec > 60 ? 60 : dec - 1;
        bits |= 1u << t % 32;
    }
    const uint32_t expected[] = {sum, most, mixed, odd + 5};
    assert_memory_equal(out + 4 * odd, expected, sizeof expected);
    assert_int_equal(out[8 + odd], sum);
    assert_int_equal(out[10 + odd], sum);
    assert_int_equal(out[32 + odd], inc);
    assert_int_equal(out[34 + odd], dec);
    assert_int_equal(out[36 + odd], ~bits);
    assert_int_equal(out[38 + odd], bits);
    assert_int_equal(out[40 + odd], odd - 70);
    float total;
    memcpy(&total, out + 42 + odd, 4);
    assert_int_equal((int)total, sum);
    assert_int_equal(out[44 + 2 * odd], 0);
    assert_int_equal(out[45 + 2 * odd], sum * 2);
    assert_int_equal(out[48 + odd], 64);
    for (uint32_t i = 0; i < 64; i++) { /* each thread has its own place, whatever the order */
        assert_int_equal(out[64 + 2 * i + odd] & 1, odd);
        seen += out[64 + 2 * i + odd];
    }
    assert_int_equal(seen, sum);
}

static void check_atomics(struct setting *s)
{
    s->out[36] = s->out[37] = UINT32_MAX;
    run(s, "atomics", 1, 128, 0);
    check_parity(s->out, 0);
    check_parity(s->out, 1);
}

static void atomics_lose_nothing(void **state)
{
    (void)state;
    on_every_machine(check_atomics);
}

UNIT_TESTS(UNIT(threads_of_a_warp_take_turns_at_a_lock), UNIT(functions_are_called_recursively_and_through_pointers),
           UNIT(every_kind_of_memory_holds_what_was_written), UNIT(votes_and_shuffles_work_in_divergent_code),
           UNIT(warps_and_ctas_wait_for_each_other), UNIT(atomics_lose_nothing))
