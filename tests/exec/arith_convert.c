/* Conversions against the oracle. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 8000 };
enum { U8, S8, U16, S16, U32, S32, U64, S64 };
enum { F16 = 1, F32, F64, BF16 };

static void make_i2f(struct arith *t, struct isa_inst *i)
{
    unsigned type = arith_below(t, 8), format = 1 + arith_below(t, 4);
    i->b = arith_operand(t, ARITH_ANY, type >= U64 ? 2 : 1, 0, ARITH_INTEGER);
    if (type <= S8)
        i->b.swizzle = (uint8_t)arith_below(t, 4);
    else if (type <= S16)
        i->b.swizzle = (uint8_t)arith_below(t, 2);
    i->d = arith_destination(t, format == F64 ? 2 : 1);
    i->mod[ISA_MOD_SRC_TYPE] = (uint8_t)type;
    i->mod[ISA_MOD_DST_TYPE] = (uint8_t)format;
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
}

static void i2f(void **state)
{
    (void)state;
    arith_try(ISA_OP_I2F, make_i2f, ARITH_INTEGER, TRIALS);
}

static void make_i2fp(struct arith *t, struct isa_inst *i)
{
    i->b = arith_operand(t, ARITH_ANY, 1, 0, ARITH_INTEGER);
    i->d = arith_destination(t, 1);
    i->mod[ISA_MOD_SRC_TYPE] = (uint8_t)(U32 + arith_below(t, 2));
    i->mod[ISA_MOD_DST_TYPE] = F32;
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
}

static void i2fp(void **state)
{
    (void)state;
    arith_try(ISA_OP_I2FP, make_i2fp, ARITH_INTEGER, TRIALS);
}

static void make_f2i_of(struct arith *t, struct isa_inst *i, unsigned format, enum arith_values kind)
{
    unsigned type = arith_below(t, 8);
    i->b = arith_operand(t, ARITH_ANY, format == F64 ? 2 : 1, ISA_NEG | ISA_ABS, kind);
    if (format == F16 || format == BF16)
        i->b.swizzle = (uint8_t)arith_below(t, 2);
    i->d = arith_destination(t, type >= U64 ? 2 : 1);
    i->mod[ISA_MOD_SRC_TYPE] = (uint8_t)format;
    i->mod[ISA_MOD_DST_TYPE] = (uint8_t)type;
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_NTZ] = (uint8_t)arith_below(t, 2);
}

static void make_f2i_f16(struct arith *t, struct isa_inst *i) { make_f2i_of(t, i, F16, ARITH_HALF); }
static void make_f2i_bf16(struct arith *t, struct isa_inst *i) { make_f2i_of(t, i, BF16, ARITH_BF16); }
static void make_f2i_f32(struct arith *t, struct isa_inst *i) { make_f2i_of(t, i, F32, ARITH_FLOAT); }
static void make_f2i_f64(struct arith *t, struct isa_inst *i) { make_f2i_of(t, i, F64, ARITH_DOUBLE); }

static void f2i(void **state)
{
    (void)state;
    arith_try(ISA_OP_F2I, make_f2i_f16, ARITH_HALF, TRIALS);
    arith_try(ISA_OP_F2I, make_f2i_bf16, ARITH_BF16, TRIALS);
    arith_try(ISA_OP_F2I, make_f2i_f32, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_F2I, make_f2i_f64, ARITH_DOUBLE, TRIALS);
}

/* Halves between integers and the ends of the ranges. */
static void f2i_ties_and_limits(void **state)
{
    (void)state;
    struct arith *t = arith_create(5);
    for (unsigned k = 0; k < 4000; ++k) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            float f = (float)(int32_t)(arith_random(t) >> arith_below(t, 32)) / 4.0f;
            memcpy(&t->reg[0][i], &f, sizeof f);
            t->reg[0][i] ^= arith_random(t) & 0x80000001;
        }
        make_f2i_f32(t, arith_begin(t, ISA_OP_F2I));
        t->inst.isa.b = arith_register(0);
        arith_check(t, UINT32_MAX);
    }
    arith_destroy(t);
}

UNIT_TESTS(UNIT(i2f), UNIT(i2fp), UNIT(f2i), UNIT(f2i_ties_and_limits))
