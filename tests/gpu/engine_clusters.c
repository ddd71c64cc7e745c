/* Copies by the engine to the CTAs of a cluster, executed only and timed, with any number of host threads. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "exec/engine/tensor_map.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { BYTES = 2048, WORDS = BYTES / 4, CTAS = 4, CLUSTERS = 3, ALL = CTAS * CLUSTERS };

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct kernel_result result;
    struct status status;
    uint64_t in, out;
    uint32_t *from, *to; /* the same here */
};

static void begin(struct rig *r, unsigned threads)
{
    static const char place[] = "tests/gpu/cubin/engine_clusters.sm_90a.cubin";
    const struct gpu_options options = {.threads = threads, .functional = true};
    struct config config;
    struct file_bytes file;
    char path[4096];
    *r = (struct rig){0};
    assert_true(config_load(&config, "h200", &r->status));
    assert_true(config_set(&config, "gpu.memory=1", &r->status));
    r->gpu = gpu_create(&config, &options, &r->status);
    assert_non_null(r->gpu);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, place, &r->status);
    assert_non_null(r->module);
    file_free(&file);
    r->in = memory_alloc(gpu_memory(r->gpu), ALL * BYTES);
    r->out = memory_alloc(gpu_memory(r->gpu), ALL * BYTES);
    r->from = (uint32_t *)(void *)memory_at(gpu_memory(r->gpu), r->in);
    r->to = (uint32_t *)(void *)memory_at(gpu_memory(r->gpu), r->out);
    for (uint32_t i = 0; i < ALL * WORDS; i++)
        r->from[i] = i * 2654435761u;
}

static bool launch(struct rig *r, const char *kernel, const void *parameters, size_t bytes, unsigned ctas, bool timed)
{
    const struct gpu_launch launch = {.module = r->module,
                                      .kernel = kernel,
                                      .grid = {ctas, 1, 1},
                                      .block = {64, 1, 1},
                                      .parameters = parameters,
                                      .parameter_bytes = bytes,
                                      .mode = timed ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL};
    memset(r->to, 0x55, ALL * BYTES);
    r->status = (struct status){0};
    return gpu_launch(r->gpu, &launch, &r->result, &r->status);
}

static void run(struct rig *r, const char *kernel, uint32_t number, bool timed)
{
    const struct {
        uint64_t in, out;
        uint32_t number, unused;
    } p = {r->in, r->out, number, 0};
    if (!launch(r, kernel, &p, 20, ALL, timed))
        fail_msg("%s: %s", kernel, r->status.text);
}

/* Calls `check` executed only, and timed with 1 and with 3 threads, which take the same time. */
static void each(void (*check)(struct rig *r, bool timed))
{
    uint64_t cycles = 0;
    for (unsigned i = 0; i < 3; i++) {
        struct rig r;
        begin(&r, i == 2 ? 3 : 1);
        check(&r, i > 0);
        if (i == 2)
            assert_int_equal(r.result.cycles, cycles);
        cycles = r.result.cycles;
        gpu_destroy(r.gpu);
    }
}

static void check_multicast(struct rig *r, bool timed)
{
    static const uint32_t masks[] = {0xb, 0x1, 0x8, 0xf, 0x6};
    for (unsigned m = 0; m < sizeof masks / sizeof masks[0]; m++) {
        run(r, "multicast", masks[m], timed);
        for (unsigned cta = 0; cta < ALL; cta++)
            for (unsigned i = 0; i < WORDS; i++)
                assert_int_equal(r->to[cta * WORDS + i], masks[m] >> cta % CTAS & 1 ? r->from[i] : 0xcccccccc);
    }
}

static void a_multicast_reaches_the_ctas_of_its_mask_and_no_other(void **state)
{
    (void)state;
    each(check_multicast);
}

static void check_ring(struct rig *r, bool timed)
{
    for (unsigned step = 0; step < CTAS; step++) {
        run(r, "ring", step, timed);
        for (unsigned cta = 0; cta < ALL; cta++) {
            unsigned from = cta / CTAS * CTAS + (cta + CTAS - step) % CTAS;
            assert_memory_equal(&r->to[cta * WORDS], &r->from[from * WORDS], BYTES);
        }
    }
}

static void a_copy_reaches_the_shared_memory_of_each_rank(void **state)
{
    (void)state;
    each(check_ring);
}

static void check_gather(struct rig *r, bool timed)
{
    run(r, "gather", 0, timed);
    for (unsigned cta = 0; cta < ALL; cta++)
        for (unsigned i = 0; i < WORDS; i++) {
            uint32_t sum = 7;
            for (unsigned k = 0; k < CTAS && cta % CTAS == 0; k++)
                sum += r->from[(cta + k) * WORDS + i];
            assert_int_equal(r->to[cta * WORDS + i], sum);
        }
}

static void all_ctas_add_to_the_memory_of_one(void **state)
{
    (void)state;
    each(check_gather);
}

static void check_quarters(struct rig *r, bool timed)
{
    struct {
        uint8_t before[0x70], map[TENSOR_MAP_BYTES];
        uint64_t out;
    } p = {.out = r->out};
    const struct tensor_map map = {.address = r->in,
                                   .stride = {4, 64},
                                   .size = {16, 100},
                                   .box = {16, 8},
                                   .step = {1, 1},
                                   .rank = 2,
                                   .type = TENSOR_U32};
    assert_null(tensor_map_wrong(&map));
    tensor_map_encode(&map, p.map);
    if (!launch(r, "quarters", &p, sizeof p, ALL, timed))
        fail_msg("%s", r->status.text);
    for (unsigned cta = 0; cta < ALL; cta++)
        assert_memory_equal(&r->to[cta * WORDS], r->from, BYTES);
}

static void parts_of_a_box_from_all_ctas_make_the_whole_in_each(void **state)
{
    (void)state;
    each(check_quarters);
}

static void a_copy_to_a_cta_that_has_exited_is_a_fault(void **state)
{
    (void)state;
    for (unsigned timed = 0; timed < 2; timed++) {
        struct rig r;
        begin(&r, 1);
        const struct {
            uint64_t in, out;
            uint32_t number, unused;
        } p = {r.in, r.out, 3, 0};
        assert_false(launch(&r, "late", &p, 20, 2, timed));
        if (!strstr(r.status.text, "kernel late, pc 0x") || !strstr(r.status.text, "rank 1") ||
            !strstr(r.status.text, "has exited"))
            fail_msg("timed %u: %s", timed, r.status.text);
        gpu_destroy(r.gpu);
    }
}

UNIT_TESTS(UNIT(a_multicast_reaches_the_ctas_of_its_mask_and_no_other),
           UNIT(a_copy_reaches_the_shared_memory_of_each_rank), UNIT(all_ctas_add_to_the_memory_of_one),
           UNIT(parts_of_a_box_from_all_ctas_make_the_whole_in_each), UNIT(a_copy_to_a_cta_that_has_exited_is_a_fault))
