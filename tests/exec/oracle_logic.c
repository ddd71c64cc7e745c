/* Bits: logic, shifts, permutation, counts, predicates. */
#include <stddef.h>

#include "oracle.h"

static bool lut_bit(unsigned lut, bool a, bool b, bool c) { return lut >> (4 * a + 2 * b + c) & 1; }

static void lop3(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint32_t a = oracle_integer(l, &i->a), b = oracle_integer(l, &i->b), c = oracle_integer(l, &i->c);
    for (unsigned k = 0; k < 32; ++k)
        l->d[0] |= (uint32_t)lut_bit(i->mod[ISA_MOD_LUT], a >> k & 1, b >> k & 1, c >> k & 1) << k;
    bool p = oracle_predicate(l, i->pp);
    l->u = i->mod[ISA_MOD_PAND] ? l->d[0] && p : l->d[0] || p;
}

static bool sign_or_predicate(const struct oracle_lane *l, const struct isa_operand *op, struct isa_predicate p)
{
    return op->kind == ISA_NONE ? oracle_predicate(l, p) : (int32_t)oracle_raw(l, op, 0) < 0;
}

static void plop3(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    bool p = sign_or_predicate(l, &i->a, i->pp), q = sign_or_predicate(l, &i->b, i->pq);
    bool r = sign_or_predicate(l, &i->c, i->pr);
    l->u = lut_bit(i->mod[ISA_MOD_LUT], p, q, r);
    l->v = lut_bit(i->mod[ISA_MOD_LUT2], p, q, r);
}

/* Bit k of the shifted value is bit k + n (right) or k - n (left) of {high:low}. */
static void shf(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint64_t v = (uint64_t)oracle_integer(l, &i->c) << 32 | oracle_integer(l, &i->a);
    unsigned type = i->mod[ISA_MOD_SHF_TYPE];
    uint32_t width = type <= 1 ? 64 : 32, n = oracle_integer(l, &i->b);
    if (i->mod[ISA_MOD_WRAP])
        n %= width;
    else if (n > width)
        n = width;
    bool fill = i->mod[ISA_MOD_RIGHT] && (type == 0 || type == 2) && v >> 63;
    for (unsigned k = 0; k < 32; ++k) {
        int from = (int)(k + (i->mod[ISA_MOD_HI] ? 32 : 0)) + (i->mod[ISA_MOD_RIGHT] ? (int)n : -(int)n);
        bool bit = from < 0 ? false : from > 63 ? fill : v >> from & 1;
        l->d[0] |= (uint32_t)bit << k;
    }
}

/* PTX ISA, prmt: for each result byte the source byte 0..7, by mode and selector. */
static unsigned source_byte(unsigned mode, unsigned n, unsigned k)
{
    switch (mode) {
    case 1: return (n + k) & 7;            /* forward four bytes from n */
    case 2: return (n - k) & 7;            /* backward four bytes from n */
    case 3: return n;                      /* replicate byte n */
    case 4: return k < n ? n : k;          /* clamp left: not below n */
    case 5: return k > n ? n : k;          /* clamp right: not above n */
    default: return 2 * (n & 1) + (k & 1); /* replicate half-word */
    }
}

static void prmt(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint64_t bytes = (uint64_t)oracle_integer(l, &i->c) << 32 | oracle_integer(l, &i->a);
    uint32_t selector = oracle_integer(l, &i->b);
    unsigned mode = i->mod[ISA_MOD_MODE];
    for (unsigned k = 0; k < 4; ++k) {
        unsigned nibble = selector >> 4 * k & 15;
        unsigned from = mode == 0 ? nibble & 7 : source_byte(mode, selector & 3, k);
        uint32_t byte = bytes >> 8 * from & 0xff;
        if (mode == 0 && nibble & 8)
            byte = byte >= 0x80 ? 0xff : 0;
        l->d[0] |= byte << 8 * k;
    }
}

static void sel(struct oracle_lane *l)
{
    const struct isa_operand *op = oracle_predicate(l, l->inst->pp) ? &l->inst->a : &l->inst->b;
    for (unsigned word = 0; word < l->inst->d.words; ++word)
        l->d[word] = oracle_raw(l, op, word);
}

/* The mask names lanes in each group of four. */
static void mov(struct oracle_lane *l)
{
    bool takes = l->inst->mod[ISA_MOD_MASK] >> l->lane % 4 & 1;
    for (unsigned w = 0; w < l->inst->d.words; ++w)
        l->d[w] = oracle_raw(l, takes ? &l->inst->b : &l->inst->d, w);
}

static void umov(struct oracle_lane *l)
{
    for (unsigned w = 0; w < l->inst->d.words; ++w)
        l->d[w] = oracle_raw(l, &l->inst->b, w);
}

/* PTX ISA, szext: bit k of the result is bit k of the value below N, above it the sign or 0. */
static void sgxt(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint32_t v = oracle_raw(l, &i->a, 0), n = oracle_raw(l, &i->b, 0);
    n = i->mod[ISA_MOD_WRAP] ? n & 31 : n > 32 ? 32 : n;
    bool fill = i->mod[ISA_MOD_SIGNED] && n && v >> (n - 1) & 1;
    for (unsigned k = 0; k < 32; ++k)
        l->d[0] |= (uint32_t)(k < n ? v >> k & 1 : fill) << k;
}

/* PTX ISA, bmsk. */
static void bmsk(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint64_t from = oracle_raw(l, &i->a, 0), width = oracle_raw(l, &i->b, 0);
    if (i->mod[ISA_MOD_WRAP]) {
        from &= 31;
        width &= 31;
    }
    for (unsigned k = 0; k < 32; ++k)
        l->d[0] |= (uint32_t)(k >= from && k < from + width) << k;
}

static void popc(struct oracle_lane *l)
{
    for (uint32_t v = oracle_integer(l, &l->inst->b); v; v >>= 1)
        l->d[0] += v & 1;
}

static void flo(struct oracle_lane *l)
{
    uint32_t v = oracle_integer(l, &l->inst->b);
    int at = 31;
    uint32_t skip = l->inst->mod[ISA_MOD_SIGNED] ? v >> 31 : 0;
    while (at >= 0 && (v >> at & 1) == skip)
        --at;
    l->u = at >= 0;
    l->d[0] = at < 0 ? UINT32_MAX : l->inst->mod[ISA_MOD_NEGATE_COUNT] ? (uint32_t)(31 - at) : (uint32_t)at;
}

static void brev(struct oracle_lane *l)
{
    uint32_t v = oracle_integer(l, &l->inst->b);
    for (unsigned k = 0; k < 32; ++k)
        l->d[0] |= (v >> k & 1) << (31 - k);
}

static void p2r(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint32_t mask = oracle_integer(l, &i->b);
    l->d[0] = oracle_integer(l, &i->a);
    for (unsigned p = 0; p < 7; ++p) {
        unsigned bit = p + 8u * i->mod[ISA_MOD_BYTE];
        uint32_t value = l->uniform ? (uint32_t)l->o->upred >> p & 1u : l->o->pred[p] >> l->lane & 1u;
        if (mask >> p & 1)
            l->d[0] = (l->d[0] & ~(1u << bit)) | value << bit;
    }
}

static void r2p(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    l->set = oracle_integer(l, &i->b) & 0x7f;
    l->values = (uint8_t)(oracle_integer(l, &i->a) >> 8 * i->mod[ISA_MOD_BYTE]);
}

static void uldc(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    static const unsigned sizes[] = {1, 1, 2, 2, 4, 8};
    unsigned bytes = sizes[i->mod[ISA_MOD_SIZE]];
    uint32_t offset = i->b.value + (i->a.kind == ISA_UREG ? oracle_raw(l, &i->a, 0) : 0);
    uint64_t v = 0;
    for (unsigned k = 0; k < bytes; ++k)
        v += (uint64_t)l->o->bank[i->b.bank][(offset + k) & (ORACLE_BANK_BYTES - 1)] << 8 * k;
    if (i->mod[ISA_MOD_SIZE] == 1)
        v = (uint64_t)(int8_t)v;
    if (i->mod[ISA_MOD_SIZE] == 3)
        v = (uint64_t)(int16_t)v;
    l->d[0] = (uint32_t)v;
    l->d[1] = (uint32_t)(v >> 32);
}

oracle_fn *oracle_logic_function(unsigned op)
{
    switch (op) {
    case ISA_OP_LOP3:
    case ISA_OP_ULOP3: return lop3;
    case ISA_OP_PLOP3:
    case ISA_OP_UPLOP3: return plop3;
    case ISA_OP_SHF:
    case ISA_OP_USHF: return shf;
    case ISA_OP_PRMT:
    case ISA_OP_UPRMT: return prmt;
    case ISA_OP_SGXT:
    case ISA_OP_USGXT: return sgxt;
    case ISA_OP_BMSK:
    case ISA_OP_UBMSK: return bmsk;
    case ISA_OP_SEL:
    case ISA_OP_USEL: return sel;
    case ISA_OP_MOV: return mov;
    case ISA_OP_MOV_SPILL: return umov;
    case ISA_OP_UMOV: return umov;
    case ISA_OP_POPC:
    case ISA_OP_UPOPC: return popc;
    case ISA_OP_FLO:
    case ISA_OP_UFLO: return flo;
    case ISA_OP_BREV:
    case ISA_OP_UBREV: return brev;
    case ISA_OP_P2R:
    case ISA_OP_UP2UR: return p2r;
    case ISA_OP_R2P:
    case ISA_OP_UR2UP: return r2p;
    case ISA_OP_ULDC: return uldc;
    default: return NULL;
    }
}
