/* Warpgroup products: descriptors, faults, and the wait for them. */
#include <stdlib.h>
#include <string.h>

#include "exec/matrix/warpgroup.h"
#include "unit.h"
#include "wgmma_rig.h"

static void software_steps_through_k_within_a_swizzle(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(6);
    struct oracle_product *p = &m->product;
    *p = (struct oracle_product){.type_a = ORACLE_F16, .type_b = ORACLE_F16, .n = 64, .k = 16};
    const struct wgmma_fields f = {.a_shared = true};
    for (unsigned step = 0; step < 4; step++) {
        /* A tile of 64 K elements: step i begins 32 bytes later. */
        struct oracle_place a = {.start = 2048, .stride = 1024, .swizzle = 1}, b = a;
        b.start = 16384;
        wgmma_fill(m, TAME);
        for (unsigned row = 0; row < 64; row++)
            for (unsigned k = 0; k < 16; k++) {
                wgmma_put_shared(m, &a, 2, row, 16 * step + k, p->a[row][k]);
                wgmma_put_shared(m, &b, 2, row, 16 * step + k, p->b[k][row]);
            }
        for (unsigned row = 0; row < 64; row++)
            for (unsigned n = 0; n < 64; n++)
                *wgmma_accumulator(m, p, row, n) = p->c[row][n];
        a.start += 32 * step;
        b.start += 32 * step;
        wgmma_descriptor(m, UR, &a);
        wgmma_descriptor(m, UR + 2, &b);
        wgmma_build(m, &f);
        wgmma_check(m, &f);
    }
    free(m);
}

static void a_base_offset_moves_the_rows_of_the_swizzle(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(7);
    struct oracle_product *p = &m->product;
    *p = (struct oracle_product){.type_a = ORACLE_BF16, .type_b = ORACLE_BF16, .n = 32, .k = 16};
    const struct wgmma_fields f = {.a_shared = true};
    for (unsigned base = 0; base < 8; base++) {
        const struct oracle_place a = {.start = 2048 + 128 * base, .stride = 1024, .swizzle = 1, .base = base};
        struct oracle_place b = a;
        b.start += 32768;
        wgmma_fill(m, TAME);
        wgmma_put(m, &f, &a, &b);
        wgmma_build(m, &f);
        wgmma_check(m, &f);
    }
    free(m);
}

static void a_matrix_beyond_shared_memory_is_a_fault(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(8);
    struct oracle_product *p = &m->product;
    *p = (struct oracle_product){.type_a = ORACLE_F16, .type_b = ORACLE_F16, .n = 8, .k = 16};
    const struct wgmma_fields f = {.a_shared = true};
    wgmma_fill(m, TAME);
    wgmma_put(m, &f, &wgmma_plain_a, &wgmma_plain_b);
    wgmma_build(m, &f);
    m->launch.shared_bytes = 8192 + 256; /* just enough */
    wgmma_run(m);
    assert_int_equal(m->core.fault.code, STATUS_OK);
    m->launch.shared_bytes--;
    wgmma_run(m);
    assert_int_not_equal(m->core.fault.code, STATUS_OK);
    assert_int_equal(m->core.report.kind, EXEC_FAULT_ADDRESS);
    assert_int_equal(m->core.report.address, 8192 + 240);
    free(m);
}

static void a_warpgroup_is_whole(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(9);
    struct oracle_product *p = &m->product;
    *p = (struct oracle_product){.type_a = ORACLE_F16, .type_b = ORACLE_F16, .n = 8, .k = 16};
    const struct wgmma_fields f = {.a_shared = true};
    wgmma_put(m, &f, &wgmma_plain_a, &wgmma_plain_b);
    wgmma_build(m, &f);
    struct issued out = {0};
    m->inst.run(&m->core, &m->warp[0], &m->inst, 0x7fffffff, &out);
    assert_int_not_equal(m->core.fault.code, STATUS_OK);
    memset(&m->core.fault, 0, sizeof m->core.fault);
    m->launch.warps_per_cta = 3;
    m->inst.run(&m->core, &m->warp[0], &m->inst, UINT32_MAX, &out);
    assert_int_not_equal(m->core.fault.code, STATUS_OK);
    free(m);
}

static void a_wait_ends_when_all_four_warps_have_issued(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(11);
    m->inst.isa = (struct isa_inst){.op = ISA_OP_WARPGROUP};
    m->inst.isa.mod[ISA_MOD_FUNCTION] = ISA_WARPGROUP_DEPBAR;
    exec_inst_prepare(&m->inst);
    assert_true(m->inst.joins);
    /* Warp 0 has two groups, with two products and one. The others have issued one product. */
    for (unsigned w = 0; w < WARPS; w++)
        warpgroup_issued(&m->warp[w].warpgroup, false);
    warpgroup_issued(&m->warp[0].warpgroup, true);
    warpgroup_issued(&m->warp[0].warpgroup, true);
    for (unsigned w = 1; w < WARPS; w++) {
        m->inst.isa.mod[ISA_MOD_COUNT] = 2;
        assert_true(warpgroup_may_pass(&m->warp[0], &m->inst));
        m->inst.isa.mod[ISA_MOD_COUNT] = 1;
        assert_false(warpgroup_may_pass(&m->warp[0], &m->inst));
        warpgroup_issued(&m->warp[w].warpgroup, true);
    }
    assert_true(warpgroup_may_pass(&m->warp[0], &m->inst));
    m->inst.isa.mod[ISA_MOD_COUNT] = 0;
    assert_false(warpgroup_may_pass(&m->warp[0], &m->inst));
    for (unsigned w = 1; w < WARPS - 1; w++)
        warpgroup_issued(&m->warp[w].warpgroup, true);
    assert_false(warpgroup_may_pass(&m->warp[0], &m->inst));
    m->warp[WARPS - 1].live = 0; /* one that has exited is not waited for */
    assert_true(warpgroup_may_pass(&m->warp[0], &m->inst));
    free(m);
}

UNIT_TESTS(UNIT(software_steps_through_k_within_a_swizzle), UNIT(a_base_offset_moves_the_rows_of_the_swizzle),
           UNIT(a_matrix_beyond_shared_memory_is_a_fault), UNIT(a_warpgroup_is_whole),
           UNIT(a_wait_ends_when_all_four_warps_have_issued))
