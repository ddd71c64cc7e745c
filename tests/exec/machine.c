#include "machine.h"
#include "exec/exec.h"

static const uint8_t no_bank[65536];

struct machine *machine_create(bool immediate, uint32_t threads)
{
    struct status status = {0};
    struct machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->memory = memory_create(UINT64_C(1) << 24, &status);
    assert_non_null(m->memory);
    assert_true(exec_core_init(&m->core, m->memory, immediate ? NULL : &m->arena, 0, &status));
    m->cubin.name = "test";
    m->module.sm = 80;
    m->module.memory = m->memory;
    m->kernel = (struct exec_kernel){.cubin = &m->cubin, .code = m->code, .rows = MACHINE_REGISTERS};
    m->launch = (struct exec_launch){.module = &m->module,
                                     .kernel = &m->kernel,
                                     .grid = {1, 1, 1},
                                     .block = {threads, 1, 1},
                                     .shared_bytes = 4096,
                                     .warps_per_cta = (threads + 31) / 32,
                                     .cluster = {1, 1, 1},
                                     .cta_group = 1,
                                     .cta_count = 1,
                                     .bank = {m->bank0, no_bank, no_bank, no_bank, no_bank},
                                     .sm_count = 1};
    return m;
}

void machine_destroy(struct machine *m)
{
    exec_cta_destroy(m->cta);
    exec_core_free(&m->core);
    arena_free(&m->arena);
    memory_destroy(m->memory);
    free(m);
}

uint32_t add(struct machine *m, struct isa_inst isa)
{
    assert_true(m->kernel.count < MACHINE_CODE);
    uint32_t n = m->kernel.count++;
    isa.pc = 16 * n;
    m->code[n].isa = isa;
    return n;
}

void machine_prepare(struct machine *m)
{
    m->code[m->kernel.count].isa = inst(ISA_INVALID);
    m->code[m->kernel.count].isa.pc = 16 * m->kernel.count;
    for (uint32_t i = 0; i <= m->kernel.count; i++) {
        exec_inst_prepare(&m->code[i]);
        m->kernel.allocates |= m->code[i].isa.op == ISA_OP_UTCATOMSWS;
    }
}

void machine_begin(struct machine *m)
{
    struct status status = {0};
    machine_prepare(m);
    m->cta = exec_cta_create(&m->launch, &status);
    assert_non_null(m->cta);
    exec_cta_start(m->cta, 0, 0);
}

static void check_flow(const struct machine *m)
{
    const struct machine_step *now = &m->step[m->steps - 1];
    for (uint32_t i = m->steps - 1; i-- > 0;) {
        const struct machine_step *before = &m->step[i];
        if (before->warp != now->warp)
            continue;
        assert_int_not_equal(before->flow, ISSUED_EXITED);
        assert_int_equal(before->next_pc, now->pc);
        if (before->flow != ISSUED_AT_BARRIER)
            assert_int_equal(before->flow, now->pc == before->pc + 16 ? ISSUED_NEXT : ISSUED_JUMP);
        return;
    }
}

void machine_step(struct machine *m, uint32_t warp)
{
    assert_true(m->steps < MACHINE_STEPS);
    assert_int_equal(exec_pc(&m->cta->warps[warp]) % 16, 0);
    exec_step(&m->core, &m->cta->warps[warp], m->token, &m->out);
    m->step[m->steps++] =
        (struct machine_step){warp, m->out.pc, m->out.path, m->out.active, m->out.next_pc, m->out.flow};
    check_flow(m);
}

void machine_run(struct machine *m, uint32_t warp)
{
    do {
        machine_step(m, warp);
        assert_string_equal(m->core.fault.text, "");
    } while (m->out.flow == ISSUED_NEXT || m->out.flow == ISSUED_JUMP);
}

/* ---- instructions ---------------------------------------------------------------------------------------------- */

struct isa_predicate predicate(unsigned index, bool inverted)
{
    return (struct isa_predicate){(uint8_t)index, inverted, false, true};
}

struct isa_inst inst(enum isa_op op)
{
    return (struct isa_inst){
        .op = (uint16_t)op, .guard = predicate(PT, false), .ureg_base = ISA_URZ, .ureg_descriptor = ISA_URZ};
}

struct isa_operand wide(unsigned index, unsigned words)
{
    return (struct isa_operand){.kind = ISA_REG, .index = (uint8_t)index, .words = (uint8_t)words};
}

struct isa_operand reg(unsigned index) { return wide(index, 1); }

struct isa_operand value(uint32_t immediate)
{
    return (struct isa_operand){.kind = ISA_IMM, .words = 1, .value = immediate};
}

struct isa_inst move(unsigned d, uint32_t immediate)
{
    struct isa_inst i = inst(ISA_OP_MOV);
    i.d = reg(d);
    i.b = value(immediate);
    i.mod[ISA_MOD_MASK] = 15;
    return i;
}

struct isa_inst add_to(unsigned d, unsigned a, uint32_t immediate)
{
    struct isa_inst i = inst(ISA_OP_IADD3);
    i.d = reg(d);
    i.a = reg(a);
    i.b = value(immediate);
    i.c = reg(RZ);
    return i;
}

struct isa_inst add_registers(unsigned d, unsigned a, unsigned b)
{
    struct isa_inst i = add_to(d, a, 0);
    i.b = reg(b);
    return i;
}

struct isa_inst special(unsigned d, unsigned number)
{
    struct isa_inst i = inst(ISA_OP_S2R);
    i.d = reg(d);
    i.mod[ISA_MOD_SPECIAL] = (uint8_t)number;
    return i;
}

struct isa_inst compare(unsigned p, unsigned how, unsigned a, uint32_t immediate)
{
    struct isa_inst i = inst(ISA_OP_ISETP);
    i.pu = predicate(p, false);
    i.pv = predicate(PT, false);
    i.pp = predicate(PT, false);
    i.a = reg(a);
    i.b = value(immediate);
    i.mod[ISA_MOD_CMP] = (uint8_t)how;
    return i;
}

struct isa_inst jump(uint32_t target)
{
    struct isa_inst i = inst(ISA_OP_BRA);
    i.target = 16 * target;
    return i;
}

struct isa_inst plain(enum isa_op op, unsigned barrier)
{
    struct isa_inst i = inst(op);
    i.barrier = (uint8_t)barrier;
    return i;
}

static unsigned words_of(unsigned size) { return size == 6 ? 4 : size == 5 ? 2 : 1; }

struct isa_inst global_load(unsigned d, unsigned a, int32_t offset, unsigned size)
{
    struct isa_inst i = inst(ISA_OP_LDG);
    i.d = wide(d, words_of(size));
    i.a = wide(a, 2);
    i.offset = offset;
    i.mod[ISA_MOD_SIZE] = (uint8_t)size;
    i.mod[ISA_MOD_ADDRESS64] = 1;
    return i;
}

struct isa_inst global_store(unsigned a, int32_t offset, unsigned b, unsigned size)
{
    struct isa_inst i = global_load(RZ, a, offset, size);
    i.op = ISA_OP_STG;
    i.d = (struct isa_operand){0};
    i.b = wide(b, words_of(size));
    return i;
}

struct isa_inst when(unsigned p, struct isa_inst guarded)
{
    guarded.guard = predicate(p, false);
    return guarded;
}

struct isa_inst unless(unsigned p, struct isa_inst guarded)
{
    guarded.guard = predicate(p, true);
    return guarded;
}

void set_addresses(struct machine *m, uint32_t warp, unsigned r, uint64_t base, uint64_t stride)
{
    uint32_t(*regs)[EXEC_LANES] = m->cta->warps[warp].reg;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        uint64_t address = base + lane * stride;
        regs[r][lane] = (uint32_t)address;
        regs[r + 1][lane] = (uint32_t)(address >> 32);
    }
}
