/* The uniform datapath: one value a warp. Guards are the caller's. */
#include "exec/arithmetic/integer.h"
#include "exec/executors.h"

#define UNIFORM_OP(id)                                                                                                 \
    void exec_##id(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,                       \
                   uint32_t active __attribute__((unused)), struct issued *out __attribute__((unused)))

static void write_pair(struct exec_warp *warp, unsigned index, uint64_t value)
{
    if (index == ISA_URZ)
        return;
    exec_fill_uniform(warp, index, (uint32_t)value);
    exec_fill_uniform(warp, index + 1, (uint32_t)(value >> 32));
}

static uint32_t source(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                       const struct isa_operand *op)
{
    uint32_t v = operand_word(core, warp, inst, op, 0);
    if (op->flags & ISA_ABS && v >> 31)
        v = 0u - v;
    return op->flags & ISA_INV ? ~v : op->flags & ISA_NEG ? 0u - v : v;
}

/* -x enters a sum as ~x + 1 in 33 bits. */
static uint64_t addend(uint32_t v, const struct isa_operand *op)
{
    return op->flags & ISA_NEG ? (uint64_t)~v + 1 : op->flags & ISA_INV ? (uint64_t)(uint32_t)~v : v;
}

static bool carry_in(const struct exec_warp *warp, const struct isa_inst *isa, struct isa_predicate p)
{
    return isa->mod[ISA_MOD_EXTENDED] && p.present && operand_uniform(warp, p);
}

/* ---- addition -------------------------------------------------------------------------------------------------- */

static void write_sum(struct exec_warp *warp, const struct isa_inst *isa, uint64_t sum)
{
    exec_fill_uniform(warp, isa->d.index, (uint32_t)sum);
    exec_set_uniform_predicate(warp, isa->pu, sum >> 32 >= 1);
    exec_set_uniform_predicate(warp, isa->pv, sum >> 32 >= 2);
}

static uint64_t pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                     const struct isa_operand *op)
{
    return (uint64_t)operand_word(core, warp, inst, op, 1) << 32 | operand_word(core, warp, inst, op, 0);
}

/* Adds a source of 64 bits to *sum. The carries out of it are counted. */
static void add_pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                     const struct isa_operand *op, uint64_t *sum, unsigned *carries)
{
    uint64_t v = pair(core, warp, inst, op), one = op->flags & ISA_NEG ? 1 : 0;
    v = op->flags & (ISA_NEG | ISA_INV) ? ~v : v;
    *sum += v;
    *carries += *sum < v;
    *sum += one;
    *carries += *sum < one;
}

static void add_pairs(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    uint64_t sum = (uint64_t)carry_in(warp, isa, isa->pp) + (uint64_t)carry_in(warp, isa, isa->pq);
    unsigned carries = 0;
    add_pair(core, warp, inst, &isa->a, &sum, &carries);
    add_pair(core, warp, inst, &isa->b, &sum, &carries);
    add_pair(core, warp, inst, &isa->c, &sum, &carries);
    write_pair(warp, isa->d.index, sum);
    exec_set_uniform_predicate(warp, isa->pu, carries >= 1);
    exec_set_uniform_predicate(warp, isa->pv, carries >= 2);
}

UNIFORM_OP(UIADD3)
{
    const struct isa_inst *isa = &inst->isa;
    if (isa->mod[ISA_MOD_WIDE64]) {
        add_pairs(core, warp, inst);
        return;
    }
    uint64_t sum = addend(operand_word(core, warp, inst, &isa->a, 0), &isa->a) +
                   addend(operand_word(core, warp, inst, &isa->b, 0), &isa->b) +
                   addend(operand_word(core, warp, inst, &isa->c, 0), &isa->c) +
                   (uint64_t)carry_in(warp, isa, isa->pp) + (uint64_t)carry_in(warp, isa, isa->pq);
    write_sum(warp, isa, sum);
}

UNIFORM_OP(UIMAD)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t a = source(core, warp, inst, &isa->a), b = source(core, warp, inst, &isa->b);
    uint64_t carry = carry_in(warp, isa, isa->pp);
    bool wide = isa->mod[ISA_MOD_WIDE], is_signed = isa->mod[ISA_MOD_SIGNED];
    if (!wide && !isa->mod[ISA_MOD_HI]) {
        exec_fill_uniform(warp, isa->d.index, a * b + source(core, warp, inst, &isa->c) + (uint32_t)carry);
        return;
    }
    const struct isa_operand *op = &isa->c;
    uint64_t high = operand_word(core, warp, inst, op, 1), c = operand_word(core, warp, inst, op, 0);
    if (op->kind == ISA_IMM)
        high = is_signed && c >> 31 ? UINT32_MAX : 0;
    c |= high << 32;
    if (op->flags & (ISA_NEG | ISA_INV))
        c = ~c;
    carry += op->flags & ISA_NEG ? 1 : 0;
    uint64_t p = is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    uint64_t s1 = p + c, s2 = s1 + carry;
    exec_set_uniform_predicate(warp, isa->pu, s1 < p || s2 < s1);
    if (wide)
        write_pair(warp, isa->d.index, s2);
    else
        exec_fill_uniform(warp, isa->d.index, (uint32_t)(s2 >> 32));
}

UNIFORM_OP(ULEA)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned shift = isa->mod[ISA_MOD_SHIFT] & 31;
    uint32_t a = operand_word(core, warp, inst, &isa->a, 0), shifted;
    if (!isa->mod[ISA_MOD_HI])
        shifted = a << shift;
    else if (isa->mod[ISA_MOD_SX32])
        shifted = integer_lea_high(a, a >> 31 ? UINT32_MAX : 0, shift);
    else
        shifted = integer_lea_high(a, operand_word(core, warp, inst, &isa->c, 0), shift);
    write_sum(warp, isa,
              addend(shifted, &isa->a) + addend(operand_word(core, warp, inst, &isa->b, 0), &isa->b) +
                  (uint64_t)carry_in(warp, isa, isa->pp));
}

UNIFORM_OP(ULOP3)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t r = integer_lop3(source(core, warp, inst, &isa->a), source(core, warp, inst, &isa->b),
                              source(core, warp, inst, &isa->c), isa->mod[ISA_MOD_LUT]);
    bool in = operand_uniform(warp, isa->pp);
    exec_fill_uniform(warp, isa->d.index, r);
    exec_set_uniform_predicate(warp, isa->pu, isa->mod[ISA_MOD_PAND] ? r != 0 && in : r != 0 || in);
}

UNIFORM_OP(USHF)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_SHF_TYPE];
    unsigned amount = integer_shift_amount(source(core, warp, inst, &isa->b), type, isa->mod[ISA_MOD_WRAP]);
    exec_fill_uniform(warp, isa->d.index,
                      integer_shf(source(core, warp, inst, &isa->a), amount, source(core, warp, inst, &isa->c),
                                  isa->mod[ISA_MOD_RIGHT], type == ISA_SHF_TYPE_S64 || type == ISA_SHF_TYPE_S32,
                                  isa->mod[ISA_MOD_HI]));
}

static void copy(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                 const struct isa_operand *op)
{
    if (inst->isa.mod[ISA_MOD_WIDE64])
        write_pair(warp, inst->isa.d.index, pair(core, warp, inst, op));
    else
        exec_fill_uniform(warp, inst->isa.d.index, source(core, warp, inst, op));
}

UNIFORM_OP(UMOV) { copy(core, warp, inst, operand_only(&inst->isa)); }

UNIFORM_OP(USEL)
{
    const struct isa_inst *isa = &inst->isa;
    copy(core, warp, inst, operand_uniform(warp, isa->pp) ? &isa->a : operand_second(isa));
}

UNIFORM_OP(UISETP)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bop = isa->mod[ISA_MOD_BOP];
    if (bop > ISA_BOP_XOR) {
        exec_refuse(core, warp, inst, "the predicate combination is not defined");
        return;
    }
    bool wide = isa->mod[ISA_MOD_WIDE64];
    uint64_t a = wide ? pair(core, warp, inst, &isa->a) : source(core, warp, inst, &isa->a);
    uint64_t b = wide ? pair(core, warp, inst, operand_second(isa)) : source(core, warp, inst, operand_second(isa));
    uint64_t bias = isa->mod[ISA_MOD_SIGNED] ? UINT64_C(1) << (wide ? 63 : 31) : 0;
    bool less = (a ^ bias) < (b ^ bias);
    bool outcome = integer_outcome(isa->mod[ISA_MOD_CMP], less, a == b);
    if (isa->mod[ISA_MOD_EX] && a == b)
        outcome = operand_uniform(warp, isa->pr.present ? isa->pr : isa->pq);
    bool in = operand_uniform(warp, isa->pp);
    bool u = bop == ISA_BOP_AND ? outcome && in : bop == ISA_BOP_OR ? outcome || in : outcome != in;
    bool v = bop == ISA_BOP_AND ? !outcome && in : bop == ISA_BOP_OR ? !outcome || in : outcome == in;
    exec_set_uniform_predicate(warp, isa->pu, u);
    exec_set_uniform_predicate(warp, isa->pv, v);
}

/* ---- predicates and registers ---------------------------------------------------------------------------------- */

enum { PREDICATE_BITS = 0x7f };

UNIFORM_OP(UP2UR)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned shift = 8u * (isa->mod[ISA_MOD_BYTE] & 3);
    uint32_t mask = source(core, warp, inst, operand_second(isa)) & PREDICATE_BITS;
    uint32_t kept = source(core, warp, inst, &isa->a) & ~(mask << shift);
    exec_fill_uniform(warp, isa->d.index, kept | (warp->upred & mask) << shift);
}

UNIFORM_OP(UR2UP)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t mask = source(core, warp, inst, operand_second(isa)) & PREDICATE_BITS;
    uint32_t value = source(core, warp, inst, &isa->a) >> 8u * (isa->mod[ISA_MOD_BYTE] & 3);
    warp->upred = (uint8_t)((warp->upred & ~mask) | (value & mask));
}

static const uint8_t constant_bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0}; /* by SIZE */

static void load_constant(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned most)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned size = isa->mod[ISA_MOD_SIZE], bytes = constant_bytes[size & 7];
    if (isa->b.kind != ISA_CONST || bytes == 0 || bytes > most || isa->mod[ISA_MOD_MODE]) {
        exec_refuse(core, warp, inst, "only direct constant banks and whole values are simulated");
        return;
    }
    uint32_t at = isa->b.value + (isa->a.kind == ISA_UREG ? operand_word(core, warp, inst, &isa->a, 0) : 0);
    uint64_t low = operand_constant(core, warp, inst, isa->b.bank, at, bytes < 8 ? bytes : 8);
    if (size == ISA_SIZE_S8 || size == ISA_SIZE_S16)
        low = (uint32_t)sign_extend(low, 8 * bytes);
    if (bytes < 8)
        exec_fill_uniform(warp, isa->d.index, (uint32_t)low);
    else
        write_pair(warp, isa->d.index, low);
    if (bytes == 16 && isa->d.index != ISA_URZ)
        write_pair(warp, isa->d.index + 2u, operand_constant(core, warp, inst, isa->b.bank, at + 8, 8));
}

UNIFORM_OP(ULDC) { load_constant(core, warp, inst, 8); }

UNIFORM_OP(LDCU) { load_constant(core, warp, inst, 16); }
