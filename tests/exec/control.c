/* Instructions of control flow one by one: where threads go, and the values that they read. */
#include "exec/exec.h"
#include "machine.h"

enum { ADDRESS = 4, RESULT = 8, CODE = 12 };

static struct isa_inst jump_by(enum isa_op op, unsigned r)
{
    struct isa_inst i = inst(op);
    i.a = wide(r, 2);
    if (op == ISA_OP_BRXU || op == ISA_OP_JMXU)
        i.a.kind = ISA_UREG;
    return i;
}

/* A kernel of CODE instructions. The first is given. R4 and UR4 hold an address. */
static struct machine *begin(struct isa_inst first, uint64_t address, uint64_t stride)
{
    struct machine *m = machine_create(true, 64);
    add(m, first);
    while (m->kernel.count < CODE)
        add(m, inst(ISA_OP_NOP));
    machine_begin(m);
    set_addresses(m, 0, ADDRESS, address, stride);
    m->cta->warps[0].ureg[ADDRESS] = (uint32_t)address;
    m->cta->warps[0].ureg[ADDRESS + 1] = (uint32_t)(address >> 32);
    return m;
}

static void assert_goes_to(struct isa_inst isa, uint64_t address, uint32_t index)
{
    struct machine *m = begin(isa, address, 0);
    machine_step(m, 0);
    assert_string_equal(m->core.fault.text, "");
    assert_int_equal(m->out.next_pc, 16 * index);
    assert_int_equal(m->out.flow, ISSUED_JUMP);
    machine_destroy(m);
}

static void indirect_branches_count_from_the_next_instruction(void **state)
{
    (void)state;
    struct isa_inst i = jump_by(ISA_OP_BRX, ADDRESS);
    i.target = (uint32_t)-0x20;
    assert_goes_to(i, 0x60, 5);
    i = jump_by(ISA_OP_BRXU, ADDRESS);
    i.target = 0x20;
    assert_goes_to(i, 0x10, 4);
}

static void each_thread_takes_its_own_indirect_branch(void **state)
{
    (void)state;
    struct machine *m = begin(jump_by(ISA_OP_BRX, ADDRESS), 0, 0);
    for (unsigned lane = 0; lane < 32; lane++)
        row(m, ADDRESS)[lane] = 16 * (2 + lane % 3);
    for (unsigned n = 0; n < 3; n++)
        machine_step(m, 0);
    assert_path(m, 1, 3, 0x49249249);
    machine_destroy(m);
}

static void absolute_jumps_go_to_addresses(void **state)
{
    (void)state;
    assert_goes_to(jump_by(ISA_OP_JMX, ADDRESS), EXEC_CODE_WINDOW + 0x70, 7);
    assert_goes_to(jump_by(ISA_OP_JMXU, ADDRESS), EXEC_CODE_WINDOW + 0x80, 8);
    assert_goes_to(jump_by(ISA_OP_CALL, ADDRESS), 0x90, 9);
    struct isa_inst i = inst(ISA_OP_JMP);
    i.word.lo = (EXEC_CODE_WINDOW + 0x60) >> 2 << 34;
    i.word.hi = (EXEC_CODE_WINDOW + 0x60) >> 32;
    assert_goes_to(i, 0, 6);
}

static void a_jump_through_a_constant_reads_an_address(void **state)
{
    (void)state;
    struct isa_inst i = inst(ISA_OP_JMP);
    i.b = (struct isa_operand){.kind = ISA_CONST, .words = 2, .bank = 0, .value = 0x40};
    struct machine *m = begin(i, 0, 0);
    uint64_t address = EXEC_CODE_WINDOW + 0x50;
    memcpy(m->bank0 + 0x40, &address, sizeof address);
    machine_step(m, 0);
    assert_int_equal(m->out.next_pc, 0x50);
    machine_destroy(m);
}

static void an_instruction_tells_its_address_or_that_of_a_place(void **state)
{
    (void)state;
    struct isa_inst i = inst(ISA_OP_LEPC);
    i.d = wide(RESULT, 2);
    struct machine *m = begin(inst(ISA_OP_NOP), 0, 0);
    m->code[1].isa = i;
    i.mod[ISA_MOD_FLAG] = 1;
    i.target = 0x90;
    m->code[2].isa = i;
    i.op = ISA_OP_ULEPC;
    i.d.kind = ISA_UREG;
    m->code[3].isa = i;
    for (unsigned n = 1; n < 4; n++)
        m->code[n].isa.pc = 16 * n;
    machine_prepare(m);
    machine_step(m, 0);
    machine_step(m, 0);
    assert_int_equal(row(m, RESULT)[31], (uint32_t)EXEC_CODE_WINDOW + 0x10);
    assert_int_equal(row(m, RESULT + 1)[0], EXEC_CODE_WINDOW >> 32);
    machine_step(m, 0);
    assert_int_equal(row(m, RESULT)[3], (uint32_t)EXEC_CODE_WINDOW + 0x90);
    machine_step(m, 0);
    assert_int_equal(m->cta->warps[0].ureg[RESULT], (uint32_t)EXEC_CODE_WINDOW + 0x90);
    assert_int_equal(m->cta->warps[0].ureg[RESULT + 1], EXEC_CODE_WINDOW >> 32);
    machine_destroy(m);
}

/* As the compiler writes them for sm_120, where R2 is kept in Rpc while it serves something else. */
static void rpc_keeps_a_value_for_each_thread(void **state)
{
    (void)state;
    static const uint64_t words[] = {
        0x0000000200007352, /* RPCMOV.32 Rpc.LO, R2 */
        0x0000000380007352, /* RPCMOV.32 Rpc.HI, R3 */
        0x0000000000047353, /* RPCMOV.32 R4, Rpc.LO */
        0x0000000080057353, /* RPCMOV.32 R5, Rpc.HI */
    };
    struct status status = {0};
    struct isa_decoder *decoder = isa_decoder_create(120, &status);
    struct machine *m = begin(inst(ISA_OP_NOP), 0, 0);
    for (unsigned n = 0; n < 4; n++)
        assert_true(isa_decode(decoder, (struct word128){.lo = words[n]}, 16 * n, &m->code[n].isa));
    isa_decoder_destroy(decoder);
    machine_prepare(m);
    for (unsigned lane = 0; lane < 32; lane++) {
        row(m, 2)[lane] = 100 + lane;
        row(m, 3)[lane] = 200 + lane;
    }
    for (unsigned n = 0; n < 4; n++)
        machine_step(m, 0);
    assert_string_equal(m->core.fault.text, "");
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(row(m, 4)[lane], 100 + lane);
        assert_int_equal(row(m, 5)[lane], 200 + lane);
    }
    machine_destroy(m);
}

static void rpc_takes_64_bits_at_once_but_no_address(void **state)
{
    (void)state;
    struct isa_inst i = inst(ISA_OP_RPCMOV);
    i.mod[ISA_MOD_WIDE64] = 1;
    i.b = wide(ADDRESS, 2);
    struct machine *m = begin(i, 0x123456789a, 0);
    machine_step(m, 0);
    assert_int_equal(m->cta->warps[0].rpc[0][31], 0x3456789a);
    assert_int_equal(m->cta->warps[0].rpc[1][31], 0x12);
    machine_destroy(m);
    i.b = (struct isa_operand){0};
    m = begin(i, 0, 0);
    machine_step(m, 0);
    assert_int_equal(m->core.fault.code, STATUS_UNSUPPORTED);
    machine_destroy(m);
}

/* BRA.DIV and BRA.CONV with 32 of 32 threads, or with half of them. */
static bool branches(unsigned kind, bool half, bool with_mask, uint32_t mask)
{
    enum { MASK = 6 };
    struct isa_inst i = jump(5);
    i.mod[ISA_MOD_BRANCH_KIND] = (uint8_t)kind;
    if (with_mask)
        i.a = (struct isa_operand){.kind = ISA_UREG, .index = MASK, .words = 1};
    struct machine *m = begin(inst(ISA_OP_NOP), 0, 0);
    m->code[1].isa = i;
    m->code[1].isa.pc = 16;
    machine_prepare(m);
    m->cta->warps[0].ureg[MASK] = mask;
    machine_step(m, 0);
    if (half) {
        struct exec_warp *w = &m->cta->warps[0];
        w->path[0].mask = 0xffff;
        w->path[1] = (struct exec_path){.pc = 16 * 9, .mask = 0xffff0000};
        w->paths = 2;
    }
    exec_step(&m->core, &m->cta->warps[0], 0, &m->out);
    bool taken = m->cta->warps[0].path[0].pc == 16 * 5;
    machine_destroy(m);
    return taken;
}

static void branches_on_divergence_compare_the_executing_threads(void **state)
{
    (void)state;
    enum { DIVERGENT = 2, CONVERGENT };
    assert_false(branches(DIVERGENT, false, true, ALL));
    assert_true(branches(DIVERGENT, true, true, ALL));
    assert_false(branches(DIVERGENT, true, true, 0xffff));
    assert_true(branches(CONVERGENT, false, true, ALL));
    assert_false(branches(CONVERGENT, true, true, ALL));
    assert_false(branches(DIVERGENT, false, false, 0));
    assert_true(branches(DIVERGENT, true, false, 0));
    assert_true(branches(CONVERGENT, false, false, 0));
    assert_false(branches(CONVERGENT, true, false, 0));
}

/* BRA.U.ANY for 32 threads, or for half of them, for those whose predicate is set: which of them go to the target? */
static uint32_t goes_with_any(bool half, uint32_t predicate_mask)
{
    struct isa_inst i = jump(5);
    i.mod[ISA_MOD_FLAG] = 1;
    i.guard = predicate(1, false);
    struct machine *m = begin(inst(ISA_OP_NOP), 0, 0);
    m->code[1].isa = i;
    m->code[1].isa.pc = 16;
    machine_prepare(m);
    struct exec_warp *w = &m->cta->warps[0];
    machine_step(m, 0);
    w->pred[1] = predicate_mask;
    if (half) {
        w->path[0].mask = 0xffff;
        w->path[1] = (struct exec_path){.pc = 16 * 9, .mask = 0xffff0000};
        w->paths = 2;
    }
    exec_step(&m->core, w, 0, &m->out);
    uint32_t went = 0;
    for (uint32_t p = 0; p < w->paths; p++)
        went |= w->path[p].pc == 16 * 5 ? w->path[p].mask : 0;
    machine_destroy(m);
    return went;
}

static void a_branch_for_any_takes_all_that_execute_along(void **state)
{
    (void)state;
    assert_int_equal(goes_with_any(false, 0), 0);
    assert_int_equal(goes_with_any(false, 1u << 7), ALL);
    assert_int_equal(goes_with_any(false, ALL), ALL);
    assert_int_equal(goes_with_any(true, 1u << 15), 0xffff);
    assert_int_equal(goes_with_any(true, 1u << 16), 0);
}

static void one_thread_is_elected(void **state)
{
    (void)state;
    struct isa_inst i = inst(ISA_OP_ELECT);
    i.pu = predicate(1, false);
    i.pp = predicate(0, false);
    i.d = (struct isa_operand){.kind = ISA_UREG, .index = 9, .words = 1};
    i.guard = predicate(2, false);
    struct machine *m = begin(i, 0, 0);
    struct exec_warp *w = &m->cta->warps[0];
    w->pred[0] = 0x0ff0;
    w->pred[1] = 0xf;
    w->pred[2] = 0xffffffc0;
    machine_step(m, 0);
    assert_int_equal(w->pred[1], 1u << 6 | 0xf);
    assert_int_equal(w->ureg[9], 6);
    machine_destroy(m);
}

/* The threads of each mask go on alone, so that a vote counts them only. */
static void an_exclusive_section_begins_with_the_threads_of_one_mask(void **state)
{
    (void)state;
    enum { MASK = 6, EXCLUSIVE = 1 };
    struct isa_inst sync = inst(ISA_OP_WARPSYNC), vote = inst(ISA_OP_VOTE);
    sync.a = reg(MASK);
    sync.mod[ISA_MOD_MODE] = EXCLUSIVE;
    vote.d = reg(RESULT);
    vote.pp = predicate(PT, false);
    vote.mod[ISA_MOD_MODE] = 1;
    struct machine *m = machine_create(true, 32);
    add(m, sync);
    add(m, vote);
    add(m, inst(ISA_OP_EXIT));
    machine_begin(m);
    for (unsigned lane = 0; lane < 32; lane++)
        row(m, MASK)[lane] = lane % 4 == 3 ? 0x88888888 : 0x77777777;
    machine_run(m, 0);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, RESULT)[lane], lane % 4 == 3 ? 0x88888888 : 0x77777777);
    machine_destroy(m);
}

static struct isa_inst reduce(unsigned function, unsigned p)
{
    struct isa_inst i = inst(ISA_OP_BAR);
    i.a = value(3);
    i.pp = predicate(p, false);
    i.mod[ISA_MOD_MODE] = 2;
    i.mod[ISA_MOD_FUNCTION] = (uint8_t)function;
    return i;
}

/* Two warps with these predicates; the result of B2R.RESULT in the first. */
static void assert_reduces(unsigned function, uint32_t first, uint32_t second, uint32_t count, bool vote)
{
    struct isa_inst read = inst(ISA_OP_B2R);
    read.mod[ISA_MOD_MODE] = 1;
    read.d = reg(RESULT);
    read.pu = predicate(1, false);
    struct machine *m = begin(reduce(function, 0), 0, 0);
    m->code[1].isa = read;
    m->code[1].isa.pc = 16;
    machine_prepare(m);
    for (unsigned use = 0; use < 2; use++) {
        uint32_t pc;
        for (unsigned w = 0; w < 2; w++) {
            m->cta->warps[w].pred[0] = w ? second : first;
            m->cta->warps[w].path[0].pc = 0;
            exec_step(&m->core, &m->cta->warps[w], 0, &m->out);
            assert_int_equal(m->out.flow, ISSUED_AT_BARRIER);
            assert_int_equal(m->out.barrier, 3);
        }
        for (unsigned w = 0; w < 2; w++)
            exec_release_barrier(&m->cta->warps[w], &pc);
        exec_step(&m->core, &m->cta->warps[0], 0, &m->out);
        assert_int_equal(row(m, RESULT)[17], count);
        assert_int_equal(m->cta->warps[0].pred[1], vote ? ALL : 0);
    }
    machine_destroy(m);
}

static void barriers_reduce_predicates_of_all_threads(void **state)
{
    (void)state;
    enum { POPC, AND, OR };
    assert_reduces(POPC, 0xf0f, 0x3, 10, true);
    assert_reduces(POPC, 0, 0, 0, false);
    assert_reduces(AND, ALL, ALL, 64, true);
    assert_reduces(AND, ALL, ALL - 1, 63, false);
    assert_reduces(OR, 0, 0x80000000, 1, true);
    assert_reduces(OR, 0, 0, 0, false);
}

static void a_warp_arrives_when_all_its_threads_have(void **state)
{
    (void)state;
    struct isa_inst i = inst(ISA_OP_BAR);
    i.a = value(2);
    i.b = value(64);
    i.mod[ISA_MOD_MODE] = 1;
    struct machine *m = machine_create(true, 64);
    add(m, when(0, i));
    add(m, unless(0, i));
    machine_begin(m);
    m->cta->warps[0].pred[0] = 0xff;
    machine_step(m, 0);
    assert_false(m->out.barrier_arrive);
    machine_step(m, 0);
    assert_true(m->out.barrier_arrive);
    assert_int_equal(m->out.barrier, 2);
    assert_int_equal(m->out.barrier_warps, 2);
    machine_destroy(m);
}

static void convergence_barriers_are_copied_and_cleared(void **state)
{
    (void)state;
    struct isa_inst i = inst(ISA_OP_BMOV);
    i.barrier = 5;
    i.mod[ISA_MOD_BARRIER2] = 7;
    i.mod[ISA_MOD_CLEAR] = 1;
    struct machine *m = begin(i, 0, 0);
    struct exec_warp *w = &m->cta->warps[0];
    i.mod[ISA_MOD_CLEAR] = 0;
    i.mod[ISA_MOD_REGISTER_BARRIER] = 1;
    m->code[1].isa = i;
    m->code[1].isa.pc = 16;
    machine_prepare(m);
    for (unsigned lane = 0; lane < 32; lane++)
        w->barrier[5][lane] = 0xff00 + lane;
    machine_step(m, 0);
    assert_int_equal(w->barrier[5][4], 0);
    assert_int_equal(w->barrier[7][4], 0xff04);
    machine_step(m, 0);
    assert_int_equal(w->barrier[5][4], 0xff04);
    machine_destroy(m);
}

static void the_barrier_of_a_cluster_waits_for_all_warps(void **state)
{
    (void)state;
    struct machine *m = begin(inst(ISA_OP_UCGABAR_WAIT), 0, 0);
    machine_step(m, 0);
    assert_int_equal(m->out.flow, ISSUED_AT_BARRIER);
    assert_int_equal(m->out.barrier, EXEC_CLUSTER_BARRIER);
    assert_int_equal(m->out.barrier_warps, 0);
    machine_destroy(m);
}

static void the_global_timer_of_sm_90_steps_by_32_nanoseconds(void **state)
{
    enum { START = 1000, NOW = 1077 };
    (void)state;
    for (unsigned sm = 86; sm <= 90; sm += 4) {
        struct machine *m = begin(special(2, ISA_SR_GLOBALTIMERLO), 0, 0);
        m->module.sm = sm;
        m->core.start_ns = START;
        m->core.clock = NOW - START - 1; /* the instruction counts */
        machine_step(m, 0);
        assert_int_equal(row(m, 2)[0], sm == 90 ? 1056 : NOW);
        machine_destroy(m);
    }
}

static void a_breakpoint_is_refused_and_a_trap_is_a_fault(void **state)
{
    (void)state;
    struct isa_inst i = inst(ISA_OP_BPT);
    i.mod[ISA_MOD_MODE] = 3;
    struct machine *m = begin(i, 0, 0);
    machine_step(m, 0);
    assert_int_equal(m->core.fault.code, STATUS_FAULT);
    assert_non_null(strstr(m->core.fault.text, "thread (0,0,0) has executed a trap"));
    machine_destroy(m);
    i.mod[ISA_MOD_MODE] = 4;
    m = begin(i, 0, 0);
    machine_step(m, 0);
    assert_int_equal(m->core.fault.code, STATUS_UNSUPPORTED);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(indirect_branches_count_from_the_next_instruction), UNIT(each_thread_takes_its_own_indirect_branch),
           UNIT(absolute_jumps_go_to_addresses), UNIT(a_jump_through_a_constant_reads_an_address),
           UNIT(an_instruction_tells_its_address_or_that_of_a_place), UNIT(rpc_keeps_a_value_for_each_thread),
           UNIT(rpc_takes_64_bits_at_once_but_no_address), UNIT(branches_on_divergence_compare_the_executing_threads),
           UNIT(a_branch_for_any_takes_all_that_execute_along), UNIT(one_thread_is_elected),
           UNIT(an_exclusive_section_begins_with_the_threads_of_one_mask),
           UNIT(barriers_reduce_predicates_of_all_threads), UNIT(a_warp_arrives_when_all_its_threads_have),
           UNIT(convergence_barriers_are_copied_and_cleared), UNIT(the_barrier_of_a_cluster_waits_for_all_warps),
           UNIT(the_global_timer_of_sm_90_steps_by_32_nanoseconds), UNIT(a_breakpoint_is_refused_and_a_trap_is_a_fault))
