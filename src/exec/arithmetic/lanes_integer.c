/* Integer addition of three sources and address arithmetic. */
#include "exec/arithmetic/lanes.h"

#include "exec/arithmetic/integer.h"

/* -x enters a sum as ~x + 1 in 33 bits, so that -0 gives a carry. With .X the operand is ~x alone. Adds the 1 to *k. */
static __attribute__((noinline)) const uint32_t *addend_form(struct exec_core *core, struct exec_warp *warp,
                                                             const struct exec_inst *inst, const struct isa_operand *op,
                                                             struct lanes *t, uint32_t *k)
{
    const uint32_t *v = lanes_raw(core, warp, inst, op, t);
    *k += op->flags & ISA_NEG ? 1 : 0;
    if (!(op->flags & (ISA_NEG | ISA_INV)))
        return v;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        t->v[i] = ~v[i];
    return t->v;
}

static inline const uint32_t *addend(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                     const struct isa_operand *op, struct lanes *t, uint32_t *k)
{
    if (op->kind == ISA_REG && !op->flags)
        return exec_row(warp, op->index);
    return addend_form(core, warp, inst, op, t, k);
}

static bool wanted(struct isa_predicate p) { return p.present && p.index != ISA_PT; }

/* a + b + c + k + the two carries, with the carries out. */
static __attribute__((noinline)) void add3_carry(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active,
                                                 const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t k,
                                                 uint32_t carry0, uint32_t carry1)
{
    struct lanes r, ge1, ge2;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t in = (carry0 & lanes_bit.v[i] ? 1u : 0u) + (carry1 & lanes_bit.v[i] ? 1u : 0u) + k;
        uint32_t s1 = a[i] + b[i], s2 = s1 + c[i], s3 = s2 + in;
        uint32_t over = (s1 < a[i] ? 1u : 0u) + (s2 < s1 ? 1u : 0u) + (s3 < s2 ? 1u : 0u);
        r.v[i] = s3;
        ge1.v[i] = over >= 1;
        ge2.v[i] = over >= 2;
    }
    lanes_write(warp, isa->d.index, active, r.v);
    exec_set_predicate(warp, isa->pu, active, lanes_mask(ge1.v));
    if (wanted(isa->pv))
        exec_set_predicate(warp, isa->pv, active, lanes_mask(ge2.v));
}

static inline void add3(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const uint32_t *a,
                        const uint32_t *b, const uint32_t *c, uint32_t k, uint32_t carry0, uint32_t carry1)
{
    if (carry0 || carry1 || wanted(isa->pu) || wanted(isa->pv)) {
        add3_carry(warp, isa, active, a, b, c, k, carry0, carry1);
        return;
    }
    struct lanes r;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = a[i] + b[i] + c[i] + k;
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(IADD3)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3];
    uint32_t k = 0;
    const uint32_t *a = addend(core, warp, inst, &isa->a, &t[0], &k);
    const uint32_t *b = addend(core, warp, inst, &isa->b, &t[1], &k);
    const uint32_t *c = addend(core, warp, inst, &isa->c, &t[2], &k);
    bool extended = isa->mod[ISA_MOD_EXTENDED];
    add3(warp, isa, active, a, b, c, k, extended ? operand_carry(warp, isa->pp) : 0,
         extended ? operand_carry(warp, isa->pq) : 0);
}

EXEC_OP(LEA)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes shifted, t[3];
    unsigned shift = isa->mod[ISA_MOD_SHIFT] & 31;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    if (!isa->mod[ISA_MOD_HI]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            shifted.v[i] = a[i] << shift;
    } else if (isa->mod[ISA_MOD_SX32]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            shifted.v[i] = (uint32_t)((uint64_t)(int64_t)(int32_t)a[i] << shift >> 32);
    } else {
        const uint32_t *high = lanes_raw(core, warp, inst, &isa->c, &t[1]);
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            shifted.v[i] = integer_lea_high(a[i], high[i], shift);
    }
    uint32_t k = 0;
    const uint32_t *b = addend(core, warp, inst, &isa->b, &t[2], &k);
    if (isa->a.flags & (ISA_NEG | ISA_INV)) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            shifted.v[i] = ~shifted.v[i];
        k += isa->a.flags & ISA_NEG ? 1 : 0;
    }
    add3(warp, isa, active, shifted.v, b, exec_zero_row, k,
         isa->mod[ISA_MOD_EXTENDED] ? operand_carry(warp, isa->pp) : 0, 0);
}

EXEC_OP(IABS)
{
    struct lanes t, r;
    const uint32_t *v = lanes_integer(core, warp, inst, operand_only(&inst->isa), &t);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = v[i] >> 31 ? 0u - v[i] : v[i];
    lanes_write(warp, inst->isa.d.index, active, r.v);
}
