#include "arith.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct arith *arith_create(uint64_t seed)
{
    struct arith *t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
    assert_non_null(t);
    memset(t, 0, sizeof *t);
    t->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (unsigned b = 0; b < ORACLE_BANKS; ++b)
        t->launch.bank[b] = t->bank[b];
    t->cubin.name = "arith";
    t->kernel = (struct exec_kernel){.cubin = &t->cubin, .count = 1};
    t->launch.kernel = &t->kernel;
    t->module.sm = 90;
    t->launch.module = &t->module;
    t->cta.launch = &t->launch;
    t->cta.warps = &t->warp;
    t->warp.reg = t->reg;
    t->warp.register_count = ORACLE_REGISTERS;
    t->warp.cta = &t->cta;
    t->warp.live = t->warp.launched = UINT32_MAX;
    return t;
}

void arith_destroy(struct arith *t) { free(t); }

/* xorshift64* */
uint32_t arith_random(struct arith *t)
{
    t->random ^= t->random >> 12;
    t->random ^= t->random << 25;
    t->random ^= t->random >> 27;
    return (uint32_t)(t->random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

uint32_t arith_below(struct arith *t, uint32_t limit) { return (uint32_t)((uint64_t)arith_random(t) * limit >> 32); }

#define PICK(t, array) (array)[arith_below(t, sizeof(array) / sizeof *(array))]

static uint32_t half_value(struct arith *t, unsigned exponent_bits)
{
    static const uint16_t halves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00,
                                      0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7fff,
                                      0xfe01, 0x7c01, 0x4000, 0x3555, 0x7ff7, 0xfff7};
    static const uint16_t bf16s[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8080, 0x3f80,
                                     0xbf80, 0x3f81, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7fff,
                                     0xffc1, 0x7f81, 0x4000, 0x3eab, 0x7ff7, 0xfff7};
    switch (arith_below(t, 4)) {
    case 0: return exponent_bits == 5 ? PICK(t, halves) : PICK(t, bf16s);
    case 1: { /* near 1 */
        unsigned mantissa = 15 - exponent_bits, bias = (1u << (exponent_bits - 1)) - 1;
        uint32_t exponent = bias - 3 + arith_below(t, 7);
        return (arith_random(t) & 0x8000) | exponent << mantissa | (arith_random(t) & ((1u << mantissa) - 1));
    }
    default: return arith_random(t) & 0xffff;
    }
}

uint32_t arith_value(struct arith *t, enum arith_values kind)
{
    static const uint32_t integers[] = {0,      1,          2,          31,         32,         33,         63,
                                        64,     65,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,
                                        0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555};
    static const uint32_t floats[] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
        0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
        0x7fc00000, 0xffc00000, 0x7fffffff, 0x7f800001, 0xff812345, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000,
        0x3f000000, 0x3fc00000, 0x33800000, 0x33800001, 0x5f000000, 0xdf000000, 0x5f800000, 0x42fe0000, 0x43000000};
    static const uint32_t doubles[] = {0x00000000, 0x80000000, 0x00000001, 0x000fffff, 0x00100000, 0x3ff00000,
                                       0xbff00000, 0x7fefffff, 0x7ff00000, 0xfff00000, 0x7ff80000, 0x7fffffff,
                                       0x41dfffff, 0x41e00000, 0xc1e00000, 0x43e00000, 0xc3e00000, 0x3fe00000};
    switch (kind) {
    case ARITH_HALF: return half_value(t, 5) | half_value(t, 5) << 16;
    case ARITH_BF16: return half_value(t, 8) | half_value(t, 8) << 16;
    case ARITH_FLOAT:
        switch (arith_below(t, 4)) {
        case 0: return PICK(t, floats);
        case 1: return (arith_random(t) & 0x81ffffff) + 0x3e800000; /* near 1 */
        default: return arith_random(t);
        }
    case ARITH_DOUBLE:
        switch (arith_below(t, 4)) {
        case 0: return PICK(t, doubles);
        case 1: return (arith_random(t) & 0x83ffffff) + 0x40000000;
        default: return arith_random(t);
        }
    default:
        switch (arith_below(t, 4)) {
        case 0: return PICK(t, integers);
        case 1: return arith_random(t) >> arith_below(t, 32);
        default: return arith_random(t);
        }
    }
}

uint32_t arith_mask(struct arith *t)
{
    uint32_t mask = arith_random(t);
    switch (arith_below(t, 4)) {
    case 0: return UINT32_MAX;
    case 1: return 1u << (mask & 31);
    default: return mask ? mask : 1;
    }
}

void arith_shuffle(struct arith *t, enum arith_values kind)
{
    for (unsigned r = 0; r < ORACLE_REGISTERS; ++r)
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            t->reg[r][i] = arith_value(t, kind);
    for (unsigned p = 0; p < 7; ++p)
        t->warp.pred[p] = arith_random(t);
    t->warp.pred[7] = UINT32_MAX;
    for (unsigned u = 0; u < 255; ++u)
        t->warp.ureg[u] = arith_value(t, kind);
    t->warp.ureg[255] = 0;
    t->warp.upred = (uint8_t)(arith_random(t) | 0x80);
    for (unsigned b = 0; b < ORACLE_BANKS; ++b) {
        for (unsigned k = 0; k < 64; ++k) {
            uint32_t v = arith_value(t, kind);
            memcpy(&t->bank[b][4 * k], &v, sizeof v);
            memcpy(&t->bank[b][ORACLE_BANK_BYTES - 4 * (k + 1)], &v, sizeof v);
        }
    }
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

struct isa_inst *arith_begin(struct arith *t, enum isa_op op)
{
    memset(&t->inst, 0, sizeof t->inst);
    struct isa_inst *isa = &t->inst.isa;
    isa->op = (uint16_t)op;
    isa->guard = (struct isa_predicate){.index = ISA_PT, .present = true};
    isa->ureg_base = isa->ureg_descriptor = ISA_URZ;
    return isa;
}

struct isa_operand arith_register(unsigned index)
{
    return (struct isa_operand){.kind = ISA_REG, .index = (uint8_t)index, .words = 1};
}

struct isa_operand arith_immediate(uint32_t value)
{
    return (struct isa_operand){.kind = ISA_IMM, .value = value, .words = 1};
}

static uint8_t register_index(struct arith *t, unsigned words)
{
    if (arith_below(t, 8) == 0)
        return ISA_RZ;
    return (uint8_t)(arith_below(t, ORACLE_REGISTERS / words) * words);
}

static uint8_t uniform_index(struct arith *t, unsigned words)
{
    return arith_below(t, 8) == 0 ? ISA_URZ : (uint8_t)(arith_below(t, 62 / words) * words);
}

struct isa_operand arith_operand(struct arith *t, unsigned forms, unsigned words, unsigned flags,
                                 enum arith_values kind)
{
    struct isa_operand op = {.words = (uint8_t)words, .flags = (uint8_t)(arith_random(t) & flags)};
    unsigned form;
    do {
        form = 1u << arith_below(t, 4);
    } while (!(form & forms) || (form != ARITH_REG && forms & ARITH_REG && arith_below(t, 2)));
    switch (form) {
    case ARITH_REG:
        op.kind = ISA_REG;
        op.index = register_index(t, words);
        break;
    case ARITH_UREG:
        op.kind = ISA_UREG;
        op.index = uniform_index(t, words);
        break;
    case ARITH_IMM:
        op.kind = ISA_IMM;
        op.value = arith_value(t, kind);
        op.flags = 0;
        break;
    default:
        op.kind = ISA_CONST;
        op.bank = (uint8_t)arith_below(t, ORACLE_BANKS);
        op.value = 4 * arith_below(t, 60);
        if (arith_below(t, 4) == 0)
            op.value = 0u - op.value; /* wraps to the end of the bank */
        break;
    }
    return op;
}

struct isa_operand arith_destination(struct arith *t, unsigned words)
{
    struct isa_operand op = arith_register(register_index(t, words));
    op.words = (uint8_t)words;
    return op;
}

struct isa_operand arith_uniform_destination(struct arith *t, unsigned words)
{
    return (struct isa_operand){.kind = ISA_UREG, .index = uniform_index(t, words), .words = (uint8_t)words};
}

struct isa_predicate arith_source(struct arith *t, bool uniform)
{
    return (struct isa_predicate){
        .index = (uint8_t)arith_below(t, 8), .inverted = arith_below(t, 2), .uniform = uniform, .present = true};
}

struct isa_predicate arith_target(struct arith *t, bool uniform)
{
    return (struct isa_predicate){.index = (uint8_t)arith_below(t, 8), .uniform = uniform, .present = true};
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

void arith_run(struct arith *t, exec_fn *const *table, uint32_t active)
{
    struct issued out = {0};
    exec_inst_prepare(&t->inst); /* executors go shorter ways for instructions that are plain */
    t->inst.run = table[t->inst.isa.op];
    t->inst.run(&t->core, &t->warp, &t->inst, active, &out);
}

static void save(const struct arith *t, struct oracle *o)
{
    memcpy(o->reg, t->reg, sizeof o->reg);
    memcpy(o->pred, t->warp.pred, sizeof o->pred);
    memcpy(o->ureg, t->warp.ureg, sizeof o->ureg);
    o->upred = t->warp.upred;
    o->bank = (const uint8_t(*)[ORACLE_BANK_BYTES])t->bank;
}

static void restore(struct arith *t, const struct oracle *o)
{
    memcpy(t->reg, o->reg, sizeof o->reg);
    memcpy(t->warp.pred, o->pred, sizeof o->pred);
    memcpy(t->warp.ureg, o->ureg, sizeof o->ureg);
    t->warp.upred = o->upred;
}

static void describe(const struct arith *t, const char *variant, uint32_t active)
{
    const struct isa_inst *isa = &t->inst.isa;
    const struct isa_operand *ops[] = {&isa->d, &isa->a, &isa->b, &isa->c};
    print_error("%s, opcode %u, active %08x\n", variant, isa->op, active);
    for (unsigned k = 0; k < 4; ++k)
        print_error("  %c: kind %u index %u flags %u swizzle %u bank %u value %08x\n", "dabc"[k], ops[k] -> kind,
                    ops[k] -> index, ops[k] -> flags, ops[k] -> swizzle, ops[k] -> bank, ops[k] -> value);
    for (unsigned m = 0; m < ISA_MOD_COUNT; ++m)
        if (isa->mod[m])
            print_error("  modifier %u = %u\n", m, isa->mod[m]);
    print_error("  pu P%u pv P%u pp %sP%u pq %sP%u pr %sP%u\n", isa->pu.index, isa->pv.index,
                isa->pp.inverted ? "!" : "", isa->pp.index, isa->pq.inverted ? "!" : "", isa->pq.index,
                isa->pr.inverted ? "!" : "", isa->pr.index);
}

static void source_values(const struct oracle *before, const struct isa_inst *isa, unsigned lane)
{
    const struct isa_operand *ops[] = {&isa->a, &isa->b, &isa->c};
    struct oracle copy = *before;
    struct oracle_lane l = {.o = &copy, .inst = isa, .lane = lane};
    for (unsigned k = 0; k < 3; ++k)
        if (ops[k]->kind != ISA_NONE)
            print_error("  %c = %08x\n", "abc"[k], oracle_raw(&l, ops[k], 0));
}

static void compare(const struct arith *t, const struct oracle *before, const struct oracle *o, const char *variant,
                    uint32_t active)
{
    for (unsigned r = 0; r < ORACLE_REGISTERS; ++r) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            if (t->reg[r][i] == o->reg[r][i])
                continue;
            describe(t, variant, active);
            source_values(before, &t->inst.isa, i);
            fail_msg("R%u lane %u is %08x, should be %08x", r, i, t->reg[r][i], o->reg[r][i]);
        }
    }
    for (unsigned p = 0; p < 8; ++p) {
        if (t->warp.pred[p] == o->pred[p])
            continue;
        describe(t, variant, active);
        source_values(before, &t->inst.isa, lowest_bit32(t->warp.pred[p] ^ o->pred[p]));
        fail_msg("P%u is %08x, should be %08x", p, t->warp.pred[p], o->pred[p]);
    }
    for (unsigned u = 0; u < 256; ++u) {
        if (t->warp.ureg[u] != o->ureg[u]) {
            describe(t, variant, active);
            source_values(before, &t->inst.isa, 0);
            fail_msg("UR%u is %08x, should be %08x", u, t->warp.ureg[u], o->ureg[u]);
        }
    }
    if (t->warp.upred != o->upred) {
        describe(t, variant, active);
        source_values(before, &t->inst.isa, 0);
        fail_msg("UP are %02x, should be %02x", t->warp.upred, o->upred);
    }
    if (t->core.fault.code != STATUS_OK) {
        describe(t, variant, active);
        fail_msg("refused: %s", t->core.fault.text);
    }
}

void arith_check(struct arith *t, uint32_t active)
{
    struct oracle before, after;
    save(t, &before);
    after = before;
    if (!oracle_step(&after, &t->inst.isa, active))
        fail_msg("the oracle does not know opcode %u", t->inst.isa.op);
    for (unsigned i = 0; i < EXEC_TABLES; i++) {
        struct exec_table_variant variant = exec_table_variant(i);
        if (!variant.functions)
            continue;
        restore(t, &before);
        arith_run(t, variant.functions, active);
        compare(t, &before, &after, variant.name, active);
    }
}

void arith_try(enum isa_op op, arith_make *make, enum arith_values kind, unsigned trials)
{
    enum { SHUFFLE = 16 };
    struct arith *t = arith_create(op);
    for (unsigned k = 0; k < trials; ++k) {
        if (k % SHUFFLE == 0)
            arith_shuffle(t, kind);
        make(t, arith_begin(t, op));
        arith_check(t, arith_mask(t));
    }
    arith_destroy(t);
}
