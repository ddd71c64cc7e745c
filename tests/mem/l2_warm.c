/* The lines that accesses without time leave in the L2: the same as accesses with time that follow each other. */
#include "base/hash.h"
#include "tests/mem/rig.h"

enum { ACCESSES = 1500, LINES = 900, PAUSE = 2000 };

static struct request draw(uint64_t *seed)
{
    static const enum request_kind kinds[] = {REQUEST_LOAD, REQUEST_LOAD, REQUEST_STORE, REQUEST_REDUCTION};
    *seed = hash_mix(*seed);
    enum request_kind kind = kinds[*seed % 4];
    struct request r = rig_request(0, kind, (*seed >> 8) % LINES * PORT_LINE, 1 + (unsigned)(*seed >> 32) % 15, 0);
    r.partial = kind == REQUEST_STORE ? r.sectors & (uint32_t)(*seed >> 40) : 0;
    r.policy = (uint8_t)((*seed >> 48) % 3);
    r.sm = (uint16_t)((*seed >> 52) % 4);
    return r;
}

static void serve(struct rig *rig, struct request request, uint64_t at)
{
    request.arrival = at;
    request.token = RIG_MOST - 1;
    mem_accept(rig->mem, &request);
    for (uint64_t end = at + 1; !rig->replied[RIG_MOST - 1]; end += NOC)
        rig_run(rig, end);
    rig->replied[RIG_MOST - 1] = false;
}

static struct rig *two_halves(void)
{
    struct rig *rig = rig_new();
    rig->config.gpu.sms = 4;
    snprintf(rig->config.gpu.gpcs, sizeof rig->config.gpu.gpcs, "2 2");
    rig->config.l2.slices = 2;
    rig->config.l2.partitions = 2;
    rig->config.dram.channels = 2;
    rig->config.l2.link_latency = 10;
    return rig;
}

/* One memory system serves the accesses one after another, another one is warmed by them. Then both serve the same
 * accesses: each hits and evicts as the other does. */
static void compare(struct rig *timed, struct rig *warmed)
{
    uint64_t seed = 1, at = PAUSE;
    rig_start(timed);
    rig_start(warmed);
    for (unsigned i = 0; i < ACCESSES; i++, at += PAUSE) {
        struct request r = draw(&seed);
        timed->applies = 0;
        serve(timed, r, at);
        mem_warm(warmed->mem, &r);
        assert_true(mem_dirty_sectors(timed->mem) == mem_dirty_sectors(warmed->mem));
    }
    struct mem_counters before = rig_counters(timed);
    assert_int_equal(rig_counters(warmed).l2_sectors_read, 0);
    for (unsigned i = 0; i < ACCESSES / 4; i++, at += PAUSE) {
        struct request r = draw(&seed);
        timed->applies = warmed->applies = 0;
        serve(timed, r, at);
        serve(warmed, r, at);
    }
    struct mem_counters a = rig_counters(timed), b = rig_counters(warmed);
    mem_counters_subtract(&a, &before);
    assert_true(b.l2_sectors_read_hit > 0 && b.l2_sectors_read_hit < b.l2_sectors_read);
    assert_true(b.l2_evictions_dirty > 0);
    assert_true(a.l2_sectors_read_hit == b.l2_sectors_read_hit);
    assert_true(a.l2_sectors_write_hit == b.l2_sectors_write_hit);
    assert_true(a.l2_sectors_atomic_hit == b.l2_sectors_atomic_hit);
    assert_true(a.l2_sectors_copy == b.l2_sectors_copy);
    assert_true(a.l2_evictions_dirty == b.l2_evictions_dirty);
    rig_free(timed);
    rig_free(warmed);
}

static void warmed_tags_are_those_of_timed_accesses(void **state)
{
    (void)state;
    compare(rig_new(), rig_new());
}

static void warmed_tags_of_two_partitions_have_their_copies(void **state)
{
    (void)state;
    compare(two_halves(), two_halves());
}

static void fetches_of_two_sectors_and_rows_of_lines_are_alike(void **state)
{
    struct rig *rigs[2] = {rig_new(), rig_new()};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        rigs[i]->config.l2.fetch_sectors = 2;
        rigs[i]->config.l2.row_lines = 4;
    }
    compare(rigs[0], rigs[1]);
}

static void a_full_l2_has_its_size_in_sectors(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_start(rig);
    assert_true(mem_l2_sectors(rig->mem) == rig->config.l2.size / PORT_SECTOR);
    rig_free(rig);
}

UNIT_TESTS(UNIT(warmed_tags_are_those_of_timed_accesses), UNIT(warmed_tags_of_two_partitions_have_their_copies),
           UNIT(fetches_of_two_sectors_and_rows_of_lines_are_alike), UNIT(a_full_l2_has_its_size_in_sectors))
