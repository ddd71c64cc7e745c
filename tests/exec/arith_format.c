/* Conversions between floating-point formats against a search for the nearest neighbour. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 3000 };
enum { F16 = 1, F32, F64, BF16 };

static enum arith_values kind_of(unsigned type)
{
    return type == F16 ? ARITH_HALF : type == BF16 ? ARITH_BF16 : type == F32 ? ARITH_FLOAT : ARITH_DOUBLE;
}

static void make_of(struct arith *t, struct isa_inst *i, unsigned from, unsigned to)
{
    i->b = arith_operand(t, ARITH_ANY, from == F64 ? 2 : 1, ISA_NEG | ISA_ABS, kind_of(from));
    if (from == F16 || from == BF16)
        i->b.swizzle = (uint8_t)arith_below(t, 2);
    i->d = arith_destination(t, to == F64 ? 2 : 1);
    i->mod[ISA_MOD_SRC_TYPE] = (uint8_t)from;
    i->mod[ISA_MOD_DST_TYPE] = (uint8_t)to;
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
}

static void from_f16(struct arith *t, struct isa_inst *i) { make_of(t, i, F16, 1 + arith_below(t, 4)); }
static void from_bf16(struct arith *t, struct isa_inst *i) { make_of(t, i, BF16, 1 + arith_below(t, 4)); }
static void from_f32(struct arith *t, struct isa_inst *i) { make_of(t, i, F32, 1 + arith_below(t, 4)); }
static void from_f64(struct arith *t, struct isa_inst *i) { make_of(t, i, F64, 1 + arith_below(t, 4)); }

static void f2f_rounds_once_in_every_mode(void **state)
{
    (void)state;
    arith_try(ISA_OP_F2F, from_f16, ARITH_HALF, TRIALS);
    arith_try(ISA_OP_F2F, from_bf16, ARITH_BF16, TRIALS);
    arith_try(ISA_OP_F2F, from_f32, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_F2F, from_f64, ARITH_DOUBLE, TRIALS);
}

/* Doubles whose exponents are those of the narrow formats, with mantissas on and beside ties. */
static void f2f_breaks_ties_as_the_mode_says(void **state)
{
    (void)state;
    struct arith *t = arith_create(21);
    for (unsigned k = 0; k < TRIALS; ++k) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint32_t exponent = arith_below(t, 2) ? 1023 - 30 + arith_below(t, 60) : 1023 - 155 + arith_below(t, 310);
            uint64_t m = (uint64_t)arith_random(t) << 20 & (0 - (UINT64_C(1) << (8 + arith_below(t, 44))));
            m = (m + arith_below(t, 3) - 1) & ((UINT64_C(1) << 52) - 1);
            uint64_t v = (uint64_t)(arith_random(t) & 1) << 63 | (uint64_t)exponent << 52 | m;
            t->reg[0][i] = (uint32_t)v;
            t->reg[1][i] = (uint32_t)(v >> 32);
        }
        from_f64(t, arith_begin(t, ISA_OP_F2F));
        t->inst.isa.b = arith_register(0);
        t->inst.isa.b.words = 2;
        arith_check(t, UINT32_MAX);
    }
    arith_destroy(t);
}

static void round_f16(struct arith *t, struct isa_inst *i) { make_of(t, i, F16, F16); }
static void round_bf16(struct arith *t, struct isa_inst *i) { make_of(t, i, BF16, BF16); }
static void round_f32(struct arith *t, struct isa_inst *i) { make_of(t, i, F32, F32); }
static void round_f64(struct arith *t, struct isa_inst *i) { make_of(t, i, F64, F64); }

/* Measured on an H200 of halves. */
static void frnd_with_ftz_flushes_its_operand(void **state)
{
    enum { UP = 2 };
    (void)state;
    struct arith *t = arith_create(2);
    for (unsigned flush = 0; flush < 2; flush++) {
        round_f16(t, arith_begin(t, ISA_OP_FRND));
        t->inst.isa.b = arith_register(0);
        t->inst.isa.d = arith_register(1);
        t->inst.isa.mod[ISA_MOD_ROUND] = UP;
        t->inst.isa.mod[ISA_MOD_FTZ] = (uint8_t)flush;
        t->reg[0][9] = 0x03ff;
        arith_run(t, exec_table(), UINT32_MAX);
        assert_int_equal(t->reg[1][9], flush ? 0 : 0x3c00);
    }
    arith_destroy(t);
}

static void frnd_gives_integral_values(void **state)
{
    (void)state;
    arith_try(ISA_OP_FRND, round_f16, ARITH_HALF, TRIALS);
    arith_try(ISA_OP_FRND, round_bf16, ARITH_BF16, TRIALS);
    arith_try(ISA_OP_FRND, round_f32, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_FRND, round_f64, ARITH_DOUBLE, TRIALS);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

enum { AB, MERGE_C, UNPACK_B, B, UNPACK_B_MERGE_C, AB_MERGE_C };

static void make_pack(struct arith *t, struct isa_inst *i)
{
    static const uint8_t narrow[] = {3, 6, 7, 8, 9, 12}, sources[] = {2, 3, 5, 6, 7, 11};
    unsigned pack = arith_below(t, 6);
    bool to_half = pack <= UNPACK_B, from_half = pack == UNPACK_B_MERGE_C;
    i->mod[ISA_MOD_PACK] = (uint8_t)pack;
    i->mod[ISA_MOD_TO_FORMAT] = (uint8_t)(to_half ? arith_below(t, 2) : pack == B ? 5 : narrow[arith_below(t, 6)]);
    i->mod[ISA_MOD_FROM_FORMAT] = (uint8_t)(pack == UNPACK_B ? sources[arith_below(t, 6)]
                                            : from_half      ? 1 + 8 * arith_below(t, 2)
                                                             : 0);
    i->mod[ISA_MOD_ROUND] = (uint8_t)(i->mod[ISA_MOD_TO_FORMAT] == 12 ? 2 + arith_below(t, 2) : 3 * arith_below(t, 2));
    i->mod[ISA_MOD_SAT] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_RELU] = (uint8_t)arith_below(t, 2);
    i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_FLOAT);
    i->b = arith_operand(t, ARITH_ANY, 1, 0, ARITH_FLOAT);
    i->c = arith_operand(t, ARITH_REG, 1, 0, ARITH_FLOAT);
    i->d = arith_destination(t, 1);
    if (pack == UNPACK_B)
        i->b.swizzle = (uint8_t)arith_below(t, i->mod[ISA_MOD_FROM_FORMAT] == 5 ? 4 : 2);
    if (pack == MERGE_C || (pack >= UNPACK_B_MERGE_C && i->mod[ISA_MOD_TO_FORMAT] != 3))
        i->c.swizzle = (uint8_t)arith_below(t, 2);
}

static void f2fp_packs_every_format(void **state)
{
    (void)state;
    arith_try(ISA_OP_F2FP, make_pack, ARITH_FLOAT, 4 * TRIALS);
    arith_try(ISA_OP_F2FP, make_pack, ARITH_HALF, TRIALS);
}

/* Floats as large as the narrow formats' numbers, on and beside ties. */
static void f2fp_breaks_ties_to_even_and_saturates(void **state)
{
    (void)state;
    struct arith *t = arith_create(23);
    for (unsigned k = 0; k < 2 * TRIALS; ++k) {
        for (unsigned r = 0; r < 2; ++r)
            for (unsigned i = 0; i < EXEC_LANES; ++i)
                t->reg[r][i] = (arith_random(t) & 0x80000000) + (127 - 20 + arith_below(t, 40)) * 0x800000 +
                               (arith_below(t, 64) << 17) + arith_below(t, 3) - 1;
        make_pack(t, arith_begin(t, ISA_OP_F2FP));
        t->inst.isa.a = arith_register(0);
        t->inst.isa.b = arith_register(1);
        arith_check(t, UINT32_MAX);
    }
    arith_destroy(t);
}

static void make_f2ip(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_FLOAT);
    i->b = arith_operand(t, ARITH_ANY, 1, 0, ARITH_FLOAT);
    i->c = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
    i->c.swizzle = (uint8_t)arith_below(t, 2);
    i->d = arith_destination(t, 1);
    i->mod[ISA_MOD_DST_TYPE] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_ROUND] = (uint8_t)(3 * arith_below(t, 2));
    i->mod[ISA_MOD_NTZ] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_RELU] = (uint8_t)arith_below(t, 2);
}

static void f2ip_packs_saturated_bytes(void **state)
{
    (void)state;
    arith_try(ISA_OP_F2IP, make_f2ip, ARITH_FLOAT, TRIALS);
}

/* A format by its bits, for numbers that are normal in it. */
struct narrow {
    uint8_t code, mantissa, bias, random; /* as TO_FORMAT has it; bits of mantissa; of exponent bias; random bits */
    uint16_t largest;
    uint8_t sign; /* place of the sign */
};

static const struct narrow formats[] = {
    {0, 10, 15, 13, 0x7bff, 15}, {1, 7, 127, 16, 0x7f7f, 15}, {8, 2, 15, 8, 0x7b, 7}, {9, 3, 7, 8, 0x7e, 7},
    {7, 2, 3, 8, 0x1f, 5},       {6, 3, 1, 8, 0x1f, 5},       {3, 1, 1, 4, 7, 3}};

/* The random bits are added behind the last bit that stays. The bits that the carry leaves are cut. */
static uint32_t stochastic(const struct narrow *f, uint32_t v, uint32_t random, bool relu)
{
    unsigned dropped = 23 - f->mantissa;
    uint32_t sum = (v & 0x7fffffff) + ((random & ((1u << f->random) - 1)) << (dropped - f->random));
    uint32_t code = (sum - ((127u - f->bias) << 23)) >> dropped;
    code = code > f->largest ? f->largest : code;
    return v >> 31 ? relu ? 0 : code | 1u << f->sign : code;
}

static void f2fp_rounds_by_the_carry_of_random_bits(void **state)
{
    (void)state;
    struct arith *t = arith_create(29);
    for (unsigned k = 0; k < TRIALS; ++k) {
        const struct narrow *f = &formats[k % (sizeof formats / sizeof *formats)];
        struct isa_inst *i = arith_begin(t, ISA_OP_F2FP);
        uint32_t range = (uint32_t)(f->largest >> f->mantissa) + (f->code != 1), least = 128u - f->bias;
        bool merges = f->code > 1, relu = arith_below(t, 2);
        for (unsigned r = 0; r < 2; ++r)
            for (unsigned lane = 0; lane < EXEC_LANES; ++lane)
                t->reg[r][lane] = (arith_random(t) & 0x807fffff) | (least + arith_below(t, range)) << 23;
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane)
            t->reg[2][lane] = arith_random(t);
        i->a = arith_register(0);
        i->b = arith_register(1);
        i->c = arith_register(2);
        i->d = arith_register(3);
        i->mod[ISA_MOD_TO_FORMAT] = f->code;
        i->mod[ISA_MOD_PACK] = merges ? AB_MERGE_C : AB;
        i->mod[ISA_MOD_STOCHASTIC] = i->mod[ISA_MOD_SAT] = 1;
        i->mod[ISA_MOD_RELU] = relu;
        arith_run(t, exec_table(), UINT32_MAX);
        assert_string_equal(t->core.fault.text, "");
        unsigned width = f->code == 3 ? 4 : merges ? 8 : 16, top = 32 - f->random;
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
            uint32_t c = t->reg[2][lane], first = merges ? c >> top : c >> 16,
                     second = merges ? c >> (top - f->random) : c;
            uint32_t expected =
                stochastic(f, t->reg[1][lane], second, relu) | stochastic(f, t->reg[0][lane], first, relu) << width;
            expected |= merges ? c << 2 * width : 0;
            if (t->reg[3][lane] != expected)
                fail_msg("format %u: %08x and %08x with %08x are %08x, not %08x", f->code, t->reg[0][lane],
                         t->reg[1][lane], c, t->reg[3][lane], expected);
        }
    }
    arith_destroy(t);
}

UNIT_TESTS(UNIT(f2f_rounds_once_in_every_mode), UNIT(f2f_breaks_ties_as_the_mode_says),
           UNIT(frnd_gives_integral_values), UNIT(frnd_with_ftz_flushes_its_operand), UNIT(f2fp_packs_every_format),
           UNIT(f2fp_breaks_ties_to_even_and_saturates), UNIT(f2fp_rounds_by_the_carry_of_random_bits),
           UNIT(f2ip_packs_saturated_bytes))
