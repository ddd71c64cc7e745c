/* The checker between the proxies, by itself. */
#include "exec/memory/proxy.h"

#include "tests/unit.h"

enum { BYTES = 4096, BARRIER = 64 };

struct finding {
    enum proxy_kind kind;
    uint32_t first, second, offset;
};

struct rig {
    struct proxy_shadow *shadow;
    struct finding found[16];
    unsigned count;
};

static void note(void *self, enum proxy_kind kind, struct proxy_place first, struct proxy_place second, uint32_t offset)
{
    struct rig *r = self;
    if (r->count < 16)
        r->found[r->count] = (struct finding){kind, first.pc, second.pc, offset};
    r->count++;
}

static struct rig rig_begin(void)
{
    struct rig r = {.shadow = malloc(proxy_bytes(BYTES))};
    assert_non_null(r.shadow);
    proxy_begin(r.shadow, BYTES);
    return r;
}

static void rig_end(struct rig *r) { free(r->shadow); }

#define SINK(r) ((struct proxy_sink){&(r), note})

static struct proxy_place at(uint32_t pc, uint32_t warp) { return (struct proxy_place){pc, warp}; }

static void expect(struct rig *r, enum proxy_kind kind, uint32_t first, uint32_t second, uint32_t offset)
{
    assert_int_equal(r->count, 1);
    assert_int_equal(r->found[0].kind, kind);
    assert_int_equal(r->found[0].first, first);
    assert_int_equal(r->found[0].second, second);
    assert_int_equal(r->found[0].offset, offset);
    r->count = 0;
}

static uint32_t reads(struct rig *r, uint32_t pc, uint32_t warp, uint32_t offset, uint32_t bytes)
{
    uint32_t number = proxy_async_begin(r->shadow, at(pc, warp), UINT32_MAX, 0);
    proxy_async_read(r->shadow, number, offset, bytes, SINK(*r));
    return number;
}

static uint32_t writes(struct rig *r, uint32_t pc, uint32_t offset, uint32_t bytes, unsigned parity)
{
    uint32_t number = proxy_async_begin(r->shadow, at(pc, 0), BARRIER, parity);
    proxy_async_write(r->shadow, number, offset, bytes, SINK(*r));
    return number;
}

static void an_asynchronous_read_of_a_store_without_a_fence_is_found(void **state)
{
    (void)state;
    struct rig r = rig_begin();
    proxy_generic_write(r.shadow, at(0x10, 3), 1024 + 20, 4, SINK(r));
    reads(&r, 0x90, 1, 1024, 16); /* the granule before */
    assert_int_equal(r.count, 0);
    reads(&r, 0x90, 1, 1024, 17);
    expect(&r, PROXY_NO_FENCE, 0x10, 0x90, 1040);
    rig_end(&r);
}

static void a_fence_of_the_writer_or_of_the_warp_that_reads_is_enough(void **state)
{
    (void)state;
    for (uint32_t warp = 0; warp < 4; warp++) {
        struct rig r = rig_begin();
        proxy_generic_write(r.shadow, at(0x10, 3), 1024, 4, SINK(r));
        proxy_fence(r.shadow, warp);
        reads(&r, 0x90, 1, 1024, 64);
        assert_int_equal(r.count, warp != 3 && warp != 1);
        rig_end(&r);
    }
}

static void a_fence_before_the_store_is_none(void **state)
{
    (void)state;
    struct rig r = rig_begin();
    proxy_fence(r.shadow, 3);
    proxy_fence(r.shadow, 1);
    proxy_generic_write(r.shadow, at(0x10, 3), 1024, 4, SINK(r));
    reads(&r, 0x90, 1, 1024, 64);
    expect(&r, PROXY_NO_FENCE, 0x10, 0x90, 1024);
    rig_end(&r);
}

static void a_read_before_anybody_has_seen_the_phase_end_is_found(void **state)
{
    (void)state;
    struct rig r = rig_begin();
    writes(&r, 0x20, 512, 256, 1);
    proxy_generic_read(r.shadow, at(0x40, 2), 512 - 16, 16, SINK(r));
    proxy_generic_read(r.shadow, at(0x40, 2), 768, 16, SINK(r));
    assert_int_equal(r.count, 0);
    proxy_generic_read(r.shadow, at(0x40, 2), 764, 4, SINK(r));
    expect(&r, PROXY_BEFORE_PHASE, 0x20, 0x40, 752);
    proxy_phase_ended(r.shadow, BARRIER, 0); /* the one before */
    proxy_phase_ended(r.shadow, BARRIER + 8, 1);
    proxy_generic_read(r.shadow, at(0x40, 2), 764, 4, SINK(r));
    expect(&r, PROXY_BEFORE_PHASE, 0x20, 0x40, 752);
    proxy_phase_ended(r.shadow, BARRIER, 1);
    proxy_generic_read(r.shadow, at(0x40, 2), 512, 256, SINK(r));
    assert_int_equal(r.count, 0);
    assert_int_equal(r.shadow->open, 0);
    rig_end(&r);
}

static void an_asynchronous_reader_must_wait_for_the_phase_too_and_needs_no_fence(void **state)
{
    (void)state;
    struct rig r = rig_begin();
    proxy_generic_write(r.shadow, at(0x10, 3), 512, 4, SINK(r));
    writes(&r, 0x20, 512, 16, 0);
    reads(&r, 0x30, 1, 512, 16);
    expect(&r, PROXY_BEFORE_PHASE, 0x20, 0x30, 512);
    proxy_phase_ended(r.shadow, BARRIER, 0);
    reads(&r, 0x30, 1, 512, 16);
    assert_int_equal(r.count, 0);
    rig_end(&r);
}

static void a_write_over_a_transfer_under_way_is_an_overrun(void **state)
{
    (void)state;
    struct rig r = rig_begin();
    writes(&r, 0x20, 512, 256, 0);
    writes(&r, 0x30, 768, 256, 0); /* beside it */
    assert_int_equal(r.count, 0);
    writes(&r, 0x40, 767, 1, 0);
    expect(&r, PROXY_OVERRUN, 0x20, 0x40, 752);
    proxy_generic_write(r.shadow, at(0x50, 1), 768, 4, SINK(r));
    expect(&r, PROXY_OVERRUN, 0x30, 0x50, 768);
    proxy_phase_ended(r.shadow, BARRIER, 0);
    writes(&r, 0x60, 512, 512, 1);
    assert_int_equal(r.count, 0);
    rig_end(&r);
}

static void a_write_over_what_is_still_read_is_an_overrun_until_the_read_is_done(void **state)
{
    (void)state;
    struct rig r = rig_begin();
    uint32_t number = reads(&r, 0x20, 1, 512, 64);
    proxy_generic_read(r.shadow, at(0x30, 1), 512, 64, SINK(r));
    assert_int_equal(r.count, 0);
    proxy_generic_write(r.shadow, at(0x30, 1), 560, 4, SINK(r));
    expect(&r, PROXY_OVERRUN, 0x20, 0x30, 560);
    writes(&r, 0x40, 512, 16, 0);
    expect(&r, PROXY_OVERRUN, 0x20, 0x40, 512);
    proxy_async_done(r.shadow, number);
    proxy_generic_write(r.shadow, at(0x30, 1), 528, 4, SINK(r));
    assert_int_equal(r.count, 0);
    rig_end(&r);
}

/* Its entry has gone to another: nothing wrong is told of it. */
static void a_transfer_long_ago_counts_as_over(void **state)
{
    (void)state;
    struct rig r = rig_begin();
    writes(&r, 0x20, 512, 16, 0);
    for (uint32_t i = 0; i < PROXY_TRANSFERS; i++)
        proxy_async_begin(r.shadow, at(0x30, 0), BARRIER, 1);
    proxy_generic_read(r.shadow, at(0x40, 2), 512, 16, SINK(r));
    assert_int_equal(r.count, 0);
    assert_int_equal(r.shadow->open, PROXY_TRANSFERS);
    rig_end(&r);
}

static void without_a_shadow_nothing_is_found(void **state)
{
    (void)state;
    struct rig r = {0};
    proxy_generic_write(NULL, at(0, 0), 0, 4, SINK(r));
    proxy_generic_read(NULL, at(0, 0), 0, 4, SINK(r));
    proxy_fence(NULL, 0);
    assert_int_equal(proxy_async_begin(NULL, at(0, 0), 0, 0), 0);
    proxy_async_read(NULL, 0, 0, 4, SINK(r));
    proxy_async_write(NULL, 0, 0, 4, SINK(r));
    proxy_async_done(NULL, 0);
    proxy_phase_ended(NULL, 0, 0);
    assert_int_equal(r.count, 0);
}

UNIT_TESTS(UNIT(an_asynchronous_read_of_a_store_without_a_fence_is_found),
           UNIT(a_fence_of_the_writer_or_of_the_warp_that_reads_is_enough), UNIT(a_fence_before_the_store_is_none),
           UNIT(a_read_before_anybody_has_seen_the_phase_end_is_found),
           UNIT(an_asynchronous_reader_must_wait_for_the_phase_too_and_needs_no_fence),
           UNIT(a_write_over_a_transfer_under_way_is_an_overrun),
           UNIT(a_write_over_what_is_still_read_is_an_overrun_until_the_read_is_done),
           UNIT(a_transfer_long_ago_counts_as_over), UNIT(without_a_shadow_nothing_is_found))
