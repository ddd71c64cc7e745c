/* Sums of Pascal, with the condition code. */
#include "exec/arithmetic/integer.h"
#include "exec/pascal/flags.h"

/* Bit 32 of the sum, and its overflow, in the highest bits of the rows. `r` is a + b and at most 1, or 2 if `two`. */
static inline void carries_of(const uint32_t *a, const uint32_t *b, const uint32_t *r, bool two, struct lanes *carry,
                              struct lanes *overflow)
{
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        carry->v[i] = (a[i] & b[i]) | ((a[i] | b[i]) & ~(r[i] - two));
        overflow->v[i] = (a[i] ^ r[i]) & (b[i] ^ r[i]);
    }
    for (unsigned i = 0; two && i < EXEC_LANES; i++) /* the second 1 has carried, too */
        carry->v[i] ^= r[i] == 0 ? UINT32_C(1) << 31 : 0;
}

static __attribute__((noinline)) void sum_with_flags(struct exec_warp *warp, const struct isa_inst *isa,
                                                     uint32_t active, const uint32_t *a, const uint32_t *b, bool two,
                                                     struct lanes *r)
{
    struct lanes carry, overflow;
    carries_of(a, b, r->v, two, &carry, &overflow);
    if (isa->mod[ISA_MOD_SAT]) {
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            uint32_t limit = a[i] >> 31 ? UINT32_C(0x80000000) : 0x7fffffff;
            r->v[i] = overflow.v[i] >> 31 ? limit : r->v[i];
        }
    }
    bool flags = isa->mod[ISA_MOD_CC];
    write_result(warp, isa, active, r->v, flags ? lanes_signs(carry.v) : 0, flags ? lanes_signs(overflow.v) : 0);
}

/* a + b + k; with .X the carry instead of the ones that make -x of ~x. */
static inline void sum(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const uint32_t *a,
                       const uint32_t *b, uint32_t ones, struct lanes *r)
{
    bool extended = isa->mod[ISA_MOD_EXTENDED];
    uint32_t in = extended ? warp->stack->condition.carry : 0;
    ones = extended ? 0 : ones;
    for (unsigned i = 0; i < EXEC_LANES; i++)
        r->v[i] = a[i] + b[i] + ones;
    for (unsigned i = 0; in && i < EXEC_LANES; i++)
        r->v[i] += in & lanes_bit.v[i] ? 1u : 0u;
    if (isa->mod[ISA_MOD_CC] || isa->mod[ISA_MOD_SAT])
        sum_with_flags(warp, isa, active, a, b, ones == 2, r);
    else
        lanes_write(warp, isa->d.index, active, r->v);
}

/* An addend: -x is ~x, and one more in *ones. */
static inline const uint32_t *addend(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                     const struct isa_operand *op, struct lanes *t, uint32_t *ones)
{
    const uint32_t *v = lanes_raw(core, warp, inst, op, t);
    if (!(op->flags & ISA_NEG))
        return v;
    ++*ones;
    for (unsigned i = 0; i < EXEC_LANES; i++)
        t->v[i] = ~v[i];
    return t->v;
}

EXEC_OP(IADD_60)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    uint32_t ones = 0;
    const uint32_t *a = addend(core, warp, inst, &isa->a, &t[0], &ones);
    const uint32_t *b = addend(core, warp, inst, &isa->b, &t[1], &ones);
    sum(warp, isa, active, a, b, ones, &r);
}

/* Lanes whose generic address is not in shared memory: the predicate of LEA.HI with the address's upper word. Compiled
 * code makes it from an address and itself, and chooses by it between RED and ATOMS. */
static uint32_t outside_of_shared(const uint32_t *high)
{
    _Static_assert(EXEC_SHARED_BYTES == UINT64_C(1) << 32, "the upper word of an address names the window");
    struct lanes differs;
    for (unsigned i = 0; i < EXEC_LANES; i++)
        differs.v[i] = high[i] ^ (uint32_t)(EXEC_SHARED_WINDOW >> 32);
    return lanes_mask(differs.v);
}

/* The operand is shifted, then its sign is changed. .HI takes the upper word of {C, A}. */
EXEC_OP(LEA_60)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], shifted, r;
    uint32_t ones = isa->a.flags & ISA_NEG ? 1 : 0, flip = ones ? UINT32_MAX : 0;
    unsigned shift = isa->mod[ISA_MOD_SHIFT] & 31;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    if (isa->mod[ISA_MOD_HI]) {
        const uint32_t *high = lanes_raw(core, warp, inst, &isa->c, &t[1]);
        for (unsigned i = 0; i < EXEC_LANES; i++)
            shifted.v[i] = (high[i] << shift | a[i] >> 1 >> (31 - shift)) ^ flip;
    } else {
        for (unsigned i = 0; i < EXEC_LANES; i++)
            shifted.v[i] = a[i] << shift ^ flip;
    }
    const uint32_t *b = addend(core, warp, inst, &isa->b, &t[2], &ones);
    sum(warp, isa, active, shifted.v, b, ones, &r);
    if (isa->pu.present && isa->pu.index != ISA_PT)
        exec_set_predicate(warp, isa->pu, active, outside_of_shared(r.v));
}

/* A part of an addend, the word or its lower or upper half, with its bits flipped for -x. */
static inline void take_part(uint32_t *v, const uint32_t *from, unsigned part, uint32_t flip)
{
    unsigned place = part == 2 ? 16 : 0;
    uint32_t keep = part == 1 ? 0xffff : UINT32_MAX;
    for (unsigned i = 0; i < EXEC_LANES; i++)
        v[i] = (from[i] >> place & keep) ^ flip;
}

/* A sum of three on its way. */
struct sum3 {
    struct lanes carries; /* bits 32 and up of the sum, as a number */
    struct lanes sum;
};

/* Adds the second word and the ones, then shifts the 33 bits. */
static inline void add_second(struct sum3 *s, const uint32_t *v, uint32_t ones, unsigned shift)
{
    enum { RIGHT = 1, LEFT };
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t first = s->sum.v[i] + v[i], second = first + ones;
        s->carries.v[i] = (first < v[i] ? 1u : 0u) + (second < first ? 1u : 0u);
        s->sum.v[i] = second;
    }
    for (unsigned i = 0; shift && i < EXEC_LANES; i++) {
        uint32_t v33 = s->sum.v[i] >> 16 | s->carries.v[i] << 16;
        s->sum.v[i] = shift == RIGHT ? v33 : s->sum.v[i] << 16;
        s->carries.v[i] = 0;
    }
}

/* Adds the third word, the ones, and the carries of the lower words. */
static inline void add_third(struct sum3 *s, const uint32_t *v, uint32_t ones, struct condition in)
{
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t carried = (in.carry & lanes_bit.v[i] ? 1u : 0u) + (in.overflow & lanes_bit.v[i] ? 1u : 0u);
        uint32_t first = s->sum.v[i] + v[i], second = first + ones + carried;
        s->carries.v[i] += (first < v[i] ? 1u : 0u) + (second < first ? 1u : 0u);
        s->sum.v[i] = second;
    }
}

/* The 33-bit sum of the first two may be shifted by 16 before the third comes to it. Three words may carry two,
 * and the next sum of three takes both: compiled code adds three numbers of 64 bits by such a pair. It keeps the four
 * flags in a register meanwhile, so the second carry is one of them, assumed to be the overflow. -x is ~x and one
 * more, which only the lower words add: the pair is right for -a + b - c as well. */
EXEC_OP(IADD3_60)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *const op[] = {&isa->a, &isa->b, &isa->c};
    struct lanes t, part[3];
    struct condition in = {0}, carries = {0};
    uint32_t ones[3] = {0};
    struct sum3 s;
    bool extended = isa->mod[ISA_MOD_EXTENDED];
    if (extended)
        in = warp->stack->condition;
    for (unsigned k = 0; k < 3; k++) {
        bool negated = op[k]->flags & ISA_NEG;
        ones[k] = negated && !extended;
        take_part(part[k].v, lanes_raw(core, warp, inst, op[k], &t), op[k]->swizzle, negated ? UINT32_MAX : 0);
    }
    s.sum = part[0];
    add_second(&s, part[1].v, ones[0] + ones[1], isa->mod[ISA_MOD_SHIFT]);
    add_third(&s, part[2].v, ones[2], in);
    if (isa->mod[ISA_MOD_CC]) {
        carries.carry = lanes_mask(s.carries.v);
        for (unsigned i = 0; i < EXEC_LANES; i++)
            s.carries.v[i] >>= 1;
        carries.overflow = lanes_mask(s.carries.v);
    }
    write_flags(warp, isa, active, s.sum.v, carries);
    lanes_write(warp, isa->d.index, active, s.sum.v);
}
