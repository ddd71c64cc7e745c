/* Deferred cores: the values that loads see while stores, reductions and atomics are on their way. */
#include "exec/memory/store_log.h"
#include "exec/exec.h"
#include "exec/memory/pending.h"
#include "isa/assemble.h"
#include "machine.h"

enum { SIZE_U8 = 0, SIZE_U16 = 2, SIZE_32 = 4, SIZE_64 = 5, SIZE_128 = 6, ADDRESS = 4, OTHER_ADDRESS = 6 };

/* A deferred machine with 4 KiB of memory, where byte i is i; R4 = lane * 4 in it. */
static struct machine *prepare(uint64_t *base)
{
    struct machine *m = machine_create(false, 32);
    *base = memory_alloc(m->memory, 4096);
    for (unsigned i = 0; i < 4096; i++)
        memory_at(m->memory, *base)[i] = (uint8_t)i;
    return m;
}

static void begin(struct machine *m, uint64_t base)
{
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    set_addresses(m, 0, ADDRESS, base, 4);
    set_addresses(m, 0, OTHER_ADDRESS, base, 0);
    for (unsigned lane = 0; lane < 32; lane++)
        row(m, 8)[lane] = UINT32_C(0xa0b0c000) + lane;
}

static void step_with(struct machine *m, uint32_t token)
{
    m->token = token;
    machine_step(m, 0);
    assert_string_equal(m->core.fault.text, "");
}

static uint32_t word(const struct machine *m, uint64_t at)
{
    uint32_t value;
    assert_true(memory_read(m->memory, &value, at, 4));
    return value;
}

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

/* The name of a load's order, on the architecture, as the decoder gives it. */
static uint8_t order_of(const char *name, unsigned sm)
{
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(sm, &status);
    assert_non_null(assembler);
    char text[64];
    snprintf(text, sizeof text, sm < 80 ? "LDG.E%s R12, [R2]" : "LDG.E%s R12, [R2.64]", name);
    struct word128 word;
    struct isa_inst inst;
    struct isa_asm_error error;
    if (!isa_assemble(assembler, text, strlen(text), 0, NULL, NULL, &word, &error))
        fail_msg("%s is refused", text);
    assert_true(isa_decode(isa_assembler_decoder(assembler), word, 0, &inst));
    isa_assembler_destroy(assembler);
    return inst.mod[ISA_MOD_ORDER];
}

/* A store, a load at the slice and two more stores to the same words, whichever is served first. */
static void accesses_of_a_core_to_a_sector_take_effect_in_the_order_of_issue(void **state)
{
    (void)state;
    static const uint8_t orders[][4] = {{3, 2, 1, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}, {0, 1, 2, 3}};
    for (unsigned o = 0; o < 4; o++) {
        uint64_t base;
        struct machine *m = prepare(&base);
        add(m, global_store(ADDRESS, 0, 8, SIZE_32));
        struct isa_inst load = global_load(9, ADDRESS, 0, SIZE_32);
        load.mod[ISA_MOD_ORDER] = order_of(".STRONG.GPU", 80);
        add(m, load);
        add(m, global_store(ADDRESS, 0, 2, SIZE_U16));
        add(m, global_store(ADDRESS, 1, 3, SIZE_U8));
        begin(m, base);
        for (unsigned lane = 0; lane < 32; lane++) {
            row(m, 2)[lane] = 0x1234;
            row(m, 3)[lane] = 0x77;
        }
        for (unsigned i = 0; i < 4; i++)
            step_with(m, 10 + i);
        for (unsigned i = 0; i < 4; i++)
            exec_apply(&m->core, 10 + orders[o][i], ALL);
        for (unsigned i = 0; i < 4; i++)
            exec_complete(&m->core, 10 + orders[o][i]);
        for (unsigned lane = 0; lane < 32; lane++) {
            assert_int_equal(row(m, 9)[lane], UINT32_C(0xa0b0c000) + lane);
            assert_int_equal(word(m, base + 4 * lane), 0xa0b07734);
        }
        machine_destroy(m);
    }
}

static void a_load_waits_for_one_of_the_same_bytes_that_is_on_its_way(void **state)
{
    (void)state;
    uint64_t base;
    struct machine *m = prepare(&base);
    struct isa_inst load = global_load(9, ADDRESS, 0, SIZE_32);
    load.mod[ISA_MOD_ORDER] = order_of(".STRONG.GPU", 80);
    add(m, load);
    add(m, global_load(10, ADDRESS, 0, SIZE_32));
    add(m, global_load(11, ADDRESS, 128, SIZE_32));
    add(m, global_load(12, ADDRESS, 0, SIZE_32));
    begin(m, base);
    step_with(m, 1);
    step_with(m, 2);
    assert_true(m->out.deferred);
    step_with(m, 3);
    assert_false(m->out.deferred);
    memory_at(m->memory, base)[0] = 0x55; /* somebody else's store */
    exec_apply(&m->core, 2, ALL);
    exec_apply(&m->core, 1, ALL);
    step_with(m, 3);
    assert_false(m->out.deferred);
    exec_complete(&m->core, 2);
    exec_complete(&m->core, 1);
    assert_int_equal(row(m, 9)[0] & 0xff, 0x55);
    assert_int_equal(row(m, 10)[0] & 0xff, 0x55);
    assert_int_equal(row(m, 12)[0] & 0xff, 0x55);
    machine_destroy(m);
}

/* Lanes that fall into other lines of a wide access are messages of their own. */
static void an_access_overtakes_another_in_one_sector_and_not_in_the_next(void **state)
{
    (void)state;
    uint64_t base;
    struct machine *m = prepare(&base);
    add(m, global_store(ADDRESS, 0, 8, SIZE_32));
    add(m, global_store(ADDRESS, 0, 2, SIZE_32));
    begin(m, base);
    for (unsigned lane = 0; lane < 32; lane++)
        row(m, 2)[lane] = 0x1234;
    step_with(m, 1);
    step_with(m, 2);
    uint32_t before = word(m, base + 32);
    exec_apply(&m->core, 2, 0xff);
    assert_int_equal(word(m, base), 0x1234);
    assert_int_equal(word(m, base + 32), before);
    memory_at(m->memory, base)[0] = 0x55; /* somebody else's store: an overtaken value does not come back */
    exec_apply(&m->core, 1, ALL);
    assert_int_equal(word(m, base), 0x1255);
    assert_int_equal(word(m, base + 32), UINT32_C(0xa0b0c008));
    machine_destroy(m);
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

static void a_strong_load_takes_its_value_at_the_slice(void **state)
{
    (void)state;
    static const struct {
        const char *order;
        unsigned sm;
        bool deferred;
    } cases[] = {
        {"", 80, false},           {".CONSTANT", 80, false},     {".STRONG.SM", 80, false},  {".STRONG.GPU", 80, true},
        {".STRONG.SYS", 80, true}, {".MMIO.SYS", 80, true},      {".CTA", 75, false},        {".GPU", 75, false},
        {".SYS", 75, false},       {".CONSTANT.SYS", 75, false}, {".STRONG.CTA", 75, false}, {".STRONG.SM", 75, false},
        {".STRONG.GPU", 75, true}, {".STRONG.SYS", 75, true},    {".MMIO.SYS", 75, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t base;
        struct machine *m = prepare(&base);
        struct isa_inst load = global_load(12, ADDRESS, 0, SIZE_32);
        load.mod[ISA_MOD_ORDER] = order_of(cases[i].order, cases[i].sm);
        add(m, load);
        begin(m, base);
        step_with(m, 9);
        assert_int_equal(m->out.deferred, cases[i].deferred);
        if (cases[i].deferred) {
            assert_int_equal(row(m, 12)[1], 0);
            memory_at(m->memory, base)[4] = 0xee;
            exec_apply(&m->core, 9, ALL);
            memory_at(m->memory, base)[4] = 0xdd;
            assert_int_equal(row(m, 12)[1], 0);
            exec_complete(&m->core, 9);
        }
        assert_int_equal(row(m, 12)[1], cases[i].deferred ? 0x070605ee : 0x07060504);
        machine_destroy(m);
    }
}

static void a_wide_strong_load_writes_all_its_registers(void **state)
{
    (void)state;
    uint64_t base;
    struct machine *m = prepare(&base);
    struct isa_inst load = global_load(12, OTHER_ADDRESS, 16, SIZE_128), byte = global_load(16, OTHER_ADDRESS, 255, 1);
    load.mod[ISA_MOD_ORDER] = byte.mod[ISA_MOD_ORDER] = 7;
    add(m, load);
    add(m, byte);
    begin(m, base);
    step_with(m, 3);
    step_with(m, 4);
    for (uint32_t token = 3; token <= 4; token++) {
        exec_apply(&m->core, token, 0xffff);
        exec_apply(&m->core, token, 0xffff0000);
        exec_complete(&m->core, token);
    }
    for (unsigned w = 0; w < 4; w++)
        assert_int_equal(row(m, 12 + w)[20], UINT32_C(0x13121110) + w * UINT32_C(0x04040404));
    assert_int_equal(row(m, 16)[20], 0xffffffff);
    machine_destroy(m);
}

/* The value is not known until the slice has added, so the load goes there too. */
static void a_load_behind_a_reduction_waits_for_its_result(void **state)
{
    (void)state;
    uint64_t base;
    struct machine *m = prepare(&base);
    struct isa_inst reduction = inst(ISA_OP_RED);
    reduction.a = wide(ADDRESS, 2);
    reduction.b = reg(8);
    add(m, reduction);
    add(m, global_load(9, ADDRESS, 0, SIZE_32));
    add(m, global_load(10, ADDRESS, 128, SIZE_32));
    add(m, global_load(11, ADDRESS, 0, SIZE_32));
    begin(m, base);
    step_with(m, 1);
    step_with(m, 2);
    assert_true(m->out.deferred);
    step_with(m, 3);
    assert_false(m->out.deferred);
    exec_apply(&m->core, 1, ALL);
    exec_apply(&m->core, 2, ALL);
    exec_complete(&m->core, 1);
    exec_complete(&m->core, 2);
    assert_int_equal(row(m, 9)[2], UINT32_C(0x0b0a0908) + UINT32_C(0xa0b0c002));
    step_with(m, 1);
    assert_false(m->out.deferred);
    assert_int_equal(row(m, 11)[2], row(m, 9)[2]);
    machine_destroy(m);
}

static void a_result_for_a_warp_that_is_gone_is_dropped(void **state)
{
    (void)state;
    uint64_t base;
    struct machine *m = prepare(&base);
    struct isa_inst load = global_load(12, ADDRESS, 0, SIZE_32);
    load.mod[ISA_MOD_ORDER] = 7;
    add(m, load);
    begin(m, base);
    step_with(m, 1);
    step_with(m, 2);
    assert_int_equal(m->out.flow, ISSUED_EXITED);
    exec_cta_start(m->cta, 0, 0);
    exec_apply(&m->core, 1, ALL);
    exec_complete(&m->core, 1);
    assert_int_equal(row(m, 12)[1], 0);
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
           UNIT(accesses_of_a_core_to_a_sector_take_effect_in_the_order_of_issue),
           UNIT(a_load_waits_for_one_of_the_same_bytes_that_is_on_its_way),
           UNIT(an_access_overtakes_another_in_one_sector_and_not_in_the_next),
           UNIT(a_strong_load_takes_its_value_at_the_slice), UNIT(a_wide_strong_load_writes_all_its_registers),
           UNIT(a_load_behind_a_reduction_waits_for_its_result), UNIT(a_result_for_a_warp_that_is_gone_is_dropped),
           UNIT(many_stores_of_scattered_lanes_are_all_seen_and_take_effect),
           UNIT(random_traffic_looks_as_if_every_store_took_effect_at_once))
