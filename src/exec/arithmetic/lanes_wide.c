/* The integer operations of two sources that exist for one and for two words. */
#include "exec/arithmetic/lanes.h"

/* A source of 64 bits, as two rows. */
struct pair {
    const uint32_t *low, *high;
};

static struct pair pair_of(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                           const struct isa_operand *op, struct lanes t[2])
{
    return (struct pair){lanes_word(core, warp, inst, op, 0, &t[0]), lanes_word(core, warp, inst, op, 1, &t[1])};
}

static inline uint64_t pair_value(struct pair p, unsigned lane) { return (uint64_t)p.high[lane] << 32 | p.low[lane]; }

/* ---- addition ---------------------------------------------------------------------------------------------------- */

/* -x enters the sum as ~x + 1 in one bit more than the operand, ~x as it is. */
static uint64_t complement(const struct isa_operand *op) { return op->flags & (ISA_NEG | ISA_INV) ? UINT64_MAX : 0; }

static uint32_t ones(const struct isa_operand *op) { return op->flags & ISA_NEG ? 1 : 0; }

static uint32_t carry_in(const struct exec_warp *warp, const struct isa_inst *isa)
{
    return isa->mod[ISA_MOD_EXTENDED] ? operand_carry(warp, isa->pp) : 0;
}

static void add_words(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *second = operand_second(isa);
    struct lanes t[2], r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, second, &t[1]);
    uint32_t flip_a = (uint32_t)complement(&isa->a), flip_b = (uint32_t)complement(second);
    uint32_t k = ones(&isa->a) + ones(second), carry = carry_in(warp, isa), out = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint64_t sum = (uint64_t)(a[i] ^ flip_a) + (b[i] ^ flip_b) + k + (carry >> i & 1);
        r.v[i] = (uint32_t)sum;
        out |= (uint32_t)(sum >> 32 != 0) << i;
    }
    lanes_write(warp, isa->d.index, active, r.v);
    exec_set_predicate(warp, isa->pu, active, out);
}

static void add_pairs(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *second = operand_second(isa);
    struct lanes ta[2], tb[2], low, high;
    struct pair a = pair_of(core, warp, inst, &isa->a, ta), b = pair_of(core, warp, inst, second, tb);
    uint64_t flip_a = complement(&isa->a), flip_b = complement(second);
    uint32_t k = ones(&isa->a) + ones(second), carry = carry_in(warp, isa), out = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint64_t x = pair_value(a, i) ^ flip_a, sum = x + (pair_value(b, i) ^ flip_b);
        uint64_t whole = sum + k + (carry >> i & 1);
        low.v[i] = (uint32_t)whole;
        high.v[i] = (uint32_t)(whole >> 32);
        out |= (uint32_t)(sum < x || whole < sum) << i;
    }
    lanes_write_pair(warp, isa->d.index, active, &low, &high);
    exec_set_predicate(warp, isa->pu, active, out);
}

EXEC_OP(IADD)
{
    if (inst->isa.mod[ISA_MOD_WIDE64])
        add_pairs(core, warp, inst, active);
    else
        add_words(core, warp, inst, active);
}

/* ---- minimum and maximum ----------------------------------------------------------------------------------------- */

static uint32_t pair_less(struct pair a, struct pair b, bool is_signed)
{
    uint32_t mask = 0;
    uint64_t bias = is_signed ? UINT64_C(1) << 63 : 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        mask |= (pair_value(a, i) ^ bias) < (pair_value(b, i) ^ bias) ? lanes_bit.v[i] : 0;
    return mask;
}

static uint32_t pair_equal(struct pair a, struct pair b)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        mask |= a.low[i] == b.low[i] && a.high[i] == b.high[i] ? lanes_bit.v[i] : 0;
    return mask;
}

static void select_row(uint32_t *r, uint32_t first, const uint32_t *a, const uint32_t *b)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = first & lanes_bit.v[i] ? a[i] : b[i];
}

static void minmax_pairs(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes ta[2], tb[2], low, high;
    struct pair a = pair_of(core, warp, inst, &isa->a, ta), b = pair_of(core, warp, inst, operand_second(isa), tb);
    uint32_t first = ~(pair_less(a, b, isa->mod[ISA_MOD_SIGNED]) ^ operand_predicate(warp, isa->pp));
    select_row(low.v, first, a.low, b.low);
    select_row(high.v, first, a.high, b.high);
    lanes_write_pair(warp, isa->d.index, active, &low, &high);
}

static void minmax_words(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, operand_second(isa), &t[1]);
    uint32_t bias = isa->mod[ISA_MOD_SIGNED] ? 0x80000000 : 0, minimum = operand_predicate(warp, isa->pp);
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        bool less = (a[i] ^ bias) < (b[i] ^ bias);
        uint32_t least = less ? a[i] : b[i], most = less ? b[i] : a[i];
        r.v[i] = minimum & lanes_bit.v[i] ? least : most;
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

/* The predicates that sm_120 has beside the choice of minimum or maximum are PT and !PT in all known code. */
EXEC_OP(IMNMX)
{
    const struct isa_inst *isa = &inst->isa;
    bool chained = isa->pq.present && !(isa->pq.index == ISA_PT && isa->pq.inverted);
    bool tells = (isa->pu.present && isa->pu.index != ISA_PT) || (isa->pv.present && isa->pv.index != ISA_PT);
    if (chained || tells) {
        exec_refuse(core, warp, inst, "the meaning of the further predicates is not known");
        return;
    }
    if (isa->mod[ISA_MOD_WIDE64])
        minmax_pairs(core, warp, inst, active);
    else
        minmax_words(core, warp, inst, active);
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

void lanes_compare_pairs(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t *less,
                         uint32_t *equal)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes ta[2], tb[2];
    struct pair a = pair_of(core, warp, inst, &isa->a, ta), b = pair_of(core, warp, inst, operand_second(isa), tb);
    *less = pair_less(a, b, isa->mod[ISA_MOD_SIGNED]);
    *equal = pair_equal(a, b);
}
