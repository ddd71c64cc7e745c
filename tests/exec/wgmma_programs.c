/* The kernels of wgmma.cu, whose elements are small numbers, so that every sum is exact: executed at once, and with
 * accesses that take effect late. */
#include "base/file.h"
#include "deferred_run.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

enum { M = 64, N = 64, K = 64, TILES = 4, SEEDS = 3 };

struct operands {
    uint16_t a[TILES][M][K], b[2][N][K]; /* b: by columns */
    float d[2][M][N];
};

struct parameters {
    uint64_t a, b, d;
    int32_t rounds;
};

static uint16_t half_of(unsigned value) /* 0 .. 7 */
{
    static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    return halves[value];
}

static unsigned element(unsigned tile, unsigned row, unsigned k) { return (row * 5 + k * 3 + tile * 7 + row * k) % 8; }

static float dot(unsigned tile, unsigned row, unsigned matrix, unsigned column)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < K; k++)
        sum += element(tile, row, k) * element(matrix + 9, column, k);
    return (float)sum;
}

/* Runs the kernel in a new memory and leaves its results in `out`. */
static void run(const char *kernel, uint32_t threads, int rounds, uint64_t seed, struct operands *out)
{
    struct status status = {0};
    struct file_bytes file;
    char path[4096];
    assert_true(file_read(unit_path(path, "tests/exec/cubin/wgmma.sm_90.cubin"), 1 << 20, &file, &status));
    struct memory *memory = memory_create(1 << 24, &status);
    assert_non_null(memory);
    struct exec_module module;
    assert_true(exec_module_load(&module, memory, (struct cubin_bytes){file.data, file.size}, "wgmma", &status));
    uint64_t at = memory_alloc(memory, sizeof *out);
    struct operands *o = (struct operands *)(void *)memory_at(memory, at);
    for (unsigned row = 0; row < M; row++)
        for (unsigned k = 0; k < K; k++) {
            for (unsigned t = 0; t < TILES; t++)
                o->a[t][row][k] = half_of(element(t, row, k));
            for (unsigned t = 0; t < 2; t++)
                o->b[t][row][k] = half_of(element(t + 9, row, k));
        }
    const struct parameters parameters = {at + offsetof(struct operands, a), at + offsetof(struct operands, b),
                                          at + offsetof(struct operands, d), rounds};
    struct exec_launch launch;
    struct exec_totals totals;
    bool ok = launch_begin(&launch, &module, kernel, (struct exec_dim){1, 1, 1}, (struct exec_dim){threads, 1, 1}, 0,
                           &parameters, rounds ? 28 : 24, 16, 256, &status);
    if (ok) {
        ok = seed ? deferred_run(&launch, seed, &totals, &status)
                  : exec_run(&launch, NULL, NULL, NULL, &totals, &status);
        exec_launch_end(&launch);
    }
    if (!ok)
        fail_msg("%s: %s", kernel, status.text);
    *out = *o;
    exec_module_unload(&module);
    memory_destroy(memory);
    file_free(&file);
}

static void a_product_through_swizzled_shared_memory_is_that_of_the_host(void **state)
{
    (void)state;
    static struct operands o;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run("one", 128, 0, seed, &o);
        for (unsigned row = 0; row < M; row++)
            for (unsigned column = 0; column < N; column++)
                assert_true(o.d[0][row][column] == dot(0, row, 0, column));
    }
}

static void two_groups_in_flight_with_a_in_registers_are_those_of_the_host(void **state)
{
    (void)state;
    static struct operands o;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run("two_groups", 128, 0, seed, &o);
        for (unsigned row = 0; row < M; row++)
            for (unsigned column = 0; column < N; column++) {
                assert_true(o.d[0][row][column] == dot(0, row, 0, column) + 1);
                assert_true(o.d[1][row][column] == dot(0, row, 1, column));
            }
    }
}

/* One thread frees the buffer of its warpgroup: its wait must not end before the other warps have read theirs. */
static void a_buffer_that_one_thread_frees_is_read_by_all_four_warps_before(void **state)
{
    (void)state;
    enum { ROUNDS = 9 };
    static struct operands o;
    run("handed_over", 384, ROUNDS, 0, &o);
    for (unsigned group = 0; group < 2; group++)
        for (unsigned row = 0; row < M; row++)
            for (unsigned column = 0; column < N; column++) {
                float sum = 0;
                for (unsigned i = 0; i < ROUNDS; i++)
                    sum += dot((i + group) % TILES, row, 0, column);
                assert_true(o.d[group][row][column] == sum);
            }
}

UNIT_TESTS(UNIT(a_product_through_swizzled_shared_memory_is_that_of_the_host),
           UNIT(two_groups_in_flight_with_a_in_registers_are_those_of_the_host),
           UNIT(a_buffer_that_one_thread_frees_is_read_by_all_four_warps_before))
