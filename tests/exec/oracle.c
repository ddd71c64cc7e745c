#include "oracle.h"

#include <stddef.h>

static uint32_t constant_word(const struct oracle *o, unsigned bank, uint32_t offset)
{
    uint32_t v = 0;
    for (unsigned k = 4; k-- > 0;)
        v = v << 8 | o->bank[bank][(offset + k) & (ORACLE_BANK_BYTES - 1)];
    return v;
}

uint32_t oracle_raw(const struct oracle_lane *l, const struct isa_operand *op, unsigned word)
{
    if (op->kind == ISA_REG)
        return op->index == ISA_RZ ? 0 : l->o->reg[op->index + word][l->lane];
    if (op->kind == ISA_UREG)
        return op->index == ISA_URZ ? 0 : l->o->ureg[op->index + word];
    if (op->kind == ISA_CONST)
        return constant_word(l->o, op->bank, op->value + 4 * word);
    return word == 0 ? op->value : op->upper;
}

uint32_t oracle_integer(const struct oracle_lane *l, const struct isa_operand *op)
{
    uint32_t v = oracle_raw(l, op, 0);
    if (op->flags & ISA_ABS)
        v = (int32_t)v < 0 ? 0u - v : v;
    if (op->flags & ISA_NEG)
        v = 0u - v;
    if (op->flags & ISA_INV)
        v = v ^ UINT32_MAX;
    return v;
}

uint64_t oracle_pair(const struct oracle_lane *l, const struct isa_operand *op)
{
    return oracle_raw(l, op, 0) | (uint64_t)oracle_raw(l, op, 1) << 32;
}

bool oracle_predicate(const struct oracle_lane *l, struct isa_predicate p)
{
    bool uniform = l->uniform || p.uniform;
    uint32_t mask = uniform ? l->o->upred : l->o->pred[p.index];
    bool value = p.index == ISA_PT || (mask >> (uniform ? p.index : l->lane) & 1);
    return value != p.inverted;
}

static void set_bit(uint32_t *mask, unsigned bit, bool value)
{
    *mask = value ? *mask | 1u << bit : *mask & ~(1u << bit);
}

static void write_predicate(const struct oracle_lane *l, struct isa_predicate p, bool value)
{
    if (!p.present || p.index == ISA_PT)
        return;
    if (l->uniform) {
        uint32_t all = l->o->upred;
        set_bit(&all, p.index, value);
        l->o->upred = (uint8_t)all;
    } else {
        set_bit(&l->o->pred[p.index], l->lane, value);
    }
}

static void write_lane(const struct oracle_lane *l)
{
    const struct isa_operand *d = &l->inst->d;
    for (unsigned w = 0; d->kind != ISA_NONE && d->index != ISA_RZ && w < d->words; ++w) {
        if (l->uniform)
            l->o->ureg[d->index + w] = l->d[w];
        else
            l->o->reg[d->index + w][l->lane] = l->d[w];
    }
    write_predicate(l, l->inst->pu, l->u);
    write_predicate(l, l->inst->pv, l->v);
    uint32_t all = l->o->upred;
    for (unsigned p = 0; p < 7; ++p)
        if (l->set >> p & 1)
            set_bit(l->uniform ? &all : &l->o->pred[p], l->uniform ? p : l->lane, l->values >> p & 1);
    l->o->upred = (uint8_t)all;
}

bool oracle_step(struct oracle *o, const struct isa_inst *inst, uint32_t active)
{
    oracle_fn *(*const groups[])(unsigned) = {oracle_integer_function, oracle_video_function,  oracle_logic_function,
                                              oracle_float_function,   oracle_half_function,   oracle_convert_function,
                                              oracle_double_function,  oracle_format_function, oracle_packed_function};
    oracle_fn *run = NULL;
    for (unsigned k = 0; k < sizeof groups / sizeof *groups && !run; ++k)
        run = groups[k](inst->op);
    if (!run)
        return false;
    bool uniform = isa_op_info((enum isa_op)inst->op)->flags & ISA_UNIFORM;
    struct oracle before = *o;
    for (unsigned lane = 0; lane < (uniform ? 1 : ORACLE_LANES); ++lane) {
        if (!uniform && !(active >> lane & 1))
            continue;
        struct oracle_lane l = {.o = &before, .inst = inst, .lane = lane, .uniform = uniform};
        run(&l);
        l.o = o;
        write_lane(&l);
    }
    return true;
}
