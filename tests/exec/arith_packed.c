/* FP32 on pairs, with half operands, of three operands and across a quad; comparisons of floats and halves; the check
 * of a division. */
#include <math.h>

#include "arith.h"
#include "unit.h"

enum { TRIALS = 3000, F16 = 0, BF16 = 2 };
enum { FLOAT_FLAGS = ISA_NEG | ISA_ABS };

static struct isa_operand pair(struct arith *t, unsigned forms)
{
    struct isa_operand op = arith_operand(t, forms, 2, FLOAT_FLAGS, ARITH_FLOAT);
    if (op.kind != ISA_IMM)
        op.swizzle = (uint8_t)arith_below(t, 3);
    return op;
}

static void make_pairs(struct arith *t, struct isa_inst *i)
{
    bool fma = i->op == ISA_OP_FFMA2, c_varies = arith_below(t, 2);
    i->a = pair(t, ARITH_REG);
    i->b = pair(t, fma && c_varies ? ARITH_REG : ARITH_ANY);
    if (fma)
        i->c = pair(t, c_varies ? ARITH_ANY : ARITH_REG);
    i->d = arith_destination(t, 2);
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
    i->mod[i->op == ISA_OP_FADD2 ? ISA_MOD_FTZ : ISA_MOD_FMZ] = (uint8_t)arith_below(t, i->op == ISA_OP_FADD2 ? 2 : 3);
}

static void pairs_of_floats(void **state)
{
    (void)state;
    arith_try(ISA_OP_FADD2, make_pairs, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_FMUL2, make_pairs, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_FFMA2, make_pairs, ARITH_FLOAT, TRIALS);
}

static void make_halves_beside(struct arith *t, struct isa_inst *i)
{
    bool fma = i->op == ISA_OP_FHFMA;
    i->a = arith_operand(t, ARITH_REG, 1, FLOAT_FLAGS, ARITH_HALF);
    i->a.swizzle = (uint8_t)arith_below(t, 2);
    i->b = arith_operand(t, ARITH_REG | ARITH_UREG, 1, FLOAT_FLAGS, ARITH_HALF);
    if (fma) {
        i->b.swizzle = (uint8_t)arith_below(t, 2);
        i->c = arith_operand(t, ARITH_REG | ARITH_UREG, 1, FLOAT_FLAGS, ARITH_FLOAT);
    }
    i->d = arith_destination(t, 1);
    i->mod[ISA_MOD_SRC_TYPE] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
    i->mod[ISA_MOD_SAT] = arith_below(t, 4) == 0;
}

static void halves_beside_floats(void **state)
{
    (void)state;
    arith_try(ISA_OP_FHADD, make_halves_beside, ARITH_HALF, TRIALS);
    arith_try(ISA_OP_FHADD, make_halves_beside, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_FHFMA, make_halves_beside, ARITH_HALF, TRIALS);
    arith_try(ISA_OP_FHFMA, make_halves_beside, ARITH_BF16, TRIALS);
}

static void make_fmnmx3(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_REG, 1, FLOAT_FLAGS, ARITH_FLOAT);
    i->b = arith_operand(t, ARITH_ANY, 1, FLOAT_FLAGS, ARITH_FLOAT);
    i->c = arith_operand(t, ARITH_REG, 1, FLOAT_FLAGS, ARITH_FLOAT);
    i->d = arith_destination(t, 1);
    i->pp = arith_source(t, false);
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_NAN] = (uint8_t)arith_below(t, 2);
}

static void minimum_and_maximum_of_three(void **state)
{
    (void)state;
    arith_try(ISA_OP_FMNMX3, make_fmnmx3, ARITH_FLOAT, TRIALS);
}

static void make_fswzadd(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_FLOAT);
    i->c = arith_operand(t, ARITH_REG, 1, 0, ARITH_FLOAT);
    i->d = arith_destination(t, 1);
    i->mod[ISA_MOD_SIGNS] = (uint8_t)arith_random(t);
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
}

static void sums_across_a_quad(void **state)
{
    (void)state;
    arith_try(ISA_OP_FSWZADD, make_fswzadd, ARITH_FLOAT, TRIALS);
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

static void make_fset(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_REG, 1, FLOAT_FLAGS, ARITH_FLOAT);
    i->b = arith_operand(t, ARITH_ANY, 1, FLOAT_FLAGS, ARITH_FLOAT);
    i->d = arith_destination(t, 1);
    i->pp = arith_source(t, false);
    i->mod[ISA_MOD_CMP] = (uint8_t)arith_below(t, 16);
    i->mod[ISA_MOD_BOP] = (uint8_t)arith_below(t, 3);
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
}

static struct isa_operand half_operand(struct arith *t, unsigned forms, unsigned format)
{
    static const uint8_t swizzles[] = {0, 0, 2, 3};
    struct isa_operand op = arith_operand(t, forms, 1, FLOAT_FLAGS, format == BF16 ? ARITH_BF16 : ARITH_HALF);
    if (op.kind != ISA_IMM)
        op.swizzle = swizzles[arith_below(t, 4)];
    return op;
}

static void make_half_comparison(struct arith *t, struct isa_inst *i)
{
    unsigned format = arith_below(t, 2) ? BF16 : F16;
    i->a = half_operand(t, ARITH_REG, format);
    i->b = half_operand(t, ARITH_ANY, format);
    i->pp = arith_source(t, false);
    i->mod[ISA_MOD_HALF_FORMAT] = (uint8_t)format;
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
    if (i->op == ISA_OP_HMNMX2) {
        i->mod[ISA_MOD_NAN] = (uint8_t)arith_below(t, 2);
        i->mod[ISA_MOD_XORSIGN] = (uint8_t)arith_below(t, 2);
    } else {
        i->mod[ISA_MOD_CMP] = (uint8_t)arith_below(t, 16);
        i->mod[ISA_MOD_BOP] = (uint8_t)arith_below(t, 3);
    }
    if (i->op != ISA_OP_HSETP2) {
        i->d = arith_destination(t, 1);
        i->mod[ISA_MOD_BOOLEAN] = i->op == ISA_OP_HSET2 && arith_below(t, 2);
        return;
    }
    i->mod[ISA_MOD_H_AND] = (uint8_t)arith_below(t, 2);
    i->pu = arith_target(t, false);
    do {
        i->pv = arith_target(t, false);
    } while (i->pv.index == i->pu.index && i->pu.index != ISA_PT);
}

static void comparisons(void **state)
{
    (void)state;
    arith_try(ISA_OP_FSET, make_fset, ARITH_FLOAT, TRIALS);
    for (unsigned kind = ARITH_HALF; kind <= ARITH_BF16; ++kind) {
        arith_try(ISA_OP_HSET2, make_half_comparison, (enum arith_values)kind, TRIALS);
        arith_try(ISA_OP_HSETP2, make_half_comparison, (enum arith_values)kind, TRIALS);
        arith_try(ISA_OP_HMNMX2, make_half_comparison, (enum arith_values)kind, TRIALS);
    }
}

/* ---- division ---------------------------------------------------------------------------------------------------- */

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The compiled division's fast way, from the nearest reciprocal, which MUFU gives. */
static float divide(float a, float b)
{
    float r = 1.0f / b;
    r = fmaf(r, fmaf(-b, r, 1.0f), r);
    float q = fmaf(a, r, 0.0f);
    q = fmaf(r, fmaf(-b, q, a), q);
    return fmaf(r, fmaf(-b, q, a), q);
}

static void fchk_lets_the_fast_division_have_only_what_it_divides_exactly(void **state)
{
    (void)state;
    struct arith *t = arith_create(31);
    unsigned fast = 0;
    for (unsigned k = 0; k < 20000; ++k) {
        for (unsigned r = 0; r < 2; ++r)
            for (unsigned i = 0; i < EXEC_LANES; ++i)
                t->reg[r][i] = arith_value(t, ARITH_FLOAT);
        struct isa_inst *inst = arith_begin(t, ISA_OP_FCHK);
        inst->a = arith_register(0);
        inst->b = arith_register(1);
        inst->pu = (struct isa_predicate){.index = 2, .present = true};
        arith_run(t, exec_table(), UINT32_MAX);
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            float a = as_float(t->reg[0][i]), b = as_float(t->reg[1][i]), want = a / b;
            if (t->warp.pred[2] >> i & 1)
                continue;
            ++fast;
            if (divide(a, b) != want)
                fail_msg("%a / %a", (double)a, (double)b);
        }
    }
    assert_true(fast > 10000);
    arith_destroy(t);
}

UNIT_TESTS(UNIT(pairs_of_floats), UNIT(halves_beside_floats), UNIT(minimum_and_maximum_of_three),
           UNIT(sums_across_a_quad), UNIT(comparisons),
           UNIT(fchk_lets_the_fast_division_have_only_what_it_divides_exactly))
