/* Cluster launch control, and copies for pairs of CTAs (work.cu). Each kernel runs without time, and timed on one
 * thread, on three, and without jumping over idle cycles: all give the results expected here, and the timed ones the
 * same cycles. */
#include "base/file.h"
#include "exec/engine/tensor_map.h"
#include "gpu/gpu.h"
#include "hazard/hazard.h"
#include "tests/unit.h"

enum { WORDS = 8192, TILE_WORDS = 256 };

static const struct {
    const char *name;
    unsigned sm;
} gpus[] = {{"b200", 100}, {"rtx-5080", 120}};

static const struct way {
    const char *name;
    bool functional;
    unsigned threads;
    const char *set;
    const char *limit; /* cycles that are timed, the rest is executed (NULL: all) */
} ways[] = {{"without time", true, 1, NULL, NULL},
            {"timed", false, 1, NULL, NULL},
            {"timed by three threads", false, 3, NULL, NULL},
            {"timed cycle by cycle", false, 1, "run.skip_idle=false", NULL}};

struct outcome {
    uint32_t out[WORDS];
    uint32_t taken;
    uint32_t found; /* by the checker of hazards */
    struct kernel_result result;
    struct status status;
};

/* The target of the second argument: a counter; or a map of a tensor with so many 16-word rows,
 * whose values count up. */
static uint64_t second_argument(struct gpu *gpu, uint64_t *tensor, uint32_t rows)
{
    enum { ROW = 64 };
    struct memory *memory = gpu_memory(gpu);
    if (!rows)
        return memory_alloc(memory, 4);
    *tensor = memory_alloc(memory, (uint64_t)rows * ROW);
    for (uint32_t i = 0; i < rows * ROW / 4; i++)
        memcpy(memory_at(memory, *tensor + 4 * i), &i, 4);
    const struct tensor_map map = {.address = *tensor,
                                   .stride = {4, ROW},
                                   .size = {16, rows},
                                   .box = {16, 16},
                                   .step = {1, 1},
                                   .rank = 2,
                                   .type = TENSOR_U32};
    assert_null(tensor_map_wrong(&map));
    uint64_t place = memory_alloc(memory, TENSOR_MAP_BYTES);
    tensor_map_encode(&map, memory_at(memory, place));
    return place;
}

static bool run(unsigned index, const struct way *way, const char *kernel, struct exec_dim grid, uint32_t rows,
                struct outcome *o)
{
    char path[4096], place[96];
    struct config config;
    struct file_bytes file;
    struct status status = {0};
    struct hazards hazards;
    struct plan plan = {.finish = true};
    if (way->limit)
        assert_true(plan_add(&plan, "until-cycles", "limit", way->limit, &status));
    hazards_init(&hazards);
    const struct gpu_options options = {
        .threads = way->threads, .functional = way->functional, .plan = way->limit ? &plan : NULL, .hazards = &hazards};
    assert_true(config_load(&config, gpus[index].name, &status));
    assert_true(config_set(&config, "gpu.memory=8", &status));
    assert_true(!way->set || config_set(&config, way->set, &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    assert_non_null(gpu);
    snprintf(place, sizeof place, "tests/gpu/cubin/work.sm_%u.cubin", gpus[index].sm);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, place, &status);
    assert_non_null(module);
    uint64_t tensor = 0, arguments[2] = {memory_alloc(gpu_memory(gpu), 4 * WORDS), 0};
    arguments[1] = second_argument(gpu, &tensor, rows);
    const struct gpu_launch launch = {.module = module,
                                      .kernel = kernel,
                                      .grid = grid,
                                      .block = {64, 1, 1},
                                      .parameters = arguments,
                                      .parameter_bytes = sizeof arguments};
    memset(o, 0, sizeof *o);
    bool ok = gpu_launch(gpu, &launch, &o->result, &o->status);
    memcpy(o->out, memory_at(gpu_memory(gpu), arguments[0]), 4 * WORDS);
    memcpy(&o->taken, memory_at(gpu_memory(gpu), arguments[1]), 4);
    o->found = ok ? hazards.kernel[0].found.count : 0;
    hazards_free(&hazards);
    gpu_destroy(gpu);
    plan_free(&plan);
    file_free(&file);
    return ok;
}

/* Runs the kernel in every way on the first `count` GPUs. `check` looks at its result. */
static void on_each(unsigned count, const char *kernel, struct exec_dim grid, uint32_t rows,
                    void (*check)(const struct outcome *o, uint32_t ctas, const struct way *way))
{
    static struct outcome o;
    for (unsigned g = 0; g < count; g++) {
        uint64_t cycles = 0;
        for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            if (!run(g, &ways[w], kernel, grid, rows, &o))
                fail_msg("%s on %s, %s: %s", kernel, gpus[g].name, ways[w].name, o.status.text);
            assert_int_equal(o.found, 0);
            check(&o, grid.x * grid.y * grid.z, &ways[w]);
            if (cycles && o.result.cycles != cycles)
                fail_msg("%s on %s, %s: %ju cycles, not %ju", kernel, gpus[g].name, ways[w].name,
                         (uintmax_t)o.result.cycles, (uintmax_t)cycles);
            cycles = o.result.cycles;
        }
    }
}

static void check_work(const struct outcome *o, uint32_t ctas, const struct way *way)
{
    for (uint32_t i = 0; i < WORDS; i++)
        if (o->out[i] != (i < ctas))
            fail_msg("%s: the work of CTA %u was done %u times", way->name, i, o->out[i]);
    assert_int_equal(o->result.ctas_done, ctas);
}

static void check_taken(const struct outcome *o, uint32_t ctas, const struct way *way)
{
    check_work(o, ctas, way);
    if (o->taken == 0)
        fail_msg("%s: nothing was taken over", way->name);
}

static void check_none_taken(const struct outcome *o, uint32_t ctas, const struct way *way)
{
    check_work(o, ctas, way);
    if (!way->functional)
        assert_int_equal(o->taken, 0);
}

/* More than the GPU holds at once: 148 SMs with 32 CTAs, 84 with 24. */
static void each_cta_begins_or_is_taken_over_by_another_and_never_both(void **state)
{
    (void)state;
    on_each(2, "take_work", (struct exec_dim){73, 20, 5}, 0, check_taken);
}

static void clusters_are_taken_over_as_a_whole_and_all_their_ctas_get_the_answer(void **state)
{
    (void)state;
    on_each(2, "take_clusters", (struct exec_dim){40, 30, 6}, 0, check_taken);
}

static void nothing_is_taken_over_of_a_grid_that_has_begun_as_a_whole(void **state)
{
    (void)state;
    on_each(2, "take_work", (struct exec_dim){7, 5, 3}, 0, check_none_taken);
}

/* The answer comes tma.work cycles after the request. A single CTA waits for it and ends. */
static void the_answer_takes_its_time(void **state)
{
    static struct outcome o;
    const struct way quick = {"quick", false, 1, "tma.work=3000", NULL},
                     slow = {"slow", false, 1, "tma.work=6000", NULL};
    (void)state;
    assert_true(run(0, &quick, "take_work", (struct exec_dim){1, 1, 1}, 0, &o));
    uint64_t cycles = o.result.cycles;
    assert_true(run(0, &slow, "take_work", (struct exec_dim){1, 1, 1}, 0, &o));
    assert_int_equal(o.result.cycles - cycles, 3000);
}

/* A limit leaves requests under way, and clusters that have not begun. */
static void what_a_limit_leaves_is_taken_over_without_time(void **state)
{
    static const char *const limits[] = {"900", "1400", "1900", "2600", "3300", "4100"};
    static struct outcome o;
    (void)state;
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct way way = {.name = limits[i], .threads = 1, .limit = limits[i]};
        if (!run(0, &way, "take_clusters", (struct exec_dim){40, 30, 6}, 0, &o))
            fail_msg("until %s: %s", limits[i], o.status.text);
        for (uint32_t n = 0; n < WORDS; n++)
            if (o.out[n] != (n < 40 * 30 * 6))
                fail_msg("until %s: the work of CTA %u was done %u times", limits[i], n, o.out[n]);
        assert_true(o.taken > 0);
    }
}

static void check_own_tiles(const struct outcome *o, uint32_t ctas, const struct way *way)
{
    for (uint32_t i = 0; i < ctas * TILE_WORDS; i++)
        if (o->out[i] != i)
            fail_msg("%s: word %u is %u", way->name, i, o->out[i]);
}

static void check_shared_tiles(const struct outcome *o, uint32_t ctas, const struct way *way)
{
    for (uint32_t i = 0; i < ctas * TILE_WORDS; i++)
        if (o->out[i] != i / (4 * TILE_WORDS) * TILE_WORDS + i % TILE_WORDS)
            fail_msg("%s: word %u is %u", way->name, i, o->out[i]);
}

static void the_even_cta_of_a_pair_counts_the_bytes_of_both(void **state)
{
    (void)state;
    on_each(1, "load_for_pairs", (struct exec_dim){16, 1, 1}, 256, check_own_tiles);
}

static void one_cta_loads_for_two_pairs_and_their_odd_ctas_count(void **state)
{
    (void)state;
    on_each(1, "load_for_all", (struct exec_dim){16, 1, 1}, 64, check_shared_tiles);
}

UNIT_TESTS(UNIT(each_cta_begins_or_is_taken_over_by_another_and_never_both),
           UNIT(clusters_are_taken_over_as_a_whole_and_all_their_ctas_get_the_answer),
           UNIT(nothing_is_taken_over_of_a_grid_that_has_begun_as_a_whole), UNIT(the_answer_takes_its_time),
           UNIT(what_a_limit_leaves_is_taken_over_without_time), UNIT(the_even_cta_of_a_pair_counts_the_bytes_of_both),
           UNIT(one_cta_loads_for_two_pairs_and_their_odd_ctas_count))
