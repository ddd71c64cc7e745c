/* MUFU against long double: half a unit in the last place, and exactly so at the special values. */
#include <math.h>

#include "arith.h"
#include "unit.h"

enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH };

static uint32_t run_one(struct arith *t, unsigned function, uint32_t bits)
{
    struct isa_inst *i = arith_begin(t, ISA_OP_MUFU);
    i->d = arith_register(2);
    i->b = arith_register(1);
    i->mod[ISA_MOD_FUNCTION] = (uint8_t)function;
    t->reg[1][3] = bits;
    arith_run(t, exec_table(), 1u << 3);
    assert_int_equal(t->core.fault.code, STATUS_OK);
    return t->reg[2][3];
}

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static const long double two_pi = 6.28318530717958647692528676655900576839L;

static long double exact(unsigned function, long double x)
{
    switch (function) {
    case COS: return cosl(two_pi * (x - rintl(x)));
    case SIN: return sinl(two_pi * (x - rintl(x)));
    case EX2: return exp2l(x);
    case LG2: return log2l(x);
    case RCP: return 1 / x;
    case RSQ: return 1 / sqrtl(x);
    case SQRT: return sqrtl(x);
    default: return tanhl(x);
    }
}

static void check_near(struct arith *t, unsigned function, uint32_t bits)
{
    long double want = exact(function, (long double)as_float(bits));
    uint32_t got_bits = run_one(t, function, bits);
    long double got = (long double)as_float(got_bits);
    if (fabsl(want) < 0x1p-126L) {
        if ((got_bits & 0x7fffffff) != 0 && (got_bits & 0x7fffffff) != 0x00800000)
            fail_msg("function %u of %08x is %08x, should be flushed", function, bits, got_bits);
        return;
    }
    if (want >= 0x1.ffffffp127L) {
        assert_int_equal(got_bits, 0x7f800000);
        return;
    }
    int exponent;
    frexpl(want, &exponent);
    long double unit = ldexpl(1, exponent - 24);
    /* Near the zeros of sine and cosine the reference's own pi is the limit. */
    long double slack = function <= SIN ? 0x1p-60L : 0;
    if (!(fabsl(got - want) <= 0.5001L * unit + slack))
        fail_msg("function %u of %08x is %08x: %La, should be %La", function, bits, got_bits, got, want);
}

static void values_are_rounded_to_nearest(void **state)
{
    (void)state;
    struct arith *t = arith_create(3);
    for (unsigned k = 0; k < 40000; ++k) {
        uint32_t normal = (arith_random(t) & 0x007fffff) | (1 + arith_below(t, 254)) << 23;
        uint32_t sign = arith_random(t) & 0x80000000;
        uint32_t turn = (arith_random(t) & 0x007fffff) | (100 + arith_below(t, 40)) << 23;
        uint32_t power = (arith_random(t) & 0x007fffff) | (100 + arith_below(t, 34)) << 23;
        check_near(t, RCP, normal | sign);
        check_near(t, RSQ, normal);
        check_near(t, SQRT, normal);
        check_near(t, LG2, normal);
        check_near(t, LG2, 0x3f000000 + (arith_random(t) & 0x00ffffff));
        check_near(t, EX2, power | sign);
        check_near(t, SIN, turn | sign);
        check_near(t, COS, turn | sign);
        check_near(t, TANH, turn | sign);
    }
    arith_destroy(t);
}

/* Every exponent of the domain, mantissas from one end to the other. */
static void every_exponent_is_rounded_to_nearest(void **state)
{
    (void)state;
    struct arith *t = arith_create(7);
    for (uint32_t exponent = 1; exponent < 255; ++exponent) {
        for (uint32_t k = 0; k < 64; ++k) {
            uint32_t bits = exponent << 23 | k << 17 | (arith_random(t) & 0x1ffff), sign = (k & 1) << 31;
            check_near(t, RCP, bits | sign);
            check_near(t, RSQ, bits);
            check_near(t, SQRT, bits);
            check_near(t, LG2, bits);
            check_near(t, TANH, bits | sign);
            if (exponent < 127 + 7)
                check_near(t, EX2, bits | sign);
            if (exponent >= 100 && exponent < 127 + 24) {
                check_near(t, SIN, bits | sign);
                check_near(t, COS, bits | sign);
            }
        }
    }
    arith_destroy(t);
}

enum { F16 = 1, BF16 };

static double half_value(unsigned type, uint32_t half)
{
    int exponent = (int)(half >> (type == F16 ? 10 : 7) & (type == F16 ? 31 : 255)), most = type == F16 ? 31 : 255;
    unsigned mantissa = type == F16 ? 10 : 7;
    double m = half & ((1u << mantissa) - 1);
    int scale = (exponent ? exponent : 1) - (type == F16 ? 15 : 127) - (int)mantissa;
    double v = exponent == most ? (m != 0 ? (double)NAN : (double)INFINITY)
                                : ldexp(exponent ? m + (1u << mantissa) : m, scale);
    return half >> 15 ? -v : v;
}

/* All halves of both types: the nearest one, within half of the distance to the next. */
static void halves_are_rounded_to_nearest(void **state)
{
    (void)state;
    struct arith *t = arith_create(8);
    for (uint32_t half = 0; half < 0x20000; ++half) {
        unsigned type = half >> 16 ? BF16 : F16, function = half & 1 ? EX2 : TANH;
        struct isa_inst *i = arith_begin(t, ISA_OP_MUFU);
        i->d = arith_register(2);
        i->b = arith_register(1);
        i->b.swizzle = half >> 1 & 1;
        i->mod[ISA_MOD_FUNCTION] = (uint8_t)function;
        i->mod[ISA_MOD_DST_TYPE] = (uint8_t)type;
        t->reg[1][3] = (half & 0xffff) << 16 * i->b.swizzle;
        arith_run(t, exec_table(), 1u << 3);
        double x = half_value(type, half & 0xffff), got = half_value(type, t->reg[2][3]);
        double want = function == EX2 ? exp2(x) : tanh(x);
        if (isnan(x)) {
            assert_int_equal(t->reg[2][3], 0x7fff);
            continue;
        }
        double largest = type == F16 ? 65520.0 : 0x1.ffp127;
        if (want >= largest) {
            assert_true(isinf(got));
            continue;
        }
        int exponent;
        frexp(want, &exponent);
        int lowest = type == F16 ? -24 : function == EX2 ? -126 : -133;
        int step = exponent - (type == F16 ? 11 : 8);
        double unit = ldexp(1.0, step > lowest ? step : lowest);
        if (!(fabs(got - want) <= (unit == 0x1p-126 ? 1.0 : 0.5) * unit))
            fail_msg("type %u function %u of %04x is %04x", type, function, half & 0xffff, t->reg[2][3]);
    }
    arith_destroy(t);
}

static void special_values(void **state)
{
    (void)state;
    enum { Z = 0, NZ = 0x80000000, INF = 0x7f800000, NAN_ = 0x7fffffff, ONE = 0x3f800000, TINY = 0x007fffff };
    static const struct {
        uint8_t function;
        uint32_t x, r;
    } cases[] = {
        {RCP, Z, INF},
        {RCP, NZ, 0xff800000},
        {RCP, INF, Z},
        {RCP, 0xff800000, NZ},
        {RCP, TINY, INF},
        {RCP, 0x80000001, 0xff800000},
        {RCP, 0x7f7fffff, Z},
        {RCP, 0xff7fffff, NZ},
        {RCP, 0x40000000, 0x3f000000},
        {RSQ, Z, INF},
        {RSQ, NZ, 0xff800000},
        {RSQ, INF, Z},
        {RSQ, 0xbf800000, NAN_},
        {RSQ, 0x40800000, 0x3f000000},
        {RSQ, TINY, INF},
        {SQRT, Z, Z},
        {SQRT, NZ, NZ},
        {SQRT, INF, INF},
        {SQRT, 0xbf800000, NAN_},
        {SQRT, 0x40800000, 0x40000000},
        {SQRT, 0x80000001, NZ},
        {EX2, Z, ONE},
        {EX2, NZ, ONE},
        {EX2, TINY, ONE},
        {EX2, INF, INF},
        {EX2, 0xff800000, Z},
        {EX2, 0x43000000, INF},
        {EX2, 0xc2fc0000, 0x00800000},
        {EX2, 0xc2fe0000, Z},
        {EX2, 0x40400000, 0x41000000},
        {LG2, Z, 0xff800000},
        {LG2, NZ, 0xff800000},
        {LG2, TINY, 0xff800000},
        {LG2, INF, INF},
        {LG2, 0xbf800000, NAN_},
        {LG2, ONE, Z},
        {LG2, 0x41000000, 0x40400000},
        {SIN, Z, Z},
        {SIN, NZ, NZ},
        {SIN, INF, NAN_},
        {SIN, 0x3e800000, ONE},
        {SIN, 0x3f400000, 0xbf800000},
        {COS, Z, ONE},
        {COS, INF, NAN_},
        {COS, ONE, ONE},
        {COS, 0x3f000000, 0xbf800000},
        {COS, TINY, ONE},
        {TANH, Z, Z},
        {TANH, NZ, NZ},
        {TANH, INF, ONE},
        {TANH, 0xff800000, 0xbf800000},
        {RCP64H, Z, 0x7ff00000},
        {RCP64H, NZ, 0xfff00000},
        {RCP64H, 0x7ff00000, Z},
        {RCP64H, 0x40000000, 0x3fe00000},
        {RCP64H, 0x000fffff, 0x7ff00000},
        {RCP64H, 0x7fe80000, Z},
        {RCP64H, 0x7ff80000, NAN_},
        {RSQ64H, Z, 0x7ff00000},
        {RSQ64H, 0x40100000, 0x3fe00000},
        {RSQ64H, 0xbff00000, NAN_},
        {RSQ64H, 0x7ff00000, Z},
    };
    struct arith *t = arith_create(4);
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; ++k) {
        uint32_t r = run_one(t, cases[k].function, cases[k].x);
        if (r != cases[k].r)
            fail_msg("function %u of %08x is %08x, should be %08x", cases[k].function, cases[k].x, r, cases[k].r);
    }
    for (uint8_t f = COS; f <= TANH; ++f) {
        assert_int_equal(run_one(t, f, 0x7ffc2345), NAN_);
        assert_int_equal(run_one(t, f, 0xfff80000), NAN_);
    }
    arith_destroy(t);
}

static double from_upper(uint32_t upper)
{
    uint64_t bits = (uint64_t)upper << 32;
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static void upper_words_of_doubles(void **state)
{
    (void)state;
    struct arith *t = arith_create(6);
    for (unsigned k = 0; k < 20000; ++k) {
        uint32_t x = (arith_random(t) & 0x000fffff) | (2 + arith_below(t, 2043)) << 20;
        double reciprocal = from_upper(run_one(t, RCP64H, x)), root = from_upper(run_one(t, RSQ64H, x));
        assert_true(fabs(reciprocal * from_upper(x) - 1) <= 0x1p-21);
        assert_true(fabs(root * sqrt(from_upper(x)) - 1) <= 0x1p-21);
    }
    arith_destroy(t);
}

/* All operand forms, signs, and only the active lanes. */
static void operands(void **state)
{
    (void)state;
    struct arith *t = arith_create(9);
    for (unsigned k = 0; k < 2000; ++k) {
        arith_shuffle(t, ARITH_FLOAT);
        struct isa_inst *i = arith_begin(t, ISA_OP_MUFU);
        i->mod[ISA_MOD_FUNCTION] = RCP;
        i->b = arith_operand(t, ARITH_ANY, 1, ISA_NEG | ISA_ABS, ARITH_FLOAT);
        i->d = arith_destination(t, 1);
        uint32_t active = arith_mask(t), expected[EXEC_LANES];
        struct oracle o = {.bank = (const uint8_t(*)[ORACLE_BANK_BYTES])t->bank};
        memcpy(o.reg, t->reg, sizeof o.reg);
        memcpy(o.ureg, t->warp.ureg, sizeof o.ureg);
        struct isa_inst inst = *i;
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
            uint32_t v = oracle_raw(&(struct oracle_lane){.o = &o, .inst = &inst, .lane = lane}, &inst.b, 0);
            v = inst.b.flags & ISA_ABS ? v & 0x7fffffff : v;
            v = inst.b.flags & ISA_NEG ? v ^ 0x80000000 : v;
            expected[lane] = run_one(t, RCP, v);
        }
        memcpy(t->reg, o.reg, sizeof o.reg);
        *arith_begin(t, ISA_OP_MUFU) = inst;
        arith_run(t, exec_table(), active);
        for (unsigned lane = 0; lane < EXEC_LANES && inst.d.index != ISA_RZ; ++lane) {
            uint32_t want = active >> lane & 1 ? expected[lane] : o.reg[inst.d.index][lane];
            assert_int_equal(t->reg[inst.d.index][lane], want);
        }
    }
    arith_destroy(t);
}

/* Each half as the instruction for one half has it. */
static void pairs_are_two_halves(void **state)
{
    enum { F16_PAIR = 3, SOURCE = 0, RESULT = 1 };
    (void)state;
    struct arith *t = arith_create(28);
    for (unsigned trial = 0; trial < 400; ++trial) {
        unsigned type = F16 + trial % 2, function = trial / 2 % 2 ? 2 : 9; /* EX2, TANH */
        uint32_t source[EXEC_LANES], expected[EXEC_LANES] = {0};
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            source[i] = arith_random(t);
        for (unsigned half = 0; half < 3; ++half) {
            struct isa_inst *i = arith_begin(t, ISA_OP_MUFU);
            memcpy(t->reg[SOURCE], source, sizeof source);
            i->b = arith_register(SOURCE);
            i->b.swizzle = half == 1;
            i->d = arith_register(RESULT);
            i->mod[ISA_MOD_FUNCTION] = (uint8_t)function;
            i->mod[ISA_MOD_DST_TYPE] = (uint8_t)(half < 2 ? type : F16_PAIR + type - F16);
            arith_run(t, exec_table(), UINT32_MAX);
            assert_string_equal(t->core.fault.text, "");
            for (unsigned lane = 0; lane < EXEC_LANES && half < 2; ++lane)
                expected[lane] |= (t->reg[RESULT][lane] & 0xffff) << 16 * half;
        }
        assert_memory_equal(t->reg[RESULT], expected, sizeof expected);
    }
    arith_destroy(t);
}

UNIT_TESTS(UNIT(values_are_rounded_to_nearest), UNIT(every_exponent_is_rounded_to_nearest),
           UNIT(halves_are_rounded_to_nearest), UNIT(special_values), UNIT(upper_words_of_doubles), UNIT(operands),
           UNIT(pairs_are_two_halves))
