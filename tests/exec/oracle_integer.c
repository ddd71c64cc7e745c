/* Integer arithmetic. */
#include <stddef.h>

#include "oracle.h"

typedef __int128 wide;

/* The exact value that an operand adds: -x is ~x + 1, so that -0 is 2^32; ~x is 2^32 - 1 - x. */
static wide addend(const struct oracle_lane *l, const struct isa_operand *op)
{
    wide x = oracle_raw(l, op, 0), all = (wide)1 << 32;
    if (op->flags & ISA_NEG)
        return all - x;
    if (op->flags & ISA_INV)
        return all - 1 - x;
    return x;
}

static wide carry(const struct oracle_lane *l, struct isa_predicate p)
{
    return l->inst->mod[ISA_MOD_EXTENDED] && oracle_predicate(l, p) ? 1 : 0;
}

static void put_sum(struct oracle_lane *l, wide sum)
{
    l->d[0] = (uint32_t)sum;
    l->u = sum >= (wide)1 << 32;
    l->v = sum >= (wide)2 << 32;
}

static void lea(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    wide low = oracle_raw(l, &i->a, 0), all = (wide)1 << 32, v;
    unsigned n = i->mod[ISA_MOD_SHIFT];
    if (i->mod[ISA_MOD_HI]) {
        wide high = i->mod[ISA_MOD_SX32] ? (low >> 31 ? all - 1 : 0) : (wide)oracle_raw(l, &i->c, 0);
        v = (high * all + low) * ((wide)1 << n) / all % all;
    } else {
        v = low * ((wide)1 << n) % all;
    }
    if (i->a.flags & ISA_NEG)
        v = all - v;
    else if (i->a.flags & ISA_INV)
        v = all - 1 - v;
    put_sum(l, v + addend(l, &i->b) + carry(l, i->pp));
}

static wide as_type(uint32_t v, bool is_signed) { return is_signed ? (wide)(int32_t)v : (wide)v; }

static void imad(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    bool is_signed = i->mod[ISA_MOD_SIGNED];
    uint32_t a = oracle_integer(l, &i->a), b = oracle_integer(l, &i->b);
    if (!i->mod[ISA_MOD_WIDE] && !i->mod[ISA_MOD_HI]) {
        l->d[0] = (uint32_t)((wide)a * b + oracle_integer(l, &i->c) + carry(l, i->pp));
        return;
    }
    wide all = (wide)1 << 64;
    wide product = as_type(a, is_signed) * as_type(b, is_signed);
    product = product < 0 ? product + all : product;
    wide c = (wide)oracle_raw(l, &i->c, 0) + ((wide)oracle_raw(l, &i->c, 1) << 32);
    if (i->c.kind == ISA_IMM && is_signed && i->c.value >> 31)
        c += (wide)UINT32_MAX << 32;
    if (i->c.flags & ISA_NEG)
        c = all - c;
    else if (i->c.flags & ISA_INV)
        c = all - 1 - c;
    wide sum = product + c + carry(l, i->pp);
    l->d[0] = i->mod[ISA_MOD_WIDE] ? (uint32_t)sum : (uint32_t)(sum >> 32);
    l->d[1] = (uint32_t)(sum >> 32);
    l->u = sum >= all;
}

/* Two sources of one or two words, as exact integers. */
static wide plain(const struct oracle_lane *l, const struct isa_operand *op)
{
    bool two = l->inst->mod[ISA_MOD_WIDE64], is_signed = l->inst->mod[ISA_MOD_SIGNED];
    if (two)
        return is_signed ? (wide)(int64_t)oracle_pair(l, op) : (wide)oracle_pair(l, op);
    return as_type(oracle_raw(l, op, 0), is_signed);
}

static wide term(const struct oracle_lane *l, const struct isa_operand *op)
{
    bool two = l->inst->mod[ISA_MOD_WIDE64];
    wide x = two ? (wide)oracle_pair(l, op) : (wide)oracle_raw(l, op, 0), all = (wide)1 << (two ? 64 : 32);
    return op->flags & ISA_NEG ? all - x : op->flags & ISA_INV ? all - 1 - x : x;
}

static void put_wide(struct oracle_lane *l, wide v)
{
    l->d[0] = (uint32_t)v;
    l->d[1] = (uint32_t)(v >> 32);
}

static void iadd(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    wide sum = term(l, &i->a) + term(l, &i->b) + carry(l, i->pp), all = (wide)1 << (i->mod[ISA_MOD_WIDE64] ? 64 : 32);
    if (i->c.kind != ISA_NONE)
        sum += term(l, &i->c) + carry(l, i->pq);
    put_wide(l, sum);
    l->u = sum >= all;
    l->v = sum >= 2 * all;
}

static void iabs(struct oracle_lane *l)
{
    wide v = (int32_t)oracle_integer(l, &l->inst->b);
    l->d[0] = (uint32_t)(v < 0 ? -v : v);
}

static void imnmx(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    wide a = plain(l, &i->a), b = plain(l, &i->b);
    put_wide(l, oracle_predicate(l, i->pp) == (a < b) ? a : b);
}

static bool compare(wide a, wide b, unsigned code)
{
    switch (code) {
    case 0: return false;
    case 1: return a < b;
    case 2: return a == b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a != b;
    case 6: return a >= b;
    default: return true;
    }
}

static void isetp(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    wide a = plain(l, &i->a), b = plain(l, &i->b);
    bool r = compare(a, b, i->mod[ISA_MOD_CMP]), p = oracle_predicate(l, i->pp);
    if (i->mod[ISA_MOD_EX] && a == b)
        r = oracle_predicate(l, i->pr);
    switch (i->mod[ISA_MOD_BOP]) {
    case 0: l->u = r && p, l->v = !r && p; break;
    case 1: l->u = r || p, l->v = !r || p; break;
    default: l->u = r != p, l->v = !r != p; break;
    }
}

oracle_fn *oracle_integer_function(unsigned op)
{
    switch (op) {
    case ISA_OP_IADD:
    case ISA_OP_IADD3:
    case ISA_OP_UIADD3: return iadd;
    case ISA_OP_LEA:
    case ISA_OP_ULEA: return lea;
    case ISA_OP_IMAD:
    case ISA_OP_UIMAD: return imad;
    case ISA_OP_IABS:
    case ISA_OP_UIABS: return iabs;
    case ISA_OP_IMNMX:
    case ISA_OP_UIMNMX: return imnmx;
    case ISA_OP_ISETP:
    case ISA_OP_UISETP: return isetp;
    default: return NULL;
    }
}
