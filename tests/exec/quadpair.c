/* The kernels of quadpair.cu: where the elements of HMMA.884 stand, in code of the compiler. All sums are exact. */
#include "exec/arithmetic/half.h"
#include "kernel_run.h"
#include "tests/unit.h"

enum { DEPTH = 16, PRODUCTS = 256, A = 0, B = 256, C = 512, D = 768, QUAD_DEPTH = 4, SIZE = 8, LANES = 32 };

struct layout {
    unsigned m, n;
    bool f32, rows_a, rows_b;
};

static uint32_t state;

static int below(int limit)
{
    state = state * 1664525 + 1013904223;
    return (int)(state >> 8) % limit;
}

static void put_half(uint32_t *words, unsigned index, int value)
{
    uint32_t half = half_from_double(value);
    words[index / 2] = (index & 1) ? (words[index / 2] & 0xffff) | half << 16 : (words[index / 2] & ~0xffffu) | half;
}

static int get_half(const uint32_t *words, unsigned index)
{
    return (int)float_of(half_to_float(words[index / 2] >> 16 * (index & 1) & 0xffff));
}

static void put_sum(uint32_t *words, unsigned index, int value, bool f32)
{
    if (f32)
        words[index] = float_bits((float)value);
    else
        put_half(words, index, value);
}

static int get_sum(const uint32_t *words, unsigned index, bool f32)
{
    return f32 ? (int)float_of(words[index]) : get_half(words, index);
}

static unsigned place(unsigned line, unsigned column, unsigned lines, unsigned columns, bool by_rows)
{
    return by_rows ? line * columns + column : column * lines + line;
}

static void check_layout(struct kernel_run *r, const char *kernel, const struct layout *l)
{
    int sum[PRODUCTS];
    for (unsigned i = 0; i < l->m * DEPTH; i++)
        put_half(r->out + A, i, below(9) - 4);
    for (unsigned i = 0; i < l->n * DEPTH; i++)
        put_half(r->out + B, i, below(15) - 7);
    for (unsigned i = 0; i < PRODUCTS; i++)
        put_sum(r->out + C, i, sum[i] = below(1000) - 500, l->f32);
    for (unsigned row = 0; row < l->m; row++)
        for (unsigned column = 0; column < l->n; column++)
            for (unsigned k = 0; k < DEPTH; k++)
                sum[row * l->n + column] += get_half(r->out + A, place(row, k, l->m, DEPTH, l->rows_a)) *
                                            get_half(r->out + B, place(k, column, DEPTH, l->n, l->rows_b));
    kernel_run(r, kernel, LANES);
    for (unsigned i = 0; i < PRODUCTS; i++)
        if (get_sum(r->out + D, i, l->f32) != sum[i])
            fail_msg("%s: element (%u,%u) is %d, not %d", kernel, i / l->n, i % l->n, get_sum(r->out + D, i, l->f32),
                     sum[i]);
}

static void check_layouts(struct kernel_run *r)
{
    static const unsigned shapes[][2] = {{16, 16}, {32, 8}, {8, 32}};
    for (unsigned i = 0; i < 3 * 8; i++) {
        char kernel[64];
        const struct layout l = {shapes[i / 8][0], shapes[i / 8][1], i & 1, i & 2, i & 4};
        snprintf(kernel, sizeof kernel, "%s_%ux%u_%s_%s", l.f32 ? "f32" : "f16", l.m, l.n, l.rows_a ? "row" : "col",
                 l.rows_b ? "row" : "col");
        check_layout(r, kernel, &l);
    }
}

static void products_of_every_shape_layout_and_type_are_those_of_the_matrices(void **unused)
{
    static const unsigned volta = 70;
    (void)unused;
    kernel_run_each("quadpair", &volta, 1, check_layouts);
}

/* PTX ISA, mma.m8n8k4: A by rows, B by columns, halves of C by rows, D's floats in pairs. */
static void check_mixed(struct kernel_run *r)
{
    int sum[4][SIZE][SIZE];
    for (unsigned i = 0; i < LANES * QUAD_DEPTH; i++) {
        put_half(r->out, i, below(9) - 4);
        put_half(r->out + 64, i, below(15) - 7);
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < SIZE; i++)
            put_half(r->out + 128, lane * SIZE + i,
                     sum[lane % 16 / 4][lane % 4 + lane / 16 * 4][i] = below(1000) - 500);
    for (unsigned row = 0; row < SIZE * 4; row++)
        for (unsigned column = 0; column < SIZE; column++)
            for (unsigned k = 0; k < QUAD_DEPTH; k++) {
                unsigned quad = row / SIZE, y = row % SIZE, first = 4 * quad;
                sum[quad][y][column] += get_half(r->out, (first + y % 4 + y / 4 * 16) * QUAD_DEPTH + k) *
                                        get_half(r->out + 64, (first + column % 4 + column / 4 * 16) * QUAD_DEPTH + k);
            }
    kernel_run(r, "mixed", LANES);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < SIZE; i++) {
            unsigned row = (lane & 1) + (i & 2) + lane / 16 * 4, column = (i & 4) + (lane & 2) + (i & 1);
            assert_int_equal((int)float_of(r->out[256 + SIZE * lane + i]), sum[lane % 16 / 4][row][column]);
        }
}

static void halves_are_added_to_sums_of_floats(void **unused)
{
    static const unsigned volta = 70;
    (void)unused;
    kernel_run_each("quadpair", &volta, 1, check_mixed);
}

UNIT_TESTS(UNIT(products_of_every_shape_layout_and_type_are_those_of_the_matrices),
           UNIT(halves_are_added_to_sums_of_floats))
