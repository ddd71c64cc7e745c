/* FP64 arithmetic. */
#include "exec/arithmetic/lanes_double.h"

static void finish(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, struct doubles *r,
                   const struct doubles *a, const struct doubles *b, const struct doubles *c)
{
    struct lanes low, high;
    bool any = doubles_have_nan(r);
    for (unsigned i = 0; any && i < EXEC_LANES; ++i)
        r->v[i] = double_is_nan(r->v[i]) ? double_nan_of(a->v[i], b->v[i], c->v[i]) : r->v[i];
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        low.v[i] = (uint32_t)r->v[i];
        high.v[i] = (uint32_t)(r->v[i] >> 32);
    }
    lanes_write_pair(warp, isa->d.index, active, &low, &high);
}

EXEC_OP(DADD)
{
    const struct isa_inst *isa = &inst->isa;
    enum rounding mode = isa->mod[ISA_MOD_ROUND] & 3;
    struct doubles a, b, r;
    lanes_double(core, warp, inst, &isa->a, &a);
    lanes_double(core, warp, inst, operand_second(isa), &b);
    if (mode != ROUND_NEAREST) {
        rounding_add_double(r.v, a.v, b.v, mode);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = double_bits(double_of(a.v[i]) + double_of(b.v[i]));
    }
    finish(warp, isa, active, &r, &a, &b, &b);
}

EXEC_OP(DMUL)
{
    const struct isa_inst *isa = &inst->isa;
    enum rounding mode = isa->mod[ISA_MOD_ROUND] & 3;
    struct doubles a, b, r;
    lanes_double(core, warp, inst, &isa->a, &a);
    lanes_double(core, warp, inst, operand_second(isa), &b);
    if (mode != ROUND_NEAREST) {
        rounding_multiply_double(r.v, a.v, b.v, mode);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = double_bits(double_of(a.v[i]) * double_of(b.v[i]));
    }
    finish(warp, isa, active, &r, &a, &b, &b);
}

EXEC_OP(DFMA)
{
    const struct isa_inst *isa = &inst->isa;
    enum rounding mode = isa->mod[ISA_MOD_ROUND] & 3;
    struct doubles a, b, c, r;
    lanes_double(core, warp, inst, &isa->a, &a);
    lanes_double(core, warp, inst, &isa->b, &b);
    lanes_double(core, warp, inst, &isa->c, &c);
    if (mode != ROUND_NEAREST) {
        rounding_fma_double(r.v, a.v, b.v, c.v, mode);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = double_bits(fma(double_of(a.v[i]), double_of(b.v[i]), double_of(c.v[i])));
    }
    finish(warp, isa, active, &r, &a, &b, &c);
}
