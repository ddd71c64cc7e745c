/* Programs that miss a barrier (races.cu), on a GPU of each architecture: executed only, they give the same results as
 * when they are timed, and as with the barrier. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { THREADS = 256, WORDS = 4 * THREADS, CTAS = 3 };

static const struct {
    const char *name;
    unsigned sm;
} gpus[] = {{"rtx-2080-ti", 75}, {"a100", 80}, {"rtx-a6000", 86}, {"h200", 90}, {"rtx-5080", 120}};

/* Every word is its own number before the launch. */
static void run(unsigned index, enum gpu_mode mode, const char *kernel, uint32_t ctas, int32_t n, int32_t out[WORDS])
{
    char path[4096], place[96];
    struct config config;
    struct status status = {0};
    struct file_bytes file;
    struct kernel_result result;
    const struct gpu_options options = {.threads = 1, .functional = mode == GPU_MODE_FUNCTIONAL};
    assert_true(config_load(&config, gpus[index].name, &status));
    assert_true(config_set(&config, "gpu.memory=8", &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    assert_non_null(gpu);
    snprintf(place, sizeof place, "tests/gpu/cubin/races.sm_%u.cubin", gpus[index].sm);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, place, &status);
    assert_non_null(module);
    const struct {
        uint64_t out;
        int32_t n, unused;
    } arguments = {memory_alloc(gpu_memory(gpu), 4 * WORDS), n, 0};
    int32_t *words = (int32_t *)(void *)memory_at(gpu_memory(gpu), arguments.out);
    for (int32_t i = 0; i < WORDS; i++)
        words[i] = i;
    const struct gpu_launch launch = {.module = module,
                                      .kernel = kernel,
                                      .grid = {ctas, 1, 1},
                                      .block = {THREADS, 1, 1},
                                      .parameters = &arguments,
                                      .parameter_bytes = 12,
                                      .mode = mode};
    if (!gpu_launch(gpu, &launch, &result, &status))
        fail_msg("%s, %s: %s", gpus[index].name, kernel, status.text);
    memcpy(out, words, 4 * WORDS);
    gpu_destroy(gpu);
    file_free(&file);
}

static void check(const char *kernel, uint32_t ctas, int32_t n, const int32_t *expected, size_t count)
{
    for (unsigned i = 0; i < 2 * sizeof gpus / sizeof gpus[0]; i++) {
        int32_t out[WORDS];
        run(i / 2, i % 2 ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL, kernel, ctas, n, out);
        for (size_t k = 0; k < count; k++)
            if (out[k] != expected[k])
                fail_msg("%s on %s, %s: word %zu is %d, not %d", kernel, gpus[i / 2].name,
                         i % 2 ? "timed" : "functional", k, out[k], expected[k]);
    }
}

static void a_warp_reads_what_another_has_just_written(void **state)
{
    (void)state;
    int32_t expected[THREADS];
    for (int32_t t = 0; t < THREADS; t++) {
        uint32_t x = (uint32_t)t;
        for (uint32_t i = 0; i < 8; i++)
            x = x * 3 + i;
        expected[t] = (int32_t)((uint32_t)(3 * (THREADS - 1 - t) + 3) + x);
    }
    check("exchange", 1, 3, expected, THREADS);
}

static void a_tile_is_read_before_the_next_one_overwrites_it(void **state)
{
    (void)state;
    int32_t expected[THREADS] = {0};
    for (int32_t k = 0; k < 6; k++)
        for (int32_t t = 0; t < THREADS; t++)
            for (int32_t i = 0; i < 16; i++)
                expected[t] += (THREADS + (k + (t * 16 + i) % THREADS) % (2 * THREADS)) * (i + 1);
    check("tiles", 1, 6, expected, THREADS);
}

static void neighbours_are_read_before_they_are_overwritten(void **state)
{
    (void)state;
    int32_t expected[THREADS], next[THREADS];
    for (int32_t t = 0; t < THREADS; t++)
        expected[t] = 7 * t % 31;
    for (int32_t k = 0; k < 9; k++) {
        for (int32_t t = 0; t < THREADS; t++)
            next[t] = (2 * expected[(t + THREADS - 1) % THREADS] + expected[(t + 1) % THREADS]) % 1009;
        memcpy(expected, next, sizeof next);
    }
    check("neighbours", 1, 9, expected, THREADS);
    check("stencil", 1, 9, expected, THREADS);
}

static void prefix_sums_in_place_are_right(void **state)
{
    (void)state;
    int32_t expected[THREADS] = {0};
    for (int32_t t = 0; t < THREADS; t++)
        expected[t] = (t ? expected[t - 1] : 0) + t * 5 % 13;
    check("scan", 1, 5, expected, THREADS);
}

static void the_tail_of_a_tree_needs_no_barrier(void **state)
{
    (void)state;
    int32_t expected[32] = {0};
    for (int32_t t = 0; t < THREADS; t++)
        expected[t % 32] += t * 3 % 17;
    check("tail", 1, 3, expected, 32);
}

static void what_one_thread_prepares_is_there_behind_a_global_load(void **state)
{
    (void)state;
    int32_t expected[THREADS];
    for (int32_t t = 0; t < THREADS; t++)
        expected[t] = THREADS + t + 20;
    check("prepared", 1, 4, expected, THREADS);
}

static void a_flag_in_global_memory_hands_words_to_another_warp(void **state)
{
    (void)state;
    int32_t expected[THREADS + 32];
    for (int32_t t = 0; t < THREADS + 32; t++)
        expected[t] = t;
    for (int32_t t = 0; t < 32; t++) {
        expected[32 + t] = 3 * t;
        expected[THREADS + t] = 3 * t + 1;
    }
    expected[64] = 1;
    check("flag", 1, 3, expected, THREADS + 32);
}

static void a_place_is_read_before_its_owner_writes_something_else(void **state)
{
    (void)state;
    int32_t expected[THREADS];
    for (int32_t t = 0; t < THREADS; t++)
        expected[t] = 2 * ((t + THREADS - 1) % THREADS) - (THREADS - 1 - t);
    check("shift", 1, 2, expected, THREADS);
}

static void a_cta_finds_what_others_write_as_they_begin(void **state)
{
    (void)state;
    const int32_t expected[] = {60 * 8};
    check("across", CTAS, 60, expected, 1);
}

UNIT_TESTS(UNIT(a_warp_reads_what_another_has_just_written), UNIT(a_tile_is_read_before_the_next_one_overwrites_it),
           UNIT(neighbours_are_read_before_they_are_overwritten), UNIT(prefix_sums_in_place_are_right),
           UNIT(the_tail_of_a_tree_needs_no_barrier), UNIT(what_one_thread_prepares_is_there_behind_a_global_load),
           UNIT(a_flag_in_global_memory_hands_words_to_another_warp),
           UNIT(a_place_is_read_before_its_owner_writes_something_else),
           UNIT(a_cta_finds_what_others_write_as_they_begin))
