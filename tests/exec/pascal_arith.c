/* Pascal's instructions from their 64 bits to their results, against plain C. Registers: R0 the result, R1 to R6 the
 * sources of a case. A pair begins at the even one. */
#include <math.h>

#include "arith.h"
#include "exec/pascal/stack.h"
#include "isa/pascal.h"
#include "unit.h"

enum { TRIALS = 200, D = 0, A = 1, B = 2, C = 3, PT = 7 };

struct pascal {
    struct arith *t;
    struct isa_decoder *decoder;
    struct exec_stack stack;
};

static struct pascal *create(void)
{
    struct status status = {0};
    struct pascal *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->t = arith_create(60);
    p->decoder = isa_decoder_create(60, &status);
    assert_non_null(p->decoder);
    p->t->warp.stack = &p->stack;
    arith_shuffle(p->t, ARITH_INTEGER);
    return p;
}

static void destroy(struct pascal *p)
{
    isa_decoder_destroy(p->decoder);
    arith_destroy(p->t);
    free(p);
}

/* An instruction with its registers, without a guard. */
static uint64_t word(unsigned opcode, unsigned d, unsigned a, unsigned b, unsigned c)
{
    return (uint64_t)opcode << 48 | (uint64_t)c << 39 | (uint64_t)b << 20 | PT << 16 | (uint64_t)a << 8 | d;
}

static uint64_t bits(uint64_t value, unsigned at) { return value << at; }

static void run(struct pascal *p, uint64_t word)
{
    char text[ISA_TEXT];
    assert_true(isa_decode(p->decoder, (struct word128){word, 0x7e0}, 0, &p->t->inst.isa));
    isa_print(&p->t->inst.isa, text);
    if (p->t->inst.isa.op == ISA_OP_PASCAL)
        fail_msg("%s does not execute", text);
    exec_inst_prepare(&p->t->inst);
    arith_run(p->t, exec_table(), UINT32_MAX);
    if (p->t->core.fault.code)
        fail_msg("%s: %s", text, p->t->core.fault.text);
}

static uint32_t *r(struct pascal *p, unsigned index) { return p->t->reg[index]; }
static int32_t s(uint32_t v) { return (int32_t)v; }

/* Fills R1 to R6 anew, with numbers of all sizes. */
static void fill(struct pascal *p)
{
    for (unsigned i = 1; i <= 6; i++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            r(p, i)[lane] = arith_value(p->t, ARITH_INTEGER);
}

/* A result for each lane of the three sources. */
typedef uint32_t expected(uint32_t a, uint32_t b, uint32_t c);

static void check(uint64_t word, expected *of)
{
    struct pascal *p = create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        fill(p);
        run(p, word);
        for (unsigned i = 0; i < EXEC_LANES; i++)
            if (r(p, D)[i] != of(r(p, A)[i], r(p, B)[i], r(p, C)[i]))
                fail_msg("0x%016llx of 0x%x, 0x%x, 0x%x: 0x%x, not 0x%x", (unsigned long long)word, r(p, A)[i],
                         r(p, B)[i], r(p, C)[i], r(p, D)[i], of(r(p, A)[i], r(p, B)[i], r(p, C)[i]));
    }
    destroy(p);
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static uint32_t sum(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a + b; }
static uint32_t difference(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a - b; }
static uint32_t sum3(uint32_t a, uint32_t b, uint32_t c) { return a + b + c; }
static uint32_t sum3_shifted(uint32_t a, uint32_t b, uint32_t c) { return (uint32_t)(((uint64_t)a + b) >> 16) + c; }
static uint32_t sum_of_halves(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) + (b >> 16) + c; }
static uint32_t less_and_more(uint32_t a, uint32_t b, uint32_t c) { return (void)b, a - 0x21 + c; }
static uint32_t scaled(uint32_t a, uint32_t b, uint32_t c) { return (void)c, (a << 5) + b; }
static uint32_t scaled_high(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)c << 32 | a) >> 27) + b;
}

static uint32_t saturated(uint32_t a, uint32_t b, uint32_t c)
{
    int64_t v = (int64_t)s(a) + s(b);
    (void)c;
    return (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

static void sums(void **state)
{
    (void)state;
    check(word(0x5c10, D, A, B, 0), sum);
    check(word(0x5c10, D, A, B, 0) | bits(1, 48), difference);
    check(word(0x5c10, D, A, B, 0) | bits(1, 50), saturated);
    check(word(0x5cc0, D, A, B, C), sum3);
    check(word(0x5cc0, D, A, B, C) | bits(1, 37), sum3_shifted);
    check(word(0x5cc0, D, A, B, C) | bits(1, 35) | bits(2, 33), sum_of_halves);
    check(word(0x38c0, D, A, 0, C) | bits(1, 56) | bits(0x7ffdf, 20), less_and_more); /* printed 0xfffdf */
    check(word(0x5c18, D, A, B, 0) | bits(5, 39), scaled);
    check(word(0x5bd0, D, A, B, 0) | bits(5, 39) | bits(PT, 48), scaled);
    check(word(0x5bd8, D, A, B, C) | bits(5, 28) | bits(PT, 48), scaled_high);
}

static uint32_t low_product(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) * (b & 0xffff) + c; }
static uint32_t high_product(uint32_t a, uint32_t b, uint32_t c) { return (a >> 16) * (b >> 16) + c; }
static uint32_t shifted_product(uint32_t a, uint32_t b, uint32_t c) { return ((a & 0xffff) * (b & 0xffff) << 16) + c; }
static uint32_t onto_high(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) * (b & 0xffff) + (c >> 16); }
static uint32_t onto_low(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) * (b & 0xffff) + (c & 0xffff); }
static uint32_t onto_both(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) * (b & 0xffff) + c + (b << 16); }
static uint32_t merged(uint32_t a, uint32_t b, uint32_t c) { return (low_product(a, b, c) & 0xffff) | b << 16; }
static uint32_t signed_product(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)((int16_t)a * (int32_t)(b & 0xffff)) + c;
}

static void products_of_halves(void **state)
{
    (void)state;
    check(word(0x5b00, D, A, B, C), low_product);
    check(word(0x5b00, D, A, B, C) | bits(1, 53) | bits(1, 35), high_product);
    check(word(0x5b00, D, A, B, C) | bits(1, 36), shifted_product);
    check(word(0x5b00, D, A, B, C) | bits(1, 50), onto_low);
    check(word(0x5b00, D, A, B, C) | bits(2, 50), onto_high);
    check(word(0x5b00, D, A, B, C) | bits(4, 50), onto_both);
    check(word(0x5b00, D, A, B, C) | bits(1, 37), merged);
    check(word(0x5b00, D, A, B, C) | bits(1, 48), signed_product);
}

static uint32_t imad(uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }
static uint32_t imad_high(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)((uint64_t)((int64_t)s(a) * s(b)) >> 32) + c;
}

static void products_of_words(void **state)
{
    (void)state;
    check(word(0x5a00, D, A, B, C), imad);
    check(word(0x5a00, D, A, B, C) | bits(1, 54) | bits(1, 53) | bits(1, 48), imad_high);
}

static uint32_t both(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a & b; }
static uint32_t either(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a | ~b; }
static uint32_t one(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a ^ b; }
static uint32_t second(uint32_t a, uint32_t b, uint32_t c) { return (void)a, (void)c, ~b; }
static uint32_t choice(uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); }

static void logic(void **state)
{
    (void)state;
    check(word(0x5c40, D, A, B, 0) | bits(PT, 48), both);
    check(word(0x5c40, D, A, B, 0) | bits(1, 41) | bits(1, 40) | bits(PT, 48), either);
    check(word(0x5c40, D, A, B, 0) | bits(2, 41) | bits(PT, 48), one);
    check(word(0x5c40, D, A, B, 0) | bits(3, 41) | bits(1, 40) | bits(PT, 48), second);
    check(word(0x5be0, D, A, B, C) | bits(0xca, 28) | bits(PT, 48), choice);
}

static uint32_t left(uint32_t a, uint32_t b, uint32_t c) { return (void)c, b < 32 ? a << b : 0; }
static uint32_t left_wrapped(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a << (b & 31); }
static uint32_t right(uint32_t a, uint32_t b, uint32_t c) { return (void)c, b < 32 ? a >> b : 0; }
static uint32_t right_signed(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, (uint32_t)(s(a) >> (b < 32 ? b : 31));
}
static uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)c << 32 | a) << (b & 31) >> 32);
}
static uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)c << 32 | a) >> (b & 31));
}

static void shifts(void **state)
{
    (void)state;
    check(word(0x5c48, D, A, B, 0), left);
    check(word(0x5c48, D, A, B, 0) | bits(1, 39), left_wrapped);
    check(word(0x5c28, D, A, B, 0), right);
    check(word(0x5c28, D, A, B, 0) | bits(1, 48), right_signed);
    check(word(0x5bf8, D, A, B, C) | bits(1, 50), funnel_left);
    check(word(0x5cf8, D, A, B, C) | bits(1, 50), funnel_right);
}

static uint32_t bit(uint32_t v, unsigned at) { return at < 32 ? v >> at & 1 : 0; }

/* As PTX has it, bit by bit. */
static uint32_t field(uint32_t a, uint32_t b, bool is_signed)
{
    unsigned at = b & 0xff, length = b >> 8 & 0xff, last = at + length - 1 < 31 ? at + length - 1 : 31;
    uint32_t out = 0, fill = is_signed && length ? bit(a, last) : 0;
    for (unsigned i = 0; i < 32; i++)
        out |= (i < length && at + i <= 31 ? bit(a, at + i) : fill) << i;
    return out;
}

static uint32_t field_unsigned(uint32_t a, uint32_t b, uint32_t c) { return (void)c, field(a, b, false); }
static uint32_t field_signed(uint32_t a, uint32_t b, uint32_t c) { return (void)c, field(a, b, true); }
static uint32_t inserted(uint32_t a, uint32_t b, uint32_t c)
{
    unsigned at = b & 0xff, length = b >> 8 & 0xff;
    for (unsigned i = 0; i < length && at + i < 32; i++)
        c = (c & ~(1u << (at + i))) | bit(a, i) << (at + i);
    return c;
}

static void fields_of_bits(void **state)
{
    (void)state;
    check(word(0x5c00, D, A, B, 0), field_unsigned);
    check(word(0x5c00, D, A, B, 0) | bits(1, 48), field_signed);
    check(word(0x5bf0, D, A, B, C), inserted);
}

static uint32_t smaller(uint32_t a, uint32_t b, uint32_t c) { return (void)c, s(a) < s(b) ? a : b; }
static uint32_t less_of_three(uint32_t a, uint32_t b, uint32_t c)
{
    int32_t larger = s(a) > s(b) ? s(a) : s(b);
    return (uint32_t)(larger < s(c) ? larger : s(c));
}
static uint32_t distance_and_more(uint32_t a, uint32_t b, uint32_t c) { return (a > b ? a - b : b - a) + c; }
static uint32_t if_positive(uint32_t a, uint32_t b, uint32_t c) { return s(c) > 0 ? a : b; }
static uint32_t ones_if_below(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a < b ? UINT32_MAX : 0; }
static uint32_t byte_of_b(uint32_t a, uint32_t b, uint32_t c) { return (void)a, (void)c, (uint32_t)(int8_t)(b >> 16); }
static uint32_t byte_clamped(uint32_t a, uint32_t b, uint32_t c)
{
    (void)a;
    (void)c;
    return s(b) < 0 ? 0 : s(b) > 255 ? 255 : b;
}

static void choices_and_conversions(void **state)
{
    (void)state;
    check(word(0x5c20, D, A, B, 0) | bits(1, 48) | bits(PT, 39), smaller);
    check(word(0x3a00, D, A, B, C) | bits(6, 36) | bits(1, 50) | bits(6, 28) | bits(3, 48) | bits(1, 54) | bits(1, 56) |
              bits(5, 51),
          less_of_three);
    check(word(0x5400, D, A, B, C) | bits(6, 36) | bits(1, 50) | bits(6, 28) | bits(4, 51), distance_and_more);
    check(word(0x5b40, D, A, B, C) | bits(4, 49) | bits(1, 48), if_positive);
    check(word(0x5b50, D, A, B, 0) | bits(1, 49) | bits(PT, 39), ones_if_below);
    check(word(0x5ce0, D, 0, B, 0) | bits(1, 12) | bits(2, 8) | bits(1, 13) | bits(2, 41), byte_of_b);
    check(word(0x5ce0, D, 0, B, 0) | bits(1, 13) | bits(2, 10) | bits(1, 50), byte_clamped);
}

/* ---- chains over the condition code ------------------------------------------------------------------------------ */

static uint64_t pair(struct pascal *p, unsigned index, unsigned lane)
{
    return r(p, index)[lane] | (uint64_t)r(p, index + 1)[lane] << 32;
}

/* R2 and R3, R4 and R5 are two numbers of 64 bits. */
static void sums_carry_into_the_upper_word(void **state)
{
    (void)state;
    struct pascal *p = create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        fill(p);
        run(p, word(0x5c10, 8, 2, 4, 0) | bits(1, 47));                /* IADD R8.CC, R2, R4 */
        run(p, word(0x5c10, 9, 3, 5, 0) | bits(1, 43));                /* IADD.X R9, R3, R5 */
        run(p, word(0x5c10, 10, 2, 4, 0) | bits(1, 47) | bits(1, 48)); /* IADD R10.CC, R2, -R4 */
        run(p, word(0x5c10, 11, 3, 5, 0) | bits(1, 43) | bits(1, 48)); /* IADD.X R11, R3, -R5 */
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            assert_true(pair(p, 8, i) == pair(p, 2, i) + pair(p, 4, i));
            assert_true(pair(p, 10, i) == pair(p, 2, i) - pair(p, 4, i));
        }
    }
    destroy(p);
}

static void a_sum_of_three_carries_two(void **state)
{
    (void)state;
    struct pascal *p = create();
    for (unsigned i = 0; i < EXEC_LANES; i++)
        r(p, A)[i] = UINT32_MAX - i;
    run(p, word(0x5cc0, 8, A, A, A) | bits(1, 47));                /* IADD3 R8.CC, R1, R1, R1 */
    run(p, word(0x5cc0, 9, ISA_RZ, ISA_RZ, ISA_RZ) | bits(1, 48)); /* IADD3.X R9, RZ, RZ, RZ */
    for (unsigned i = 0; i < EXEC_LANES; i++)
        assert_true(pair(p, 8, i) == 3 * (uint64_t)(UINT32_MAX - i));
    destroy(p);
}

/* Random programs found that both halves of a pair negate: w[2] - (w[0] + w[1]). */
static void a_sum_of_three_wide_numbers_negates_one_or_two(void **state)
{
    (void)state;
    struct pascal *p = create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        uint64_t negated = trial % 7; /* bit 0: C, 1: B, 2: A */
        fill(p);
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            r(p, 7)[i] = i % 4 == 0 ? 0 : r(p, 1)[i];
            r(p, 2)[i] = i % 4 <= 1 ? 0 : r(p, 2)[i];
        }
        run(p, word(0x5cc0, 8, 2, 4, 6) | bits(1, 47) | bits(negated, 49)); /* IADD3 R8.CC, -R2, -R4, -R6 */
        run(p, word(0x5cc0, 9, 3, 5, 7) | bits(1, 48) | bits(negated, 49)); /* IADD3.X R9, -R3, -R5, -R7 */
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            uint64_t a = pair(p, 2, i), b = pair(p, 4, i), c = pair(p, 6, i);
            uint64_t sum = (negated & 4 ? 0 - a : a) + (negated & 2 ? 0 - b : b) + (negated & 1 ? 0 - c : c);
            if (pair(p, 8, i) != sum)
                fail_msg("negated %u: %llx + %llx + %llx is %llx here", (unsigned)negated, (unsigned long long)a,
                         (unsigned long long)b, (unsigned long long)c, (unsigned long long)pair(p, 8, i));
        }
    }
    destroy(p);
}

/* Compiled code for (w & mask) != 0. */
static void both_words_of_a_logic_test_count(void **state)
{
    (void)state;
    enum { NOT_ZERO = 3, P0 = 0, AND = 0 };
    struct pascal *p = create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        fill(p);
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            r(p, 2)[i] = i & 1 ? 0 : r(p, 2)[i];
            r(p, 3)[i] = i & 2 ? 0 : r(p, 3)[i];
        }
        run(p, word(0x5c40, ISA_RZ, 2, 4, 0) | bits(AND, 41) | bits(1, 47) | bits(PT, 48)); /* .CC */
        run(p,
            word(0x5c40, ISA_RZ, 3, 5, 0) | bits(AND, 41) | bits(1, 43) | bits(NOT_ZERO, 44) | bits(P0, 48)); /* .X */
        for (unsigned i = 0; i < EXEC_LANES; i++)
            assert_int_equal(p->t->warp.pred[P0] >> i & 1, (pair(p, 2, i) & pair(p, 4, i)) != 0);
    }
    destroy(p);
}

static bool holds(unsigned how, bool less, bool equal)
{
    return (how & 1 && less) || (how & 2 && equal) || (how & 4 && !less && !equal);
}

static void wide_numbers_compare_by_their_difference(void **state)
{
    (void)state;
    struct pascal *p = create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        unsigned how = trial % 8, is_signed = trial / 8 % 2;
        fill(p);
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            r(p, 4)[i] = i % 3 ? r(p, 4)[i] : r(p, 2)[i];
            r(p, 5)[i] = i % 2 ? r(p, 5)[i] : r(p, 3)[i];
        }
        run(p, word(0x5c10, ISA_RZ, 2, 4, 0) | bits(1, 47) | bits(1, 48));
        /* ISETP.how.X.AND P1, PT, R3, R5, PT */
        run(p, word(0x5b60, 0, 3, 5, 0) | PT | bits(1, 3) | bits(how, 49) | bits(is_signed, 48) | bits(1, 43) |
                   bits(PT, 39));
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            uint64_t x = pair(p, 2, i), y = pair(p, 4, i);
            bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
            assert_int_equal(p->t->warp.pred[1] >> i & 1, holds(how, less, x == y));
        }
    }
    destroy(p);
}

static void wide_minima_go_from_the_upper_word_down(void **state)
{
    (void)state;
    struct pascal *p = create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        fill(p);
        for (unsigned i = 0; i < EXEC_LANES; i += 2)
            r(p, 5)[i] = r(p, 3)[i];
        run(p, word(0x5c20, 9, 3, 5, 0) | bits(3, 43) | bits(1, 47) | bits(PT, 39)); /* IMNMX.U32.XHI R9.CC */
        run(p, word(0x5c20, 8, 2, 4, 0) | bits(1, 43) | bits(PT, 39));               /* IMNMX.U32.XLO R8 */
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            uint64_t x = pair(p, 2, i), y = pair(p, 4, i);
            assert_true(pair(p, 8, i) == (x < y ? x : y));
        }
    }
    destroy(p);
}

/* The sequence of the compiler for the upper word of a signed product. */
static void partial_products_make_the_upper_word_of_a_signed_product(void **state)
{
    (void)state;
    struct pascal *p = create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        fill(p);
        run(p, word(0x5b00, 6, A, B, ISA_RZ));                                                         /* XMAD */
        run(p, word(0x5b00, 4, A, B, ISA_RZ) | bits(2, 48) | bits(1, 35));                             /* .U16.S16 */
        run(p, word(0x5b00, 7, A, B, ISA_RZ) | bits(3, 48) | bits(1, 53) | bits(1, 35) | bits(3, 50)); /* .CSFU */
        run(p, word(0x5b00, 6, A, B, 6) | bits(1, 48) | bits(1, 53) | bits(2, 50)); /* .S16.U16.CHI */
        run(p, word(0x5cc0, D, 6, 4, 7) | bits(1, 37));                             /* IADD3.RS */
        for (unsigned i = 0; i < EXEC_LANES; i++)
            assert_int_equal(r(p, D)[i], (uint32_t)((uint64_t)((int64_t)s(r(p, A)[i]) * s(r(p, B)[i])) >> 32));
    }
    destroy(p);
}

static void the_condition_code_survives_in_a_register(void **state)
{
    (void)state;
    struct pascal *p = create();
    fill(p);
    run(p, word(0x5c10, 8, 2, 4, 0) | bits(1, 47));
    const struct condition before = p->stack.condition;
    run(p, word(0x38e8, 10, ISA_RZ, 0, 0) | bits(1, 40) | bits(0xf, 20)); /* P2R R10, CC, RZ, 0xf */
    p->stack.condition = (struct condition){0};
    run(p, word(0x38f0, 0, 10, 0, 0) | bits(1, 40) | bits(0xf, 20)); /* R2P CC, R10, 0xf */
    assert_int_equal(p->stack.condition.zero, before.zero);
    assert_int_equal(p->stack.condition.sign, before.sign);
    assert_int_equal(p->stack.condition.carry, before.carry);
    assert_int_equal(p->stack.condition.overflow, before.overflow);
    destroy(p);
}

/* ---- floating point ---------------------------------------------------------------------------------------------- */

static uint32_t scaled_product(uint32_t a, uint32_t b, uint32_t c)
{
    float x, y, z;
    (void)c;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    z = (float)((double)x * (double)y * 0.25);
    memcpy(&a, &z, 4);
    return isnan(z) ? 0x7fffffff : a;
}

static uint32_t if_below_zero(uint32_t a, uint32_t b, uint32_t c)
{
    float z;
    memcpy(&z, &c, 4);
    return z < 0 ? a : b;
}

static uint32_t one_if_greater(uint32_t a, uint32_t b, uint32_t c)
{
    float x, y;
    (void)c;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    return x > y ? 0x3f800000 : 0;
}

/* Not a number becomes 0. */
static uint32_t to_integer(uint32_t a, uint32_t b, uint32_t c)
{
    float y;
    (void)a;
    (void)c;
    memcpy(&y, &b, 4);
    double v = trunc((double)y);
    return isnan(y) ? 0 : (uint32_t)(v >= 2147483648.0 ? INT32_MAX : v < -2147483648.0 ? INT32_MIN : (int32_t)v);
}

static uint32_t from_magnitude(uint32_t a, uint32_t b, uint32_t c)
{
    float f = (float)(b >> 31 ? 0u - b : b);
    (void)a;
    (void)c;
    memcpy(&b, &f, 4);
    return b;
}

static void floats(void **state)
{
    (void)state;
    check(word(0x5c68, D, A, B, 0) | bits(2, 41), scaled_product);
    check(word(0x5ba0, D, A, B, C) | bits(1, 48), if_below_zero);
    check(word(0x5800, D, A, B, 0) | bits(1, 52) | bits(4, 48) | bits(PT, 39), one_if_greater);
    check(word(0x5cb0, D, 0, B, 0) | bits(1, 12) | bits(2, 8) | bits(2, 10) | bits(3, 39), to_integer);
    check(word(0x5cb8, D, 0, B, 0) | bits(2, 8) | bits(2, 10) | bits(1, 13) | bits(1, 49), from_magnitude);
}

UNIT_TESTS(UNIT(sums), UNIT(products_of_halves), UNIT(products_of_words), UNIT(logic), UNIT(shifts),
           UNIT(fields_of_bits), UNIT(choices_and_conversions), UNIT(sums_carry_into_the_upper_word),
           UNIT(a_sum_of_three_carries_two), UNIT(both_words_of_a_logic_test_count),
           UNIT(a_sum_of_three_wide_numbers_negates_one_or_two), UNIT(wide_numbers_compare_by_their_difference),
           UNIT(wide_minima_go_from_the_upper_word_down),
           UNIT(partial_products_make_the_upper_word_of_a_signed_product),
           UNIT(the_condition_code_survives_in_a_register), UNIT(floats))
