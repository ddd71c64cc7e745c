/* Clusters of CTAs (clusters.cu): ranks, memory of other CTAs, the barrier. Each kernel runs without time, and
 * timed on one thread, on three, and without jumping over idle cycles. All give the same, as expected here. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { WORDS = 65536, CTAS = 256, NO_SM = 0xffff };

static const struct {
    const char *name;
    unsigned sm;
} gpus[] = {{"h200", 90}, {"b200", 100}, {"rtx-5080", 120}};

struct way {
    const char *name;
    bool functional;
    unsigned threads;
    const char *set;
};

static const struct way ways[] = {{"without time", true, 1, NULL},
                                  {"timed", false, 1, NULL},
                                  {"timed by three threads", false, 3, NULL},
                                  {"timed cycle by cycle", false, 1, "run.skip_idle=false"}};

enum { WAYS = sizeof ways / sizeof ways[0] };

struct shape {
    struct exec_dim grid, block, cluster;
    uint32_t dynamic_shared, argument[3];
};

struct outcome {
    uint32_t out[WORDS];
    uint16_t sm[CTAS]; /* that the observer has seen CTAs on */
    struct kernel_result result;
    struct status status;
};

/* Different SMs at the same time. A CTA is on one. */
static void see(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                const struct issued *issued, uint64_t cycle)
{
    (void)slot, (void)code, (void)issued, (void)cycle;
    ((struct outcome *)self)->sm[cta % CTAS] = sm;
}

static bool run(unsigned index, const struct way *way, const char *kernel, const struct shape *shape,
                struct outcome *outcome)
{
    char path[4096], place[96];
    struct config config;
    struct status status = {0};
    struct file_bytes file;
    const struct gpu_options options = {.threads = way->threads, .functional = way->functional};
    assert_true(config_load(&config, gpus[index].name, &status));
    assert_true(config_set(&config, "gpu.memory=8", &status));
    assert_true(!way->set || config_set(&config, way->set, &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    assert_non_null(gpu);
    snprintf(place, sizeof place, "tests/gpu/cubin/clusters.sm_%u.cubin", gpus[index].sm);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, place, &status);
    assert_non_null(module);
    struct {
        uint64_t out;
        uint32_t argument[4];
    } arguments = {memory_alloc(gpu_memory(gpu), 4 * WORDS), {0}};
    memcpy(arguments.argument, shape->argument, sizeof shape->argument);
    const struct cubin_kernel *function = cubin_find_kernel(&module->cubin, kernel, &status);
    assert_non_null(function);
    const struct sm_observer observer = {.self = outcome, .issued = see};
    const struct gpu_launch launch = {.module = module,
                                      .kernel = kernel,
                                      .grid = shape->grid,
                                      .block = shape->block,
                                      .cluster = shape->cluster,
                                      .dynamic_shared_bytes = shape->dynamic_shared,
                                      .parameters = &arguments,
                                      .parameter_bytes = function->parameter_bytes,
                                      .observer = &observer};
    memset(outcome, 0, sizeof *outcome);
    memset(outcome->sm, 0xff, sizeof outcome->sm);
    bool ok = gpu_launch(gpu, &launch, &outcome->result, &outcome->status);
    memcpy(outcome->out, memory_at(gpu_memory(gpu), arguments.out), 4 * WORDS);
    gpu_destroy(gpu);
    file_free(&file);
    return ok;
}

/* Runs the kernel in every way on every GPU. `check` looks at the words. */
static void on_each(const char *kernel, const struct shape *shape,
                    void (*check)(const uint32_t *out, const struct shape *shape))
{
    static struct outcome outcome;
    for (unsigned g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
        uint64_t cycles = 0;
        for (unsigned w = 0; w < WAYS; w++) {
            if (!run(g, &ways[w], kernel, shape, &outcome))
                fail_msg("%s on %s, %s: %s", kernel, gpus[g].name, ways[w].name, outcome.status.text);
            check(outcome.out, shape);
            if (cycles && outcome.result.cycles != cycles)
                fail_msg("%s on %s, %s: %ju cycles, not %ju", kernel, gpus[g].name, ways[w].name,
                         (uintmax_t)outcome.result.cycles, (uintmax_t)cycles);
            cycles = outcome.result.cycles;
        }
    }
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */

static void check_identity(const uint32_t *out, const struct shape *s)
{
    const struct exec_dim g = s->grid, c = s->cluster.x ? s->cluster : (struct exec_dim){1, 1, 1};
    for (uint32_t z = 0; z < g.z; z++)
        for (uint32_t y = 0; y < g.y; y++)
            for (uint32_t x = 0; x < g.x; x++) {
                const uint32_t *v = out + 16 * (x + g.x * (y + g.y * z));
                const uint32_t in[3] = {x % c.x, y % c.y, z % c.z};
                const uint32_t expected[15] = {in[0] + c.x * (in[1] + c.y * in[2]),
                                               c.x * c.y * c.z,
                                               in[0],
                                               in[1],
                                               in[2],
                                               c.x,
                                               c.y,
                                               c.z,
                                               x / c.x,
                                               y / c.y,
                                               z / c.z,
                                               g.x / c.x,
                                               g.y / c.y,
                                               g.z / c.z,
                                               s->cluster.x != 0};
                for (unsigned i = 0; i < 15; i++)
                    if (v[i] != expected[i])
                        fail_msg("CTA (%u,%u,%u), value %u: %u, not %u", x, y, z, i, v[i], expected[i]);
            }
}

static void a_cta_knows_its_place_in_its_cluster(void **state)
{
    (void)state;
    static const struct exec_dim clusters[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {2, 1, 1}, {1, 3, 1}, {4, 1, 2}};
    for (unsigned i = 0; i < sizeof clusters / sizeof clusters[0]; i++)
        on_each("identity", &(struct shape){.grid = {4, 6, 2}, .block = {32, 1, 1}, .cluster = clusters[i]},
                check_identity);
}

static void check_addresses(const uint32_t *out, const struct shape *s)
{
    uint32_t size = s->cluster.x;
    for (uint32_t cta = 0; cta < s->grid.x; cta++)
        for (uint32_t rank = 0; rank < size; rank++) {
            const uint32_t *v = out + 8 * (cta * s->block.x + rank);
            assert_int_equal(v[0] >> 24, cta % size);
            assert_int_equal(v[0] & 0xffffff, 0x400);
            assert_int_equal(v[1], rank << 24 | (v[0] & 0xffffff));
            assert_int_equal(v[2], rank);
            assert_int_equal(v[3], 1);
            assert_int_equal(v[4], rank == cta % size);
            assert_int_equal(v[5], 1);
        }
}

static void an_address_holds_the_rank_and_the_offset(void **state)
{
    (void)state;
    on_each("addresses",
            &(struct shape){.grid = {8, 1, 1}, .block = {8, 1, 1}, .cluster = {8, 1, 1}, .dynamic_shared = 256},
            check_addresses);
}

/* Its number in the grid, not that in the order in which CTAs begin. */
static void an_observer_is_told_the_number_of_a_cta_in_the_grid(void **state)
{
    (void)state;
    static struct outcome outcome;
    const struct shape shape = {.grid = {4, 6, 2}, .block = {32, 1, 1}, .cluster = {2, 2, 2}};
    assert_true(run(0, &ways[1], "identity", &shape, &outcome));
    for (uint32_t cta = 0; cta < 48; cta++) {
        assert_int_not_equal(outcome.sm[cta], NO_SM);
        assert_int_equal(outcome.out[16 * cta + 15], outcome.sm[cta]);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void check_ring(const uint32_t *out, const struct shape *s)
{
    enum { T = 64, MOST = 32 };
    static uint32_t memory[MOST][T][4], next[MOST][T][4];
    uint32_t size = s->cluster.x, sum[MOST][T] = {{0}};
    for (uint32_t b = 0; b < s->grid.x; b++)
        for (uint32_t t = 0; t < T; t++)
            memcpy(memory[b][t], (const uint32_t[4]){b, t, b * 64 + t, 7}, 16);
    for (uint32_t i = 0; i < s->argument[0]; i++) {
        for (uint32_t b = 0; b < s->grid.x; b++) {
            uint32_t from = b / size * size + (b % size + 1) % size;
            const uint8_t *bytes = (const uint8_t *)memory[from];
            for (uint32_t t = 0; t < T; t++) {
                const uint32_t *v = memory[from][t ^ i];
                uint16_t half = (uint16_t)(bytes[2 * t] | bytes[2 * t + 1] << 8);
                uint32_t byte = bytes[t] | (bytes[t] & 0x80 ? 0xffffff00u : 0);
                sum[b][t] += v[0] * 3 + v[1] * 5 + v[2] * 7 + v[3] + half + byte;
                sum[b][t] += ((const uint32_t *)memory[from])[2 * t + 1];
                memcpy(next[b][t], v, 16);
                next[b][t][3] += sum[b][t] & 15;
            }
        }
        memcpy(memory, next, sizeof memory);
    }
    for (uint32_t b = 0; b < s->grid.x; b++)
        for (uint32_t t = 0; t < T; t++)
            if (out[b * T + t] != sum[b][t])
                fail_msg("CTA %u, thread %u: %u, not %u", b, t, out[b * T + t], sum[b][t]);
}

static void loads_of_every_width_reach_the_next_cta(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 8};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        on_each("ring",
                &(struct shape){.grid = {24, 1, 1}, .block = {64, 1, 1}, .cluster = {sizes[i], 1, 1}, .argument = {3}},
                check_ring);
}

static void check_stores(const uint32_t *out, const struct shape *s)
{
    uint32_t size = s->cluster.x;
    for (uint32_t b = 0; b < s->grid.x; b++)
        for (uint32_t t = 0; t < 64; t++) {
            uint32_t from = b / size * size + (b % size + size - 1) % size, v = from * 1000 + t;
            const uint32_t *got = out + (b * 64 + t) * 8;
            for (uint32_t i = 0; i < 7; i++)
                assert_int_equal(got[i], v + i);
            assert_int_equal(got[7], ((v + 7) & 0xffff) | ((v + 8) & 0xff) << 16);
        }
}

static void stores_of_every_width_reach_the_next_cta(void **state)
{
    (void)state;
    on_each("stores", &(struct shape){.grid = {20, 1, 1}, .block = {64, 1, 1}, .cluster = {4, 1, 1}}, check_stores);
}

static void check_atomics(const uint32_t *out, const struct shape *s)
{
    uint32_t size = s->cluster.x, threads = size * s->block.x;
    for (uint32_t c = 0; c < s->grid.x / size; c++) {
        const uint32_t *v = out + 32768 + 16 * c;
        uint32_t chain = 0;
        for (uint32_t i = 0; i < threads; i++)
            chain = chain * 3 + 1;
        float sum = (float)threads;
        const uint32_t expected[8] = {threads, threads, threads - 1, 5, threads % 10, 0, chain, 0};
        assert_memory_equal(v, expected, sizeof expected);
        assert_int_equal(v[8], threads);
        assert_memory_equal(v + 9, &sum, 4);
        for (uint32_t i = 0; i < threads; i++) /* each old value once */
            assert_int_equal(out[16 + c * 4096 + i], 1);
    }
}

static void atomics_of_a_whole_cluster_lose_nothing(void **state)
{
    (void)state;
    on_each("atomics", &(struct shape){.grid = {16, 1, 1}, .block = {128, 1, 1}, .cluster = {8, 1, 1}}, check_atomics);
}

static void check_wide_atomics(const uint32_t *out, const struct shape *s)
{
    uint32_t threads = s->cluster.x * s->block.x, adds = 2 * threads;
    const uint32_t expected[16] = {adds, adds, adds, adds, adds, adds, adds, adds, 1, 2 * (threads - 1),
                                   0,    10,   0,    0,    0,    0};
    for (uint32_t c = 0; c < s->grid.x / s->cluster.x; c++)
        assert_memory_equal(out + 16 * c, expected, sizeof expected);
}

static void wide_atomics_of_a_whole_cluster_lose_nothing(void **state)
{
    (void)state;
    on_each("wide_atomics", &(struct shape){.grid = {16, 1, 1}, .block = {128, 1, 1}, .cluster = {8, 1, 1}},
            check_wide_atomics);
}

static void check_spin(const uint32_t *out, const struct shape *s)
{
    for (uint32_t b = 0; b < s->grid.x; b++)
        assert_int_equal(out[b], b % s->cluster.x == 0 ? 5 : 0);
}

static void a_cta_waits_for_a_word_that_another_writes(void **state)
{
    (void)state;
    on_each("spin", &(struct shape){.grid = {6, 1, 1}, .block = {64, 1, 1}, .cluster = {2, 1, 1}}, check_spin);
}

/* ---- the barrier ------------------------------------------------------------------------------------------------- */

static void check_phases(const uint32_t *out, const struct shape *s)
{
    for (uint32_t b = 0; b < s->grid.x; b++)
        assert_int_equal(out[b], b % s->cluster.x == 0);
}

static void warps_that_exit_do_not_hold_up_the_barrier(void **state)
{
    (void)state;
    on_each("phases", &(struct shape){.grid = {8, 1, 1}, .block = {96, 1, 1}, .cluster = {4, 1, 1}, .argument = {50}},
            check_phases);
}

static void a_barrier_has_any_number_of_phases(void **state)
{
    (void)state;
    on_each("phases", &(struct shape){.grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}, .argument = {600}},
            check_phases);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void assert_refused(const char *kernel, struct shape shape, enum status_code code, const char *text)
{
    static struct outcome outcome;
    for (unsigned w = 0; w < 3; w++) {
        assert_false(run(0, &ways[w], kernel, &shape, &outcome));
        if (outcome.status.code != code || !strstr(outcome.status.text, text))
            fail_msg("%s: '%s' lacks '%s'", ways[w].name, outcome.status.text, text);
    }
}

static void memory_that_is_not_there_is_a_fault_with_its_reason(void **state)
{
    (void)state;
    struct shape shape = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}, .argument = {1, 0, 200}};
    assert_refused("wrong", shape, STATUS_FAULT, "the CTA of rank 1 has exited");
    shape.argument[0] = 2;
    assert_refused("wrong", shape, STATUS_FAULT, "the cluster has no CTA of rank 2, only 2");
    shape = (struct shape){.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}, .argument = {1, 1u << 20, 0}};
    assert_refused("wrong", shape, STATUS_FAULT, "the CTA of rank 1 has 1152 bytes of shared memory");
    shape.argument[1] = 2;
    assert_refused("wrong", shape, STATUS_FAULT, "misaligned address");
}

static void a_cluster_that_does_not_fit_is_refused_before_the_launch(void **state)
{
    (void)state;
    struct shape shape = {.grid = {16, 1, 1}, .block = {32, 1, 1}, .cluster = {3, 1, 1}};
    assert_refused("identity", shape, STATUS_USAGE, "no multiple of cluster 3 x 1 x 1");
    shape.cluster = (struct exec_dim){32, 1, 1};
    assert_refused("identity", shape, STATUS_USAGE, "a cluster has 1 to 16 CTAs");
}

UNIT_TESTS(UNIT(a_cta_knows_its_place_in_its_cluster), UNIT(an_observer_is_told_the_number_of_a_cta_in_the_grid),
           UNIT(an_address_holds_the_rank_and_the_offset), UNIT(loads_of_every_width_reach_the_next_cta),
           UNIT(stores_of_every_width_reach_the_next_cta), UNIT(atomics_of_a_whole_cluster_lose_nothing),
           UNIT(wide_atomics_of_a_whole_cluster_lose_nothing), UNIT(a_cta_waits_for_a_word_that_another_writes),
           UNIT(warps_that_exit_do_not_hold_up_the_barrier), UNIT(a_barrier_has_any_number_of_phases),
           UNIT(memory_that_is_not_there_is_a_fault_with_its_reason),
           UNIT(a_cluster_that_does_not_fit_is_refused_before_the_launch))
