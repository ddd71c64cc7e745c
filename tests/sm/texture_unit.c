/* The texture unit by kind of read: latency of a hit, rate, the queue, the L1 that it shares, the order of results. The
 * numbers are those of an H200 (configs/arch/sm_90.toml). */
#include "tests/sm/harness.h"

#define QUAD UINT32_C(0xf)

static struct harness *begin_on(const char *gpu)
{
    struct harness *h = harness_new();
    struct status status = {0};
    assert_true(config_load(&h->config, gpu, &status));
    h->config.icache.perfect = true;
    return h;
}

static struct harness *begin(void) { return begin_on("h200"); }

static struct inst fetch(uint8_t bytes) { return texture(ISA_OP_TLD, bytes, 0, (struct issued_texture){.texels = 1}); }

static struct inst sample(uint8_t bytes, uint8_t texels)
{
    return texture(ISA_OP_TEX, bytes, 0, (struct issued_texture){.texels = texels});
}

static struct inst volume(uint8_t bytes)
{
    return texture(ISA_OP_TEX, bytes, 0, (struct issued_texture){.texels = 8, .volume = true});
}

static struct inst fractions(uint8_t texels)
{
    return texture(ISA_OP_TEX, 4, 0, (struct issued_texture){.texels = texels, .fractions = true});
}

/* Cycles to a consumer, from the L1. */
static uint64_t latency_on(const char *gpu, struct inst i, uint32_t active)
{
    struct harness *h = begin_on(gpu);
    add(h, stall(writes_sb(lanes(i, active), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles;
}

static uint64_t latency(struct inst i, uint32_t active) { return latency_on("h200", i, active); }

static void a_hit_takes_the_latency_of_its_kind(void **state)
{
    (void)state;
    assert_int_equal(latency(fetch(4), 1), 115);
    assert_in_range(latency(fetch(4), UINT32_MAX), 120, 121);
    assert_int_equal(latency(sample(4, 1), 1), 120);
    assert_int_equal(latency(sample(4, 1), UINT32_MAX), 133);
    assert_int_equal(latency(sample(4, 4), UINT32_MAX), 133);
    assert_int_equal(latency(fractions(1), UINT32_MAX), 141);
    assert_int_equal(latency(fractions(4), UINT32_MAX), 155);
    assert_int_equal(latency(surface_load(0), UINT32_MAX), 93);
}

/* Cycles per instruction when all sub-cores stream it. */
static uint64_t interval_on(const char *gpu, struct inst i, uint32_t active)
{
    enum { COUNT = 40, LATE = 20 };
    struct harness *h = begin_on(gpu);
    add_many(h, lanes(i, active), COUNT);
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    for (uint32_t w = 0; w < SM_SUBCORES; w++)
        harness_warp(h, w, 0);
    harness_hold(h, START);
    harness_run(h);
    uint64_t cycles = distance(h, 0, LATE, COUNT - 1) / (COUNT - 1 - LATE) / SM_SUBCORES;
    harness_free(h);
    return cycles;
}

static uint64_t interval(struct inst i, uint32_t active) { return interval_on("h200", i, active); }

static void a_stream_takes_as_long_as_its_quads(void **state)
{
    (void)state;
    assert_int_equal(interval(fetch(4), UINT32_MAX), 4);
    assert_int_equal(interval(fetch(16), UINT32_MAX), 8);
    assert_int_equal(interval(sample(4, 1), UINT32_MAX), 8);
    assert_int_equal(interval(sample(4, 4), UINT32_MAX), 8);
    assert_int_equal(interval(sample(4, 8), UINT32_MAX), 16);
    assert_int_equal(interval(sample(16, 1), UINT32_MAX), 16);
    assert_int_equal(interval(sample(16, 4), UINT32_MAX), 32);
    assert_int_equal(interval(volume(4), UINT32_MAX), 16);
    assert_int_equal(interval(volume(16), UINT32_MAX), 128);
    assert_int_equal(interval(sample(16, 4), QUAD | QUAD << 28), 8);
    assert_int_equal(interval(sample(16, 4), 0x11111111), 32); /* a lane of each quad */
}

/* White papers: GP100 and GV100 have 4 texture units an SM, GP104 has 8. */
static void pascal_has_the_texture_units_of_its_white_papers(void **state)
{
    (void)state;
    assert_int_equal(interval_on("p100", sample(4, 4), UINT32_MAX), 8);
    assert_int_equal(interval_on("gtx-1080", sample(4, 4), UINT32_MAX), 4);
    assert_int_equal(interval_on("v100-sxm2", sample(4, 4), UINT32_MAX), 8);
    assert_int_equal(latency_on("p100", fetch(4), 1), 82); /* as a load */
    assert_int_equal(latency_on("p100", sample(4, 1), 1), 87);
    assert_int_equal(latency_on("gtx-1080", fetch(4), 1), 82);
}

static void a_sub_core_holds_as_many_as_its_queue_has_places(void **state)
{
    (void)state;
    struct harness *h = begin();
    h->config.tex.queue = 3;
    add_many(h, sample(16, 4), 8);
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 2), 2);
    assert_true(distance(h, 0, 2, 3) > 5); /* the first leaves for the unit */
    assert_int_equal(distance(h, 0, 5, 6), 32);
    harness_free(h);
}

/* The texels of a filter in the next row are another line: both are asked for, once. */
static void what_misses_comes_from_the_l2_and_stays_in_the_l1(void **state)
{
    (void)state;
    struct harness *h = begin();
    struct inst rows = texture(ISA_OP_TEX, 4, 0, (struct issued_texture){.distance = 1024, .texels = 4});
    add(h, stall(writes_sb(lanes(rows, 1), 0), 2));
    add(h, waits(nop(), 1));
    add(h, stall(writes_sb(lanes(rows, 1), 0), 2));
    add(h, waits(nop(), 1));
    add(h, stall(writes_sb(lanes(ldg(5, true, 4, 1024), 1), 0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    assert_true(distance(h, 0, 0, 1) > 200);
    assert_in_range(distance(h, 0, 2, 3), 120, 121);
    assert_true(distance(h, 0, 4, 5) < 50); /* a load finds the line of a texture */
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->request[0].line + h->request[1].line, 1024);
    harness_free(h);
}

static void results_of_a_warp_come_in_order(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, writes_sb(texture(ISA_OP_TEX, 4, 65536, (struct issued_texture){.texels = 1}), 0)); /* misses */
    add(h, stall(writes_sb(sample(4, 1), 1), 2));
    add(h, waits(nop(), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_true(distance(h, 0, 1, 2) > 200);
    assert_int_equal(distance(h, 0, 2, 3), 1);
    harness_free(h);
}

UNIT_TESTS(UNIT(a_hit_takes_the_latency_of_its_kind), UNIT(a_stream_takes_as_long_as_its_quads),
           UNIT(pascal_has_the_texture_units_of_its_white_papers),
           UNIT(a_sub_core_holds_as_many_as_its_queue_has_places),
           UNIT(what_misses_comes_from_the_l2_and_stays_in_the_l1), UNIT(results_of_a_warp_come_in_order))
