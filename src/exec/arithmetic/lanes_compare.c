/* Comparisons of floats, doubles and halves other than FSETP. */
#include "exec/arithmetic/half_pair.h"
#include "exec/arithmetic/lanes_double.h"
#include "exec/arithmetic/relation.h"

/* 1.0 where the comparison holds. */
EXEC_OP(FSET)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    if (relation_refused(core, warp, inst))
        return;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, operand_second(isa), &t[1]);
    bool flush = isa->mod[ISA_MOD_FTZ];
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t x = flush ? float_flush(a[i]) : a[i], y = flush ? float_flush(b[i]) : b[i];
        r.v[i] = relation_of((double)float_of(x), (double)float_of(y)) & isa->mod[ISA_MOD_CMP];
    }
    uint32_t held = relation_combine(isa->mod[ISA_MOD_BOP], lanes_mask(r.v), operand_predicate(warp, isa->pp));
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = held & lanes_bit.v[i] ? FLOAT_ONE : 0;
    lanes_write(warp, isa->d.index, active, r.v);
}

/* .MIN and .MAX choose for fmin and fmax: the first predicate says A, the second that both are NaN (the compiled code
 * takes B then, and makes it quiet). -0 is less than +0. */
static void choose(unsigned cmp, const struct doubles *a, const struct doubles *b, uint32_t *first, uint32_t *second)
{
    *first = *second = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint64_t x = a->v[i], y = b->v[i];
        bool nan_x = double_is_nan(x), nan_y = double_is_nan(y);
        bool zeros = !(x << 1) && !(y << 1);
        bool less = zeros ? x >> 63 && !(y >> 63) : double_of(x) < double_of(y);
        bool greater = zeros ? y >> 63 && !(x >> 63) : double_of(x) > double_of(y);
        bool take = !nan_x && (nan_y || (cmp == ISA_CMP_DOUBLE_MIN ? less : greater));
        *first |= take ? lanes_bit.v[i] : 0;
        *second |= nan_x && nan_y ? lanes_bit.v[i] : 0;
    }
}

EXEC_OP(DSETP)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned cmp = isa->mod[ISA_MOD_CMP], bop = isa->mod[ISA_MOD_BOP];
    struct doubles a, b;
    uint32_t first, second, source = operand_predicate(warp, isa->pp);
    if (relation_refused(core, warp, inst))
        return;
    lanes_double(core, warp, inst, &isa->a, &a);
    lanes_double(core, warp, inst, operand_second(isa), &b);
    if (cmp == ISA_CMP_DOUBLE_MIN || cmp == ISA_CMP_DOUBLE_MAX) {
        choose(cmp, &a, &b, &first, &second);
    } else {
        struct lanes r;
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = relation_of(double_of(a.v[i]), double_of(b.v[i])) & cmp;
        first = lanes_mask(r.v);
        second = ~first;
    }
    exec_set_predicate(warp, isa->pu, active, relation_combine(bop, first, source));
    exec_set_predicate(warp, isa->pv, active, relation_combine(bop, second, source));
}

/* Where the comparison holds for the lower and the upper halves; false when refused. */
static bool compare_halves(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t *low,
                           uint32_t *high)
{
    const struct isa_inst *isa = &inst->isa;
    struct half_op how = {.format = isa->mod[ISA_MOD_HALF_FORMAT],
                          .fmz = isa->mod[ISA_MOD_FTZ] ? ISA_FMZ_FTZ : ISA_FMZ_NONE};
    struct pair a, b;
    struct lanes l, h;
    if (relation_refused(core, warp, inst))
        return false;
    if (how.format == ISA_HALF_FORMAT_F32 || how.format > ISA_HALF_FORMAT_BF16_V2) {
        exec_refuse(core, warp, inst, "the format is not simulated");
        return false;
    }
    unpack(core, warp, inst, &isa->a, &how, &a);
    unpack(core, warp, inst, operand_second(isa), &how, &b);
    unsigned cmp = isa->mod[ISA_MOD_CMP];
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        l.v[i] = relation_of((double)float_of(a.low.v[i]), (double)float_of(b.low.v[i])) & cmp;
        h.v[i] = relation_of((double)float_of(a.high.v[i]), (double)float_of(b.high.v[i])) & cmp;
    }
    *low = lanes_mask(l.v);
    *high = lanes_mask(h.v);
    return true;
}

EXEC_OP(HSET2)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t low, high, source = operand_predicate(warp, isa->pp);
    if (!compare_halves(core, warp, inst, &low, &high))
        return;
    unsigned bop = isa->mod[ISA_MOD_BOP];
    low = relation_combine(bop, low, source);
    high = relation_combine(bop, high, source);
    uint32_t one = isa->mod[ISA_MOD_HALF_FORMAT] == ISA_HALF_FORMAT_BF16_V2 ? BF16_ONE : HALF_ONE;
    uint32_t holds = isa->mod[ISA_MOD_BOOLEAN] ? one : 0xffff;
    struct lanes r;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = (low & lanes_bit.v[i] ? holds : 0) | (high & lanes_bit.v[i] ? holds << 16 : 0);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* A predicate for each half; with .H_AND one for both and its opposite. */
EXEC_OP(HSETP2)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t low, high, source = operand_predicate(warp, isa->pp);
    if (!compare_halves(core, warp, inst, &low, &high))
        return;
    if (isa->mod[ISA_MOD_H_AND]) {
        low &= high;
        high = ~low;
    }
    unsigned bop = isa->mod[ISA_MOD_BOP];
    exec_set_predicate(warp, isa->pu, active, relation_combine(bop, low, source));
    exec_set_predicate(warp, isa->pv, active, relation_combine(bop, high, source));
}

/* Rules as of FMNMX. */
static void choose_halves(struct lanes *r, const struct lanes *a, const struct lanes *b, const struct isa_inst *isa,
                          uint32_t minimum)
{
    uint32_t keep = isa->mod[ISA_MOD_XORSIGN] ? 0x7fffffff : UINT32_MAX;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t x = a->v[i] & keep, y = b->v[i] & keep;
        bool less = float_order(x) < float_order(y), nan_x = float_is_nan(x), nan_y = float_is_nan(y);
        uint32_t v = less == ((minimum & lanes_bit.v[i]) != 0) ? x : y;
        v = nan_x ? y : nan_y ? x : v;
        v |= (a->v[i] ^ b->v[i]) & ~keep;
        r->v[i] = (isa->mod[ISA_MOD_NAN] ? nan_x || nan_y : nan_x && nan_y) ? FLOAT_NAN : v;
    }
}

EXEC_OP(HMNMX2)
{
    const struct isa_inst *isa = &inst->isa;
    struct half_op how = {.format = isa->mod[ISA_MOD_HALF_FORMAT],
                          .fmz = isa->mod[ISA_MOD_FTZ] ? ISA_FMZ_FTZ : ISA_FMZ_NONE};
    struct pair a, b;
    struct lanes low, high, r;
    if (how.format == ISA_HALF_FORMAT_F32 || how.format > ISA_HALF_FORMAT_BF16_V2 || isa->mod[ISA_MOD_IS_A]) {
        exec_refuse(core, warp, inst, "the format or .IS_A is not simulated");
        return;
    }
    struct isa_operand first = operand_signed(&isa->a, isa), second = operand_signed(operand_second(isa), isa);
    unpack(core, warp, inst, &first, &how, &a);
    unpack(core, warp, inst, &second, &how, &b);
    uint32_t minimum = operand_predicate(warp, isa->pp);
    choose_halves(&low, &a.low, &b.low, isa, minimum);
    choose_halves(&high, &a.high, &b.high, isa, minimum);
    if (how.format == ISA_HALF_FORMAT_BF16_V2) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = bf16_from_float(low.v[i]) | bf16_from_float(high.v[i]) << 16;
    } else {
        half_row_from_float(low.v, low.v);
        half_row_from_float(high.v, high.v);
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = low.v[i] | high.v[i] << 16;
    }
    lanes_write(warp, isa->d.index, active, r.v);
}
