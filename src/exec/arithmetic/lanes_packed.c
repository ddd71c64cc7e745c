/* FP32 arithmetic on pairs, with half operands, of three operands, across a quad; and the division's check. */
#include "exec/arithmetic/half.h"
#include "exec/arithmetic/lanes_float.h"

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

struct float_pair {
    struct lanes v[2]; /* lower and upper float of each lane */
};

/* Returns false if the choice is not simulated: .NP is not documented. */
static bool read_pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                      const struct isa_operand *op, bool flush, struct float_pair *out)
{
    unsigned choice = op->kind == ISA_IMM ? ISA_PAIR_F32 : op->swizzle;
    if (choice >= ISA_PAIR_INVALID3) {
        exec_refuse(core, warp, inst, "the choice of floats of an operand is not simulated");
        return false;
    }
    struct lanes t[2];
    const uint32_t *low = lanes_word(core, warp, inst, op, 0, &t[0]);
    const uint32_t *high = choice == ISA_PAIR_F32 ? low : lanes_word(core, warp, inst, op, 1, &t[1]);
    const uint32_t *word[2] = {choice == ISA_PAIR_F32X2_LO_HI ? high : low,
                               choice == ISA_PAIR_F32X2_LO_HI ? low : high};
    uint32_t keep = op->flags & ISA_ABS ? 0x7fffffff : UINT32_MAX, flip = op->flags & ISA_NEG ? FLOAT_SIGN : 0;
    for (unsigned w = 0; w < 2; ++w) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint32_t v = (word[w][i] & keep) ^ flip;
            out->v[w].v[i] = flush ? float_flush(v) : v;
        }
    }
    return true;
}

static void write_pair(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, struct float_pair *r,
                       bool flush)
{
    float_finish(r->v[0].v, flush, false);
    float_finish(r->v[1].v, flush, false);
    lanes_write(warp, isa->d.index, active, r->v[0].v);
    if (isa->d.index != ISA_RZ)
        lanes_write(warp, isa->d.index + 1u, active, r->v[1].v);
}

static bool flush_mode(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    if (inst->isa.mod[ISA_MOD_FMZ] <= ISA_FMZ_FTZ)
        return true;
    exec_refuse(core, warp, inst, "the flush mode is not defined");
    return false;
}

static void multiply_add(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c, enum rounding mode)
{
    if (mode != ROUND_NEAREST) {
        rounding_fma(r, a, b, c, mode);
        return;
    }
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_bits(float_fused(float_of(a[i]), float_of(b[i]), float_of(c[i])));
}

static void add(uint32_t *r, const uint32_t *a, const uint32_t *b, enum rounding mode)
{
    if (mode != ROUND_NEAREST) {
        rounding_add(r, a, b, mode);
        return;
    }
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_bits(float_of(a[i]) + float_of(b[i]));
}

EXEC_OP(FADD2)
{
    const struct isa_inst *isa = &inst->isa;
    struct float_pair a, b, r;
    bool flush = isa->mod[ISA_MOD_FTZ];
    if (!read_pair(core, warp, inst, &isa->a, flush, &a) ||
        !read_pair(core, warp, inst, operand_second(isa), flush, &b))
        return;
    for (unsigned w = 0; w < 2; ++w)
        add(r.v[w].v, a.v[w].v, b.v[w].v, isa->mod[ISA_MOD_ROUND] & 3);
    write_pair(warp, isa, active, &r, flush);
}

EXEC_OP(FMUL2)
{
    const struct isa_inst *isa = &inst->isa;
    struct float_pair a, b, r;
    unsigned fmz = isa->mod[ISA_MOD_FMZ];
    bool flush = fmz != ISA_FMZ_NONE;
    if (!flush_mode(core, warp, inst) || !read_pair(core, warp, inst, &isa->a, flush, &a) ||
        !read_pair(core, warp, inst, &isa->b, flush, &b))
        return;
    for (unsigned w = 0; w < 2; ++w) {
        if (fmz == ISA_FMZ_FMZ)
            float_zero_products(a.v[w].v, b.v[w].v);
        rounding_multiply(r.v[w].v, a.v[w].v, b.v[w].v, 1.0, isa->mod[ISA_MOD_ROUND] & 3);
        if (flush)
            float_flush_product(r.v[w].v, a.v[w].v, b.v[w].v, 1.0);
    }
    write_pair(warp, isa, active, &r, flush);
}

EXEC_OP(FFMA2)
{
    const struct isa_inst *isa = &inst->isa;
    struct float_pair a, b, c, r;
    unsigned fmz = isa->mod[ISA_MOD_FMZ];
    bool flush = fmz != ISA_FMZ_NONE;
    if (!flush_mode(core, warp, inst) || !read_pair(core, warp, inst, &isa->a, flush, &a) ||
        !read_pair(core, warp, inst, &isa->b, flush, &b) || !read_pair(core, warp, inst, &isa->c, flush, &c))
        return;
    for (unsigned w = 0; w < 2; ++w) {
        if (fmz == ISA_FMZ_FMZ)
            float_zero_products(a.v[w].v, b.v[w].v);
        multiply_add(r.v[w].v, a.v[w].v, b.v[w].v, c.v[w].v, isa->mod[ISA_MOD_ROUND] & 3);
        if (flush)
            float_flush_fused(r.v[w].v, a.v[w].v, b.v[w].v, c.v[w].v);
    }
    write_pair(warp, isa, active, &r, flush);
}

/* ---- half operands ----------------------------------------------------------------------------------------------- */

/* A half of the operand as a float. */
static void read_half(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                      const struct isa_operand *op, struct lanes *out)
{
    struct lanes t;
    const uint32_t *v = lanes_raw(core, warp, inst, op, &t);
    bool bfloat = inst->isa.mod[ISA_MOD_SRC_TYPE];
    uint32_t keep = op->flags & ISA_ABS ? 0x7fffffff : UINT32_MAX, flip = op->flags & ISA_NEG ? FLOAT_SIGN : 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t h = v[i] >> 16 * op->swizzle & 0xffff;
        out->v[i] = ((bfloat ? bf16_to_float(h) : half_to_float(h)) & keep) ^ flip;
    }
}

EXEC_OP(FHADD)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes a, t, r;
    read_half(core, warp, inst, &isa->a, &a);
    add(r.v, a.v, lanes_float(core, warp, inst, operand_second(isa), &t), isa->mod[ISA_MOD_ROUND] & 3);
    float_finish(r.v, false, isa->mod[ISA_MOD_SAT]);
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(FHFMA)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes a, b, t, r;
    read_half(core, warp, inst, &isa->a, &a);
    read_half(core, warp, inst, &isa->b, &b);
    multiply_add(r.v, a.v, b.v, lanes_float(core, warp, inst, &isa->c, &t), isa->mod[ISA_MOD_ROUND] & 3);
    float_finish(r.v, false, isa->mod[ISA_MOD_SAT]);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* ---- three operands ---------------------------------------------------------------------------------------------- */

static uint32_t choose(uint32_t x, uint32_t y, bool minimum, bool nan_wins)
{
    bool nan_x = float_is_nan(x), nan_y = float_is_nan(y), less = float_order(x) < float_order(y);
    uint32_t v = less == minimum ? x : y;
    v = nan_x ? y : nan_y ? x : v;
    return (nan_wins ? nan_x || nan_y : nan_x && nan_y) ? FLOAT_NAN : v;
}

EXEC_OP(FMNMX3)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_float(core, warp, inst, &isa->c, &t[2]);
    uint32_t minimum = operand_predicate(warp, isa->pp);
    bool flush = isa->mod[ISA_MOD_FTZ], nan_wins = isa->mod[ISA_MOD_NAN];
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t x = flush ? float_flush(a[i]) : a[i], y = flush ? float_flush(b[i]) : b[i];
        uint32_t z = flush ? float_flush(c[i]) : c[i];
        bool least = (minimum & lanes_bit.v[i]) != 0;
        r.v[i] = choose(choose(x, y, least, nan_wins), z, least, nan_wins);
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

/* ---- quads and division ------------------------------------------------------------------------------------------ */

/* Each lane of a quad has two bits that say how A and C are added: A+C, A-C, C-A, C. Lane 0 has the upper two: compiled
 * gradients add nothing in lane 0, whose result they keep. */
EXEC_OP(FSWZADD)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], a, c, r;
    const uint32_t *x = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *y = lanes_float(core, warp, inst, &isa->c, &t[1]);
    bool flush = isa->mod[ISA_MOD_FTZ];
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        unsigned how = isa->mod[ISA_MOD_SIGNS] >> (6 - 2 * (i & 3)) & 3;
        a.v[i] = how == 3 ? FLOAT_SIGN : x[i] ^ (how == 2 ? FLOAT_SIGN : 0);
        c.v[i] = y[i] ^ (how == 1 ? FLOAT_SIGN : 0);
    }
    if (flush) {
        float_flush_row(a.v, a.v);
        float_flush_row(c.v, c.v);
    }
    add(r.v, a.v, c.v, isa->mod[ISA_MOD_ROUND] & 3);
    float_finish(r.v, flush, false);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* Whether A / B needs the slow way. The compiled division refines MUFU.RCP of B by fused multiply-adds, which is exact
 * as long as the reciprocal, the quotient and the remainder A - B * q (down to 2^-47 of A) are normal numbers. The
 * hardware's own limits are not published. The slow way is right for all operands, so that a wider condition than its
 * changes no result. */
static bool divides_slowly(uint32_t a, uint32_t b)
{
    enum { LEAST_A = 50, LEAST_B = 2, MOST_B = 252, MOST_QUOTIENT = 126, SPECIAL = 255 };
    int ea = (int)(a >> 23 & 0xff), eb = (int)(b >> 23 & 0xff), quotient = ea - eb;
    return ea < LEAST_A || ea == SPECIAL || eb < LEAST_B || eb > MOST_B || quotient >= MOST_QUOTIENT ||
           quotient <= 1 - MOST_QUOTIENT;
}

EXEC_OP(FCHK)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, operand_second(isa), &t[1]);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = divides_slowly(a[i], b[i]);
    exec_set_predicate(warp, isa->pu, active, lanes_mask(r.v));
}
