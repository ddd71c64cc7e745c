/* Deferred cores: the values that loads see while stores are on their way. */
#include "exec/memory/store_log.h"

#include "exec/exec.h"
#include "store_log.h"

static void a_store_is_seen_by_its_core_before_memory_has_it(void **state)
{
    (void)state;
    uint64_t base;
    struct machine *m = prepare(&base);
    add(m, global_store(ADDRESS, 0, 8, SIZE_32));
    add(m, global_load(9, ADDRESS, 0, SIZE_32));
    add(m, global_load(10, ADDRESS, 0, SIZE_32));
    begin(m, base);
    uint32_t before = word(m, base + 4);
    step_with(m, 1);
    assert_true(m->out.deferred);
    assert_int_equal(word(m, base + 4), before);
    step_with(m, 2);
    assert_false(m->out.deferred);
    assert_memory_equal(row(m, 9), row(m, 8), 128);
    exec_apply(&m->core, 1, ALL);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(word(m, base + 4 * lane), UINT32_C(0xa0b0c000) + lane);
    memory_at(m->memory, base)[0] = 0x55; /* somebody else's store: no longer hidden */
    step_with(m, 2);
    exec_complete(&m->core, 1);
    assert_int_equal(row(m, 10)[0], 0xa0b0c055);
    assert_int_equal(row(m, 10)[31], 0xa0b0c01f);
    machine_destroy(m);
}

static void stores_cover_only_their_own_bytes(void **state)
{
    (void)state;
    uint64_t base;
    struct machine *m = prepare(&base);
    add(m, global_store(ADDRESS, 1, 8, SIZE_U8));
    add(m, global_store(ADDRESS, 2, 8, SIZE_U16));
    add(m, global_load(9, ADDRESS, 0, SIZE_32));
    add(m, global_load(12, OTHER_ADDRESS, 0, SIZE_128));
    begin(m, base);
    step_with(m, 1);
    step_with(m, 2);
    step_with(m, 3);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, 9)[lane], UINT32_C(0xc0000000) | lane << 16 | lane << 8 | 4 * lane);
    step_with(m, 3);
    for (unsigned w = 0; w < 4; w++)
        assert_int_equal(row(m, 12 + w)[5], row(m, 9)[w]);
    machine_destroy(m);
}

static void the_younger_of_two_stores_wins_whichever_completes_first(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 2; order++) {
        uint64_t base;
        struct machine *m = prepare(&base);
        add(m, global_store(ADDRESS, 0, 8, SIZE_32));
        add(m, global_store(ADDRESS, 0, 2, SIZE_U16));
        for (unsigned i = 0; i < 3; i++)
            add(m, global_load(9 + i, ADDRESS, 0, SIZE_32));
        begin(m, base);
        for (unsigned lane = 0; lane < 32; lane++)
            row(m, 2)[lane] = 0x1234;
        step_with(m, 5);
        step_with(m, 6);
        step_with(m, 7);
        assert_int_equal(row(m, 9)[3], 0xa0b01234);
        exec_apply(&m->core, 5, ALL);
        exec_apply(&m->core, 6, ALL);
        exec_complete(&m->core, order ? 5 : 6);
        step_with(m, 7);
        assert_int_equal(row(m, 10)[3], 0xa0b01234);
        exec_complete(&m->core, order ? 6 : 5);
        step_with(m, 7);
        assert_int_equal(row(m, 11)[3], 0xa0b01234);
        machine_destroy(m);
    }
}

static void lanes_of_one_store_that_meet_leave_the_lowest_ones_value(void **state)
{
    (void)state;
    uint64_t base;
    struct machine *m = prepare(&base);
    add(m, global_store(OTHER_ADDRESS, 0, 8, SIZE_32));
    add(m, global_load(9, OTHER_ADDRESS, 0, SIZE_32));
    begin(m, base);
    step_with(m, 0);
    step_with(m, 1);
    assert_int_equal(row(m, 9)[31], 0xa0b0c000);
    exec_apply(&m->core, 0, ALL);
    assert_int_equal(word(m, base), 0xa0b0c000);
    machine_destroy(m);
}

/* Takes effect in the order of issue, and completes in any. */
struct traffic {
    uint32_t queue[16], first, count;
};

static void apply_up_to(struct machine *m, struct traffic *t, uint32_t token)
{
    for (uint32_t i = t->first; i < t->first + t->count; i++)
        if (t->queue[i % 16] == token) {
            while (t->count > 0) {
                uint32_t next = t->queue[t->first++ % 16];
                t->count--;
                exec_apply(&m->core, next, ALL);
                if (next == token)
                    return;
            }
        }
}

/* Random loads and stores against a picture of memory as the program sees it. */
static void random_traffic_looks_as_if_every_store_took_effect_at_once(void **state)
{
    (void)state;
    enum { TOKENS = 12, CELL = 2048 };
    uint64_t base, random = 5;
    struct machine *m = prepare(&base);
    static uint8_t picture[CELL];
    memcpy(picture, memory_at(m->memory, base), CELL);
    for (unsigned size = 0; size < 7; size++) {
        add(m, global_store(ADDRESS, 0, 8, size));
        add(m, global_load(12, ADDRESS, 0, size));
    }
    begin(m, base);
    struct exec_warp *warp = &m->cta->warps[0];
    struct traffic traffic = {.count = 0};
    bool used[TOKENS] = {false};
    static const uint8_t bytes_of[7] = {1, 1, 2, 2, 4, 8, 16};
    for (unsigned trial = 0; trial < 6000; trial++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t token = (uint32_t)(random >> 33) % TOKENS;
        if (used[token]) {
            apply_up_to(m, &traffic, token);
            exec_complete(&m->core, token);
            used[token] = false;
            continue;
        }
        unsigned size = (uint32_t)(random >> 40) % 7, bytes = bytes_of[size];
        bool store = random >> 50 & 1;
        uint32_t stride = (uint32_t)(random >> 51) % 3 * bytes,
                 first = (uint32_t)(random >> 53) % (512 / bytes) * bytes;
        set_addresses(m, 0, ADDRESS, base + first, stride);
        for (unsigned r = 8; r < 12; r++)
            for (unsigned lane = 0; lane < 32; lane++)
                row(m, r)[lane] = (uint32_t)(random >> 7) * (lane + 1) + r;
        warp->path[0].pc = 16 * (2 * size + !store);
        m->steps = 0;
        step_with(m, token);
        for (unsigned lane = 32; lane-- > 0;) { /* the lowest lane's store stays */
            uint8_t *at = picture + first + lane * stride;
            uint32_t value[4] = {row(m, 8)[lane], row(m, 9)[lane], row(m, 10)[lane], row(m, 11)[lane]}, got[4] = {0};
            if (store) {
                memcpy(at, value, bytes);
                continue;
            }
            for (unsigned w = 0; w < 4; w++)
                got[w] = row(m, 12 + w)[lane];
            assert_memory_equal(got, at, bytes);
        }
        used[token] = store;
        assert_int_equal(m->out.deferred, store);
        if (store)
            traffic.queue[(traffic.first + traffic.count++) % 16] = token;
    }
    machine_destroy(m);
}

/* More than the log has room for at first: its entries are there afterwards. */
static void many_stores_of_scattered_lanes_are_all_seen_and_take_effect(void **state)
{
    (void)state;
    enum { STORES = 60, SECTOR = 32 };
    struct machine *m = machine_create(false, 32);
    uint64_t base = memory_alloc(m->memory, STORES * 32 * SECTOR);
    for (int i = 0; i < STORES; i++)
        add(m, global_store(ADDRESS, i * 32 * SECTOR, 8, SIZE_32));
    for (int i = 0; i < STORES; i++)
        add(m, global_load(9, ADDRESS, i * 32 * SECTOR, SIZE_32));
    begin(m, base);
    set_addresses(m, 0, ADDRESS, base, SECTOR);
    for (unsigned i = 0; i < STORES; i++) {
        row(m, 8)[3] = i;
        step_with(m, i);
    }
    for (unsigned i = 0; i < STORES; i++) {
        step_with(m, STORES);
        assert_int_equal(row(m, 9)[3], i);
        assert_int_equal(row(m, 9)[31], UINT32_C(0xa0b0c01f));
        assert_int_equal(word(m, base + (i * 32 + 3) * SECTOR), 0);
    }
    for (unsigned i = 0; i < STORES; i++) {
        exec_apply(&m->core, i, ALL);
        exec_complete(&m->core, i);
    }
    for (unsigned i = 0; i < STORES; i++) {
        assert_int_equal(word(m, base + (i * 32 + 3) * SECTOR), i);
        assert_int_equal(word(m, base + (i * 32 + 31) * SECTOR), UINT32_C(0xa0b0c01f));
    }
    assert_true(store_log_empty(&m->core));
    machine_destroy(m);
}

UNIT_TESTS(UNIT(a_store_is_seen_by_its_core_before_memory_has_it), UNIT(stores_cover_only_their_own_bytes),
           UNIT(the_younger_of_two_stores_wins_whichever_completes_first),
           UNIT(lanes_of_one_store_that_meet_leave_the_lowest_ones_value),
           UNIT(many_stores_of_scattered_lanes_are_all_seen_and_take_effect),
           UNIT(random_traffic_looks_as_if_every_store_took_effect_at_once))
