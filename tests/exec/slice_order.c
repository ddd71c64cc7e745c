/* Deferred cores: strong loads and reductions at the L2 slice, and the order in which accesses take effect there. */
#include "exec/exec.h"
#include "isa/assemble.h"
#include "store_log.h"

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

UNIT_TESTS(UNIT(accesses_of_a_core_to_a_sector_take_effect_in_the_order_of_issue),
           UNIT(a_load_waits_for_one_of_the_same_bytes_that_is_on_its_way),
           UNIT(an_access_overtakes_another_in_one_sector_and_not_in_the_next),
           UNIT(a_strong_load_takes_its_value_at_the_slice), UNIT(a_wide_strong_load_writes_all_its_registers),
           UNIT(a_load_behind_a_reduction_waits_for_its_result), UNIT(a_result_for_a_warp_that_is_gone_is_dropped))
