/* IMMA, BMMA and DMMA on random and edge operands. Elements go into registers by the formulas of the PTX ISA (mma,
 * matrix fragments) for elements of any width. All must come out exactly, doubles as a chain of the oracle's DFMA. */
#include <stdlib.h>

#include "arith.h"
#include "unit.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 256 };
enum { REG_A = 8, REG_B = 24, REG_C = 32, REG_D = 40 };

struct problem {
    unsigned rows, depth, bits, bits_c;
    uint32_t a[ROWS][DEPTH], b[DEPTH][COLUMNS], c[ROWS][COLUMNS], d[ROWS][COLUMNS];
};

static void put(uint32_t *reg, unsigned bits, unsigned index, uint32_t value)
{
    *reg |= (bits == 32 ? value : value & ((1u << bits) - 1)) << index * bits % 32;
}

static unsigned c_row(const struct problem *p, unsigned lane, unsigned i)
{
    return lane / 4 + (p->rows == 16 && i >= 2 ? 8 : 0);
}

static void load(struct arith *t, const struct problem *p)
{
    unsigned per = 32 / p->bits, tall = p->rows / 8;
    memset(t->reg, 0, sizeof t->reg);
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
        unsigned group = lane / 4, thread = lane % 4;
        for (unsigned i = 0; i < p->rows * p->depth / 32; ++i) {
            unsigned reg = i / per, row = group + reg % tall * 8;
            put(&t->reg[REG_A + reg][lane], p->bits, i, p->a[row][thread * per + i % per + reg / tall * 4 * per]);
        }
        for (unsigned i = 0; i < p->depth / 4; ++i)
            put(&t->reg[REG_B + i / per][lane], p->bits, i, p->b[thread * per + i % per + i / per * 4 * per][group]);
        for (unsigned i = 0; i < p->rows / 4; ++i)
            put(&t->reg[REG_C + i * p->bits_c / 32][lane], p->bits_c, i, p->c[c_row(p, lane, i)][thread * 2 + i % 2]);
    }
}

static void run(struct arith *t, struct problem *p)
{
    struct isa_inst *i = &t->inst.isa;
    i->a = arith_register(REG_A);
    i->b = arith_register(REG_B);
    i->c = arith_register(REG_C);
    i->d = arith_register(REG_D);
    load(t, p);
    arith_run(t, exec_table(), UINT32_MAX);
    assert_int_equal(t->core.fault.code, STATUS_OK);
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
        for (unsigned k = 0; k < p->rows / 4; ++k) {
            uint32_t word = t->reg[REG_D + k * p->bits_c / 32][lane];
            p->d[c_row(p, lane, k)][lane % 4 * 2 + k % 2] = p->bits_c == 32 ? word : word >> k % 2 * 16 & 0xffff;
        }
    }
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

enum { U8, S8, U4 = 4, S4 };

static int64_t integer(uint32_t element, unsigned type)
{
    int64_t limit = type >= U4 ? 16 : 256;
    return type % 2 && element >= limit / 2 ? element - limit : element;
}

/* Elements of `bits` that are extreme for the whole matrix, so that sums leave the range of C, or random. */
static void fill_integers(struct arith *t, struct problem *p)
{
    unsigned style = arith_below(t, 3);
    uint32_t mask = p->bits == 32 ? UINT32_MAX : (1u << p->bits) - 1, top = mask ^ mask >> 1;
    const uint32_t extremes[] = {top, top - 1, mask};
    uint32_t a = extremes[arith_below(t, 3)], b = extremes[arith_below(t, 3)];
    for (unsigned k = 0; k < p->depth; ++k) {
        for (unsigned r = 0; r < p->rows; ++r)
            p->a[r][k] = style ? a : arith_random(t) & mask;
        for (unsigned c = 0; c < COLUMNS; ++c)
            p->b[k][c] = style ? b : arith_random(t) & mask;
    }
    for (unsigned r = 0; r < p->rows; ++r)
        for (unsigned c = 0; c < COLUMNS; ++c)
            p->c[r][c] = style == 2 ? (arith_below(t, 2) ? INT32_MAX : 1u << 31) + arith_below(t, 1 << 20) - (1 << 19)
                                    : arith_value(t, ARITH_INTEGER);
}

static void check_integers(const struct problem *p, unsigned type_a, unsigned type_b, bool saturates)
{
    for (unsigned r = 0; r < p->rows; ++r) {
        for (unsigned c = 0; c < COLUMNS; ++c) {
            int64_t sum = (int32_t)p->c[r][c];
            for (unsigned k = 0; k < p->depth; ++k)
                sum += integer(p->a[r][k], type_a) * integer(p->b[k][c], type_b);
            if (saturates && sum > INT32_MAX)
                sum = INT32_MAX;
            if (saturates && sum < INT32_MIN)
                sum = INT32_MIN;
            assert_int_equal(p->d[r][c], (uint32_t)sum);
        }
    }
}

static void sums_of_integers_wrap_or_saturate_once(void **state)
{
    static const struct {
        unsigned shape, rows, depth, bits;
    } shapes[] = {{0, 8, 16, 8}, {4, 16, 16, 8}, {5, 16, 32, 8}, {2, 8, 32, 4}, {5, 16, 32, 4}, {6, 16, 64, 4}};
    (void)state;
    struct arith *t = arith_create(13);
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (unsigned trial = 0; trial < 40 * 6; ++trial) {
        unsigned k = trial % 6, first = shapes[k].bits == 4 ? U4 : U8;
        unsigned type_a = first + arith_below(t, 2), type_b = first + arith_below(t, 2);
        struct isa_inst *i = arith_begin(t, ISA_OP_IMMA);
        i->mod[ISA_MOD_SHAPE] = (uint8_t)shapes[k].shape;
        i->mod[ISA_MOD_TYPE_A] = (uint8_t)type_a;
        i->mod[ISA_MOD_TYPE_B] = (uint8_t)type_b;
        i->mod[ISA_MOD_SAT] = (uint8_t)arith_below(t, 2);
        p->rows = shapes[k].rows, p->depth = shapes[k].depth, p->bits = shapes[k].bits, p->bits_c = 32;
        fill_integers(t, p);
        run(t, p);
        check_integers(p, type_a, type_b, i->mod[ISA_MOD_SAT]);
    }
    free(p);
    arith_destroy(t);
}

static void bits_that_differ_or_that_both_have_are_counted(void **state)
{
    enum { XOR = 0, AND = 2 };
    static const struct {
        unsigned rows, depth;
    } shapes[] = {{8, 128}, {16, 128}, {16, 256}};
    (void)state;
    struct arith *t = arith_create(14);
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (unsigned trial = 0; trial < 30; ++trial) {
        unsigned shape = trial % 3, function = arith_below(t, 2) ? AND : XOR;
        struct isa_inst *i = arith_begin(t, ISA_OP_BMMA);
        i->mod[ISA_MOD_SHAPE] = (uint8_t)shape;
        i->mod[ISA_MOD_FUNCTION] = (uint8_t)function;
        p->rows = shapes[shape].rows, p->depth = shapes[shape].depth, p->bits = 1, p->bits_c = 32;
        fill_integers(t, p);
        run(t, p);
        for (unsigned r = 0; r < p->rows; ++r) {
            for (unsigned c = 0; c < COLUMNS; ++c) {
                uint32_t sum = p->c[r][c];
                for (unsigned k = 0; k < p->depth; ++k)
                    sum += function == AND ? p->a[r][k] & p->b[k][c] : p->a[r][k] ^ p->b[k][c];
                assert_int_equal(p->d[r][c], sum);
            }
        }
    }
    free(p);
    arith_destroy(t);
}

/* ---- doubles ----------------------------------------------------------------------------------------------------- */

enum { DOUBLE_A = 0, DOUBLE_B = 16, DOUBLE_C = 24, DOUBLE_D = 32 };

static struct isa_operand double_register(unsigned index, uint8_t flags)
{
    struct isa_operand o = arith_register(index);
    o.words = 2;
    o.flags = flags;
    return o;
}

/* Edges, numbers of like size whose sums cancel and round, or both. */
static void fill_doubles(struct arith *t)
{
    unsigned style = arith_below(t, 3);
    for (unsigned r = 0; r < DOUBLE_D; r += 2) {
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
            bool edge = style == 0 || (style == 1 && arith_below(t, 32) == 0);
            t->reg[r][lane] = style == 2 ? arith_random(t) & 0xf8000000 : arith_random(t);
            t->reg[r + 1][lane] = edge ? arith_value(t, ARITH_DOUBLE) : (arith_random(t) & 0x803fffff) + 0x3fd00000;
        }
    }
}

static void copy_double(uint32_t (*to)[EXEC_LANES], unsigned to_lane, uint32_t (*from)[EXEC_LANES], unsigned lane)
{
    to[0][to_lane] = from[0][lane];
    to[1][to_lane] = from[1][lane];
}

/* Element i of every lane, as a chain of DFMA, in registers SUM of `o`. PTX ISA, mma with f64: register k of A has row
 * g (+ 8 in the odd ones of 16 rows) and column t of a block of four, register k of B row t of a block and column g. */
enum { SUM, FACTOR_A = 2, FACTOR_B = 4 };

static void chain(struct oracle *o, struct arith *t, unsigned rows, unsigned depth, unsigned i)
{
    const struct isa_inst *dmma = &t->inst.isa;
    struct isa_inst dfma = {.op = ISA_OP_DFMA, .guard = dmma->guard};
    dfma.mod[ISA_MOD_ROUND] = dmma->mod[ISA_MOD_ROUND];
    dfma.a = double_register(FACTOR_A, dmma->a.flags);
    dfma.b = double_register(FACTOR_B, dmma->b.flags);
    dfma.c = double_register(SUM, dmma->c.flags);
    dfma.d = double_register(SUM, 0);
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane)
        copy_double(&o->reg[SUM], lane, &t->reg[DOUBLE_C + 2 * i], lane);
    for (unsigned k = 0; k < depth; ++k) {
        unsigned reg_a = k / 4 * (rows / 8) + i / 2;
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
            unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
            copy_double(&o->reg[FACTOR_A], lane, &t->reg[DOUBLE_A + 2 * reg_a], row * 4 + k % 4);
            copy_double(&o->reg[FACTOR_B], lane, &t->reg[DOUBLE_B + 2 * (k / 4)], column * 4 + k % 4);
        }
        assert_true(oracle_step(o, &dfma, UINT32_MAX));
        dfma.c.flags = 0;
    }
}

static void doubles_are_chains_of_fused_steps_in_every_rounding_mode(void **state)
{
    static const uint8_t shapes[][2] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}};
    (void)state;
    struct arith *t = arith_create(15);
    struct oracle *o = calloc(1, sizeof *o);
    assert_non_null(o);
    for (unsigned trial = 0; trial < 4 * 4 * 6; ++trial) {
        unsigned rows = shapes[trial % 4][0], depth = shapes[trial % 4][1];
        struct isa_inst *inst = arith_begin(t, ISA_OP_DMMA);
        inst->mod[ISA_MOD_SHAPE] = (uint8_t)(trial % 4);
        inst->mod[ISA_MOD_ROUND] = (uint8_t)(trial / 4 % 4);
        inst->a = double_register(DOUBLE_A, (uint8_t)(arith_random(t) & (ISA_NEG | ISA_ABS)));
        inst->b = double_register(DOUBLE_B, (uint8_t)(arith_random(t) & (ISA_NEG | ISA_ABS)));
        inst->c = double_register(DOUBLE_C, (uint8_t)(arith_random(t) & (ISA_NEG | ISA_ABS)));
        inst->d = double_register(DOUBLE_D, 0);
        fill_doubles(t);
        arith_run(t, exec_table(), UINT32_MAX);
        assert_int_equal(t->core.fault.code, STATUS_OK);
        for (unsigned i = 0; i < rows / 4; ++i) {
            chain(o, t, rows, depth, i);
            assert_memory_equal(o->reg[SUM], t->reg[DOUBLE_D + 2 * i], sizeof o->reg[SUM]);
            assert_memory_equal(o->reg[SUM + 1], t->reg[DOUBLE_D + 2 * i + 1], sizeof o->reg[SUM]);
        }
    }
    free(o);
    arith_destroy(t);
}

UNIT_TESTS(UNIT(sums_of_integers_wrap_or_saturate_once), UNIT(bits_that_differ_or_that_both_have_are_counted),
           UNIT(doubles_are_chains_of_fused_steps_in_every_rounding_mode))
