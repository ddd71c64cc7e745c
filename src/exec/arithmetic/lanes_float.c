/* FP32 arithmetic, minimum, maximum and selection. */
#include "exec/arithmetic/lanes_float.h"

/* ---- nothing but the operation, to nearest (exec_inst.plain) ----------------------------------------------------- */

/* Functions of their own: an executor only chooses, without a frame. */
#define PLAIN static __attribute__((noinline)) void
#define ANY static __attribute__((noinline)) void

static inline void add_rows(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_canonical(float_bits(float_of(a[i]) + float_of(b[i])));
}

static inline void multiply_rows(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_canonical(float_bits(float_of(a[i]) * float_of(b[i])));
}

static inline void fused_rows(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b,
                              const uint32_t *restrict c)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_canonical(float_bits(float_fused(float_of(a[i]), float_of(b[i]), float_of(c[i]))));
}

PLAIN add_plain(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, operand_second(isa), &t[1]);
    add_rows(r.v, a, b);
    lanes_write(warp, isa->d.index, active, r.v);
}

PLAIN multiply_plain(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, &isa->b, &t[1]);
    multiply_rows(r.v, a, b);
    lanes_write(warp, isa->d.index, active, r.v);
}

PLAIN fused_plain(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_float(core, warp, inst, &isa->c, &t[2]);
    fused_rows(r.v, a, b, c);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* ---- all forms --------------------------------------------------------------------------------------------------- */

ANY add_any(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], flushed[2], r;
    bool flush = isa->mod[ISA_MOD_FTZ];
    enum rounding mode = isa->mod[ISA_MOD_ROUND] & 3;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, operand_second(isa), &t[1]);
    if (flush) {
        float_flush_row(flushed[0].v, a);
        float_flush_row(flushed[1].v, b);
        a = flushed[0].v;
        b = flushed[1].v;
    }
    if (mode != ROUND_NEAREST) {
        rounding_add(r.v, a, b, mode);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = float_bits(float_of(a[i]) + float_of(b[i]));
    }
    float_finish(r.v, flush, isa->mod[ISA_MOD_SAT]);
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(FADD) { (inst->plain ? add_plain : add_any)(core, warp, inst, active); }

/* The factors, flushed as FMZ or FTZ asks. */
static void factors(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct lanes t[2],
                    struct lanes flushed[2], const uint32_t *out[2])
{
    const struct isa_inst *isa = &inst->isa;
    out[0] = lanes_float(core, warp, inst, &isa->a, &t[0]);
    out[1] = lanes_float(core, warp, inst, &isa->b, &t[1]);
    unsigned fmz = isa->mod[ISA_MOD_FMZ];
    if (fmz == ISA_FMZ_NONE)
        return;
    float_flush_row(flushed[0].v, out[0]);
    float_flush_row(flushed[1].v, out[1]);
    if (fmz == ISA_FMZ_FMZ)
        float_zero_products(flushed[0].v, flushed[1].v);
    out[0] = flushed[0].v;
    out[1] = flushed[1].v;
}

ANY multiply_any(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    static const float scales[8] = {
        [ISA_SCALE_D8] = 0.125f, [ISA_SCALE_D4] = 0.25f, [ISA_SCALE_D2] = 0.5f, [ISA_SCALE_NONE] = 1,
        [ISA_SCALE_M2] = 2,      [ISA_SCALE_M4] = 4,     [ISA_SCALE_M8] = 8};
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], flushed[2], r;
    unsigned scale = isa->mod[ISA_MOD_SCALE];
    enum rounding mode = isa->mod[ISA_MOD_ROUND] & 3;
    if (scale == 0 || scale > 7 || isa->mod[ISA_MOD_FMZ] > ISA_FMZ_FTZ) {
        exec_refuse(core, warp, inst, "the scale or flush mode is not defined");
        return;
    }
    const uint32_t *ab[2];
    factors(core, warp, inst, t, flushed, ab);
    const uint32_t *a = ab[0], *b = ab[1];
    if (mode != ROUND_NEAREST) {
        rounding_multiply(r.v, a, b, (double)scales[scale], mode);
    } else if (scale != ISA_SCALE_NONE) {
        double factor = (double)scales[scale];
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = float_bits((float)((double)float_of(a[i]) * (double)float_of(b[i]) * factor));
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = float_bits(float_of(a[i]) * float_of(b[i]));
    }
    if (isa->mod[ISA_MOD_FMZ] != ISA_FMZ_NONE)
        float_flush_product(r.v, a, b, (double)scales[scale]);
    float_finish(r.v, isa->mod[ISA_MOD_FMZ] != ISA_FMZ_NONE, isa->mod[ISA_MOD_SAT]);
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(FMUL) { (inst->plain ? multiply_plain : multiply_any)(core, warp, inst, active); }

ANY fused_any(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], flushed[3], r;
    enum rounding mode = isa->mod[ISA_MOD_ROUND] & 3;
    bool flush = isa->mod[ISA_MOD_FMZ] != ISA_FMZ_NONE;
    if (isa->mod[ISA_MOD_FMZ] > ISA_FMZ_FTZ) {
        exec_refuse(core, warp, inst, "the flush mode is not defined");
        return;
    }
    const uint32_t *ab[2], *c = lanes_float(core, warp, inst, &isa->c, &t[2]);
    factors(core, warp, inst, t, flushed, ab);
    const uint32_t *a = ab[0], *b = ab[1];
    if (flush) {
        float_flush_row(flushed[2].v, c);
        c = flushed[2].v;
    }
    if (mode != ROUND_NEAREST) {
        rounding_fma(r.v, a, b, c, mode);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = float_bits(float_fused(float_of(a[i]), float_of(b[i]), float_of(c[i])));
    }
    if (flush)
        float_flush_fused(r.v, a, b, c);
    float_finish(r.v, flush, isa->mod[ISA_MOD_SAT]);
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(FFMA) { (inst->plain ? fused_plain : fused_any)(core, warp, inst, active); }

/* A NaN loses against a number (PTX ISA, min and max) unless .NAN. Both NaN give NaN; -0 is less than +0. With .XORSIGN
 * the magnitudes compete and the sign is the product of the signs that the operands have before |x| (PTX ISA, min). */
EXEC_OP(FMNMX)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], x, y, r;
    if (isa->mod[ISA_MOD_IS_A]) {
        exec_refuse(core, warp, inst, "which operand .IS_A names between equal ones is not known");
        return;
    }
    struct isa_operand first = operand_signed(&isa->a, isa), second = operand_signed(operand_second(isa), isa);
    const uint32_t *a = lanes_float(core, warp, inst, &first, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, &second, &t[1]);
    uint32_t minimum = operand_predicate(warp, isa->pp);
    bool flush = isa->mod[ISA_MOD_FTZ], nan_wins = isa->mod[ISA_MOD_NAN];
    uint32_t keep = isa->mod[ISA_MOD_XORSIGN] ? 0x7fffffff : UINT32_MAX;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        x.v[i] = (flush ? float_flush(a[i]) : a[i]) & keep;
        y.v[i] = (flush ? float_flush(b[i]) : b[i]) & keep;
    }
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        bool less = float_order(x.v[i]) < float_order(y.v[i]);
        uint32_t low = less ? x.v[i] : y.v[i], high = less ? y.v[i] : x.v[i];
        uint32_t v = minimum & lanes_bit.v[i] ? low : high;
        bool nan_x = float_is_nan(x.v[i]), nan_y = float_is_nan(y.v[i]);
        v = nan_x ? y.v[i] : v;
        v = nan_y ? x.v[i] : v;
        v |= (a[i] ^ b[i]) & ~keep;
        v = (nan_wins ? nan_x || nan_y : nan_x && nan_y) ? FLOAT_NAN : v;
        r.v[i] = v;
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

/* Moves bits: a NaN keeps its payload. */
EXEC_OP(FSEL)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, operand_second(isa), &t[1]);
    uint32_t take = operand_predicate(warp, isa->pp);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = take & lanes_bit.v[i] ? a[i] : b[i];
    if (isa->mod[ISA_MOD_FTZ]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = float_flush(r.v[i]);
    }
    lanes_write(warp, isa->d.index, active, r.v);
}
