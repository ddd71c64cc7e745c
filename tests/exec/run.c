/* Whole launches: barriers between warps, CTAs that need each other, totals, and how a run ends early. */
#include "exec/run.h"
#include "machine.h"

enum { P0 = 0, TID = 0, CTAID_X = 37, ADDRESS = 4 };

static struct isa_inst barrier(unsigned mode, unsigned number, unsigned threads)
{
    struct isa_inst i = inst(ISA_OP_BAR);
    i.a = value(number);
    if (threads)
        i.b = value(threads);
    i.mod[ISA_MOD_MODE] = (uint8_t)mode;
    return i;
}

static struct isa_inst shared_access(enum isa_op op, unsigned r)
{
    struct isa_inst i = inst(op);
    i.a = reg(RZ);
    *(op == ISA_OP_STS ? &i.b : &i.d) = reg(r);
    i.mod[ISA_MOD_SIZE] = 4;
    return i;
}

static struct isa_inst move_address(unsigned r, uint64_t address, bool high)
{
    return move(r + high, (uint32_t)(high ? address >> 32 : address));
}

static bool run(struct machine *m, struct exec_totals *totals, struct status *status)
{
    machine_prepare(m);
    *status = (struct status){0};
    return exec_run(&m->launch, NULL, NULL, NULL, totals, status);
}

static struct exec_totals run_well(struct machine *m)
{
    struct exec_totals totals;
    struct status status;
    run(m, &totals, &status);
    assert_string_equal(status.text, "");
    return totals;
}

static uint32_t word(const struct machine *m, uint64_t at)
{
    uint32_t v;
    assert_true(memory_read(m->memory, &v, at, 4));
    return v;
}

static void totals_count_instructions_lanes_and_ctas(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 40);
    m->launch.grid = (struct exec_dim){3, 2, 1};
    m->launch.cta_count = 6;
    add(m, special(TID, MACHINE_TID_X));
    add(m, compare(P0, MACHINE_LT, TID, 4));
    add(m, when(P0, move(1, 1)));
    add(m, plain(ISA_OP_EXIT, 0));
    struct exec_totals totals = run_well(m);
    assert_int_equal(totals.ctas, 6);
    assert_int_equal(totals.warp_instructions, 6 * 2 * 4);
    assert_int_equal(totals.thread_instructions, 6 * (3 * 40 + 4));
    machine_destroy(m);
}

/* Warp 0 writes late and only arrives. Warp 1 waits for it. Warp 2 is not part of it. */
static void a_named_barrier_waits_for_as_many_warps_as_it_says(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 96);
    uint64_t at = memory_alloc(m->memory, 256);
    add(m, special(TID, MACHINE_TID_X));
    add(m, compare(P0, MACHINE_GE, TID, 64));
    add(m, when(P0, plain(ISA_OP_EXIT, 0)));
    add(m, compare(P0, MACHINE_GE, TID, 32));
    add(m, when(P0, jump(12)));
    add(m, move(1, 3000));
    add(m, add_to(1, 1, UINT32_MAX)); /* 6 */
    add(m, compare(P0, MACHINE_NE, 1, 0));
    add(m, when(P0, jump(6)));
    add(m, add_to(1, 1, 55));
    add(m, shared_access(ISA_OP_STS, 1));
    add(m, jump(18));
    add(m, barrier(0, 7, 64)); /* 12: warp 1 */
    add(m, shared_access(ISA_OP_LDS, 2));
    add(m, move_address(ADDRESS, at, false));
    add(m, move_address(ADDRESS, at, true));
    add(m, global_store(ADDRESS, 0, 2, 4));
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, barrier(1, 7, 64)); /* 18: warp 0 */
    add(m, plain(ISA_OP_EXIT, 0));
    run_well(m);
    assert_int_equal(word(m, at), 55);
    machine_destroy(m);
}

static void a_barrier_of_all_does_not_wait_for_warps_that_have_exited(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 1024);
    uint64_t at = memory_alloc(m->memory, 4096);
    add(m, special(TID, MACHINE_TID_X));
    add(m, move_address(ADDRESS, at, false));
    add(m, move_address(ADDRESS, at, true));
    add(m, compare(P0, MACHINE_GE, TID, 992));
    add(m, when(P0, plain(ISA_OP_EXIT, 0)));
    add(m, barrier(0, 0, 0));
    add(m, compare(P0, MACHINE_GE, TID, 32));
    add(m, when(P0, plain(ISA_OP_EXIT, 0)));
    add(m, barrier(0, 0, 0));
    add(m, move(1, 9));
    add(m, global_store(ADDRESS, 0, 1, 4));
    add(m, plain(ISA_OP_EXIT, 0));
    run_well(m);
    assert_int_equal(word(m, at), 9);
    machine_destroy(m);
}

/* CTA 0 spins until the last CTA of the grid has written. */
static void ctas_that_wait_for_later_ones_finish(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    uint64_t at = memory_alloc(m->memory, 256);
    m->launch.grid = (struct exec_dim){5, 1, 1};
    m->launch.cta_count = 5;
    add(m, special(0, CTAID_X));
    add(m, move_address(ADDRESS, at, false));
    add(m, move_address(ADDRESS, at, true));
    add(m, move(1, 1));
    add(m, compare(P0, MACHINE_NE, 0, 4));
    add(m, when(P0, jump(7)));
    add(m, global_store(ADDRESS, 0, 1, 4));
    add(m, global_load(2, ADDRESS, 0, 4)); /* 7 */
    add(m, compare(P0, MACHINE_EQ, 2, 0));
    add(m, when(P0, jump(7)));
    add(m, plain(ISA_OP_EXIT, 0));
    assert_int_equal(run_well(m).ctas, 5);
    machine_destroy(m);
}

static void warps_at_barriers_that_nobody_completes_are_reported(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 64);
    struct exec_totals totals;
    struct status status;
    add(m, special(TID, MACHINE_TID_X));
    add(m, compare(P0, MACHINE_GE, TID, 32));
    add(m, when(P0, plain(ISA_OP_EXIT, 0)));
    add(m, barrier(0, 6, 64));
    add(m, plain(ISA_OP_EXIT, 0));
    assert_false(run(m, &totals, &status));
    assert_int_equal(status.code, STATUS_DEADLOCK);
    assert_string_equal(status.text, "kernel test, CTA (0,0,0): all warps wait at barriers: warp 0 pc 0x30 barrier 6");
    machine_destroy(m);
}

static void a_fault_ends_the_run(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 64);
    struct exec_totals totals;
    struct status status;
    m->launch.grid = (struct exec_dim){3, 1, 1};
    m->launch.cta_count = 3;
    add(m, special(0, CTAID_X));
    add(m, compare(P0, MACHINE_EQ, 0, 1));
    add(m, when(P0, global_load(2, ADDRESS, 0, 4)));
    add(m, plain(ISA_OP_EXIT, 0));
    assert_false(run(m, &totals, &status));
    assert_int_equal(status.code, STATUS_FAULT);
    assert_non_null(strstr(status.text, "CTA (1,0,0), warp 0, lane 0: illegal address 0x0"));
    assert_int_equal(totals.ctas, 1);
    machine_destroy(m);
}

static void a_stopped_run_says_how_far_it_came(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct exec_totals totals;
    struct status status = {0};
    bool stop = true;
    add(m, jump(0));
    machine_prepare(m);
    assert_false(exec_run(&m->launch, &stop, NULL, NULL, &totals, &status));
    assert_int_equal(status.code, STATUS_INTERRUPTED);
    assert_string_equal(status.text, "kernel test: stopped with 0 of 1 CTAs completed, after 16384 warp instructions");
    assert_int_equal(totals.warp_instructions, 16384);
    machine_destroy(m);
}

struct seen {
    uint64_t calls, last;
};

static void see(void *context, uint64_t done, uint64_t total, uint64_t instructions)
{
    struct seen *seen = context;
    assert_int_equal(total, 40);
    assert_true(instructions >= done * (2 + 3 * 30000) && instructions >= (seen->calls + 1) << 20);
    assert_true(done >= seen->last && done <= total);
    seen->last = done;
    seen->calls++;
}

static void progress_is_told_now_and_then(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct exec_totals totals;
    struct status status = {0};
    struct seen seen = {0, 0};
    m->launch.grid = (struct exec_dim){40, 1, 1};
    m->launch.cta_count = 40;
    add(m, move(1, 30000));
    add(m, add_to(1, 1, UINT32_MAX));
    add(m, compare(P0, MACHINE_NE, 1, 0));
    add(m, when(P0, jump(1)));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_prepare(m);
    assert_true(exec_run(&m->launch, NULL, see, &seen, &totals, &status));
    assert_int_equal(totals.warp_instructions, 40 * (2 + 3 * 30000));
    assert_in_range(seen.calls, 2, 4);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(totals_count_instructions_lanes_and_ctas), UNIT(a_named_barrier_waits_for_as_many_warps_as_it_says),
           UNIT(a_barrier_of_all_does_not_wait_for_warps_that_have_exited), UNIT(ctas_that_wait_for_later_ones_finish),
           UNIT(warps_at_barriers_that_nobody_completes_are_reported), UNIT(a_fault_ends_the_run),
           UNIT(a_stopped_run_says_how_far_it_came), UNIT(progress_is_told_now_and_then))
