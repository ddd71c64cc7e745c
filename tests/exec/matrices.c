/* The kernels of matrices.cu: products of matrices whose elements are small numbers, so that every sum is exact. */
#include <math.h>

#include "base/file.h"
#include "deferred_run.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

enum { LANES = 32, COLUMNS = 8, DEPTH = 128 };

/* As in matrices.cu. */
struct operands {
    uint32_t a[16 * DEPTH], b[DEPTH * COLUMNS], c[16 * COLUMNS * 2], d[16 * COLUMNS * 2];
    uint32_t metadata[LANES], scale_a[LANES], scale_b[LANES];
};

enum type { S8, U8, S4, U4, F16, BF16, F32, E4M3, E5M2, E3M2, E2M3, E2M1, E2M1_ALONE, S32 };

struct product {
    const char *kernel;
    unsigned architectures; /* bits of the list below */
    unsigned rows, depth;
    enum type a, b, c;
    bool sparse;
    unsigned selector;
    unsigned blocks; /* scale factors in a row (0: none) */
    bool ue4m3;
    unsigned byte_a, thread_a, byte_b, thread_b;
};

static const unsigned architectures[] = {75, 80, 89, 90, 100, 120};
enum { ON_75 = 1, ON_80 = 2, ON_89 = 4, ON_90 = 8, ON_100 = 16, ON_120 = 32, FROM_80 = 62, FP8 = ON_89 | ON_120 };

static const struct product products[] = {
    {"f16_k8", ON_75, 16, 8, F16, F16, F32, .blocks = 0},
    {"s8_u8_k16", ON_75, 8, 16, S8, U8, S32, .blocks = 0},
    {"u4_s4_k32", ON_75, 8, 32, U4, S4, S32, .blocks = 0},
    {"f16_k16", FROM_80, 16, 16, F16, F16, F16, .blocks = 0},
    {"bf16_k16", FROM_80, 16, 16, BF16, BF16, F32, .blocks = 0},
    {"tf32_k8", FROM_80, 16, 8, F32, F32, F32, .blocks = 0},
    {"f16_sparse_k16", FROM_80, 16, 16, F16, F16, F32, true, 2, .blocks = 0},
    {"f16_sparse_k32", FROM_80, 16, 32, F16, F16, F32, true, 1, .blocks = 0},
    {"tf32_sparse_k16", FROM_80, 16, 16, F32, F32, F32, true, 1, .blocks = 0},
    {"s8_u8_k32", FROM_80, 16, 32, S8, U8, S32, .blocks = 0},
    {"u4_s4_k64", FROM_80, 16, 64, U4, S4, S32, .blocks = 0},
    {"s8_sparse_k32", FROM_80, 16, 32, S8, S8, S32, true, 1, .blocks = 0},
    {"s8_sparse_k64", FROM_80, 16, 64, S8, S8, S32, true, 0, .blocks = 0},
    {"u4_sparse_k128", FROM_80, 16, 128, U4, U4, S32, true, 0, .blocks = 0},
    {"e4m3_e5m2_k32", FP8, 16, 32, E4M3, E5M2, F32, .blocks = 0},
    {"e5m2_e4m3_k16", FP8, 16, 16, E5M2, E4M3, F16, .blocks = 0},
    {"e4m3_sparse_k64", FP8, 16, 64, E4M3, E4M3, F32, true, 0, .blocks = 0},
    {"e3m2_e2m1_k32", ON_120, 16, 32, E3M2, E2M1, F32, .blocks = 0},
    {"e2m3_e4m3_scaled_k32", ON_120, 16, 32, E2M3, E4M3, F32, false, 0, 1, false, 2, 1, 1, 3},
    {"mxf4_k64", ON_120, 16, 64, E2M1_ALONE, E2M1_ALONE, F32, false, 0, 2, false, 2, 1, 0, 3},
    {"nvf4_k64", ON_120, 16, 64, E2M1_ALONE, E2M1_ALONE, F32, false, 0, 4, true, 0, 1, 0, 2},
};

static uint32_t state;

static uint32_t below(uint32_t limit)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static double draw(enum type type)
{
    static const double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    double sign = below(2) ? 1 : -1;
    switch (type) {
    case S8: return (double)below(256) - 128;
    case U8: return below(256);
    case S4: return (double)below(16) - 8;
    case U4: return below(16);
    case S32: return (double)below(2000001) - 1000000;
    default: return sign * magnitudes[below(8)];
    }
}

static uint32_t small_bits(double value, unsigned exponent_bits, unsigned fraction_bits)
{
    int exponent, bias = (1 << (exponent_bits - 1)) - 1;
    double fraction = frexp(fabs(value), &exponent) * 2;
    uint32_t sign = value < 0 ? 1u << (exponent_bits + fraction_bits) : 0;
    exponent += bias - 1;
    if (value == 0)
        return 0;
    if (exponent <= 0)
        return sign | (uint32_t)ldexp(fraction, (int)fraction_bits + exponent - 1);
    return sign | (uint32_t)exponent << fraction_bits | (uint32_t)ldexp(fraction - 1, (int)fraction_bits);
}

static uint32_t encode(double value, enum type type)
{
    switch (type) {
    case S8: return (uint32_t)(int32_t)value & 0xff;
    case S4: return (uint32_t)(int32_t)value & 0xf;
    case U8:
    case U4:
    case S32: return (uint32_t)(int32_t)value;
    case F16: return small_bits(value, 5, 10);
    case BF16: return small_bits(value, 8, 7);
    case F32: return small_bits(value, 8, 23);
    case E4M3: return small_bits(value, 4, 3);
    case E5M2: return small_bits(value, 5, 2);
    case E3M2: return small_bits(value, 3, 2);
    case E2M3: return small_bits(value, 2, 3);
    case E2M1: return small_bits(value, 2, 1) << 2;
    default: return small_bits(value, 2, 1);
    }
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

static double a[16][DEPTH], b[DEPTH][COLUMNS], c[16][COLUMNS];

/* How many neighbours share an index of the metadata, and how many bits it has for each element of A. */
static unsigned granule(enum type type) { return type == U4 || type == S4 ? 2 : 1; }

static void set_index(struct operands *o, const struct product *p, unsigned row, unsigned element, uint32_t index)
{
    unsigned group = row % 8, upper = row / 8, bits = p->a == F32 ? 4 : 2;
    unsigned at = element * bits; /* the bits of this row */
    if (p->a == F32)
        index = index ? 14 : 4;
    if (p->a == F16 || p->a == F32) {
        unsigned lanes = p->depth * (p->a == F32 ? 2 : 1) / 16;
        o->metadata[4 * group + p->selector * lanes + at / 16] |= index << (at % 16 + 16 * upper);
    } else {
        unsigned lanes = p->depth / granule(p->a) / 16;
        o->metadata[4 * group + p->selector * lanes % 4 + at / 32 * 2 + upper] |= index << at % 32;
    }
}

/* Half of each neighbour group, in order: two of four granules, for TF32 one of two. */
static void fill_sparse_row(struct operands *o, const struct product *p, unsigned row)
{
    unsigned size = granule(p->a), group = p->a == F32 ? 2 : 4, stored = 0;
    for (unsigned k = 0; k < p->depth; k += group * size) {
        static const uint8_t pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        const uint8_t *pair = pairs[below(6)];
        for (unsigned i = 0; i < group / 2; i++) {
            unsigned index = p->a == F32 ? below(2) : pair[i];
            set_index(o, p, row, stored / size, index);
            for (unsigned j = 0; j < size; j++) {
                double value = draw(p->a);
                a[row][k + index * size + j] = value;
                o->a[row * p->depth / 2 + stored++] = encode(value, p->a);
            }
        }
    }
}

static void fill(struct operands *o, const struct product *p)
{
    memset(a, 0, sizeof a);
    memset(o, 0, sizeof *o);
    for (unsigned row = 0; row < p->rows; row++) {
        if (p->sparse) {
            fill_sparse_row(o, p, row);
            continue;
        }
        for (unsigned k = 0; k < p->depth; k++) {
            a[row][k] = draw(p->a);
            o->a[row * p->depth + k] = encode(a[row][k], p->a);
        }
    }
    for (unsigned column = 0; column < COLUMNS; column++) {
        for (unsigned k = 0; k < p->depth; k++) {
            b[k][column] = draw(p->b);
            o->b[k * COLUMNS + column] = encode(b[k][column], p->b);
        }
        for (unsigned row = 0; row < p->rows; row++) {
            c[row][column] = draw(p->c);
            o->c[row * COLUMNS + column] = encode(c[row][column], p->c);
        }
    }
}

/* Scale factors 0.5, 1, 2 and 4, in the lanes and bytes that the kernel names, of which the others are 16. */
static void fill_scales(struct operands *o, const struct product *p, double scale_a[16][4], double scale_b[COLUMNS][4])
{
    uint8_t one = p->ue4m3 ? 7 << 3 : 127, step = p->ue4m3 ? 8 : 1;
    for (unsigned lane = 0; lane < LANES; lane++)
        o->scale_a[lane] = o->scale_b[lane] = 0x01010101u * (uint8_t)(one + 4 * step);
    for (unsigned row = 0; row < 16; row++) {
        for (unsigned block = 0; block < 4; block++) {
            int power_a = (int)below(4) - 1, power_b = (int)below(4) - 1;
            scale_a[row][block] = block < p->blocks ? ldexp(1, power_a) : 1;
            scale_b[row % 8][block] = block < p->blocks ? ldexp(1, power_b) : 1;
            if (block >= p->blocks)
                continue;
            uint32_t *at = &o->scale_a[row % 8 * 4 + 2 * p->thread_a + row / 8];
            unsigned shift = 8 * (p->byte_a + block);
            *at = (*at & ~(0xffu << shift)) | (uint32_t)(one + power_a * step) << shift;
            at = &o->scale_b[row % 8 * 4 + p->thread_b];
            shift = 8 * (p->byte_b + block);
            *at = (*at & ~(0xffu << shift)) | (uint32_t)(one + power_b * step) << shift;
        }
    }
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

struct setting {
    struct memory *memory;
    struct exec_module module;
    unsigned sm;
    struct operands *o;
    uint64_t address;
};

static void run(struct setting *s, const char *kernel)
{
    struct exec_launch launch;
    struct exec_totals totals;
    struct status status = {0};
    bool ok = launch_begin(&launch, &s->module, kernel, (struct exec_dim){1, 1, 1}, (struct exec_dim){LANES, 1, 1}, 0,
                           &s->address, sizeof s->address, 8, 256, &status);
    if (ok) {
        ok = exec_run(&launch, NULL, NULL, NULL, &totals, &status);
        exec_launch_end(&launch);
    }
    if (!ok)
        fail_msg("sm_%u, %s: %s", s->sm, kernel, status.text);
}

static void on_every_machine(void (*check)(struct setting *s, unsigned index))
{
    for (unsigned i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        struct setting s = {.sm = architectures[i]};
        struct status status = {0};
        struct file_bytes file;
        char path[4096], name[64];
        snprintf(name, sizeof name, "tests/exec/cubin/matrices.sm_%u.cubin", s.sm);
        assert_true(file_read(unit_path(path, name), 1 << 20, &file, &status));
        s.memory = memory_create(1 << 24, &status);
        assert_non_null(s.memory);
        assert_true(exec_module_load(&s.module, s.memory, (struct cubin_bytes){file.data, file.size}, name, &status));
        s.address = memory_alloc(s.memory, sizeof *s.o);
        s.o = (struct operands *)(void *)memory_at(s.memory, s.address);
        check(&s, i);
        exec_module_unload(&s.module);
        memory_destroy(s.memory);
        file_free(&file);
    }
}

static void check_product(struct setting *s, const struct product *p)
{
    double scale_a[16][4], scale_b[COLUMNS][4];
    fill(s->o, p);
    fill_scales(s->o, p, scale_a, scale_b);
    run(s, p->kernel);
    for (unsigned row = 0; row < p->rows; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            double sum = c[row][column];
            for (unsigned k = 0; k < p->depth; k++) {
                unsigned block = k * (p->blocks ? p->blocks : 1) / p->depth;
                sum += a[row][k] * b[k][column] * scale_a[row][block] * scale_b[column][block];
            }
            if (s->o->d[row * COLUMNS + column] != encode(sum, p->c))
                fail_msg("sm_%u, %s: element (%u,%u) is %08x, not %08x", s->sm, p->kernel, row, column,
                         s->o->d[row * COLUMNS + column], encode(sum, p->c));
        }
    }
}

static void check_products(struct setting *s, unsigned index)
{
    for (unsigned i = 0; i < sizeof products / sizeof *products; i++)
        for (unsigned trial = 0; trial < 3 && (products[i].architectures >> index & 1); trial++)
            check_product(s, &products[i]);
}

static void products_of_every_type_are_those_of_the_matrices(void **unused)
{
    (void)unused;
    on_every_machine(check_products);
}

/* ---- bits, doubles, moves ---------------------------------------------------------------------------------------- */

static void check_bits(struct setting *s, unsigned index)
{
    if (index != 0 && s->sm != 80 && s->sm != 90)
        return;
    unsigned rows = index ? 16 : 8, words = index ? 8 : 4;
    for (unsigned i = 0; i < rows * words; i++)
        s->o->a[i] = below(1 << 24) * 2654435761u;
    for (unsigned i = 0; i < words * COLUMNS; i++)
        s->o->b[i] = below(1 << 24) * 2654435761u;
    for (unsigned i = 0; i < rows * COLUMNS; i++)
        s->o->c[i] = below(1000);
    run(s, index ? "and_k256" : "xor_k128");
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            uint32_t sum = s->o->c[row * COLUMNS + column];
            for (unsigned k = 0; k < words; k++) {
                uint32_t x = s->o->a[row * words + k], y = s->o->b[k * COLUMNS + column];
                sum += (uint32_t)__builtin_popcount(index ? x & y : x ^ y);
            }
            assert_int_equal(s->o->d[row * COLUMNS + column], sum);
        }
    }
}

static void bits_are_counted(void **unused)
{
    (void)unused;
    on_every_machine(check_bits);
}

static void check_double_product(struct setting *s, const char *kernel, unsigned rows, unsigned depth)
{
    double *x = (double *)(void *)s->o->a, *y = (double *)(void *)s->o->b, *z = (double *)(void *)s->o->c;
    const double *d = (const double *)(const void *)s->o->d;
    for (unsigned i = 0; i < rows * depth; i++)
        x[i] = (below(1 << 24) + 1) / 3.0;
    for (unsigned i = 0; i < depth * COLUMNS; i++)
        y[i] = (below(1 << 24) - 8e6) / 7.0;
    for (unsigned i = 0; i < rows * COLUMNS; i++)
        z[i] = below(1 << 24);
    run(s, kernel);
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            double sum = z[row * COLUMNS + column];
            for (unsigned k = 0; k < depth; k++)
                sum = fma(x[row * depth + k], y[k * COLUMNS + column], sum);
            assert_memory_equal(&sum, &d[row * COLUMNS + column], sizeof sum);
        }
    }
}

static void check_doubles(struct setting *s, unsigned index)
{
    if (index > 0)
        check_double_product(s, "f64_k4", 8, 4);
    if (s->sm == 90)
        check_double_product(s, "f64_k16", 16, 16);
}

static void doubles_are_fused_step_by_step(void **unused)
{
    (void)unused;
    on_every_machine(check_doubles);
}

static uint32_t half_of(const uint32_t *words, unsigned row, unsigned column)
{
    return words[row * 4 + column / 2] >> column % 2 * 16 & 0xffff;
}

static void check_moves(struct setting *s, unsigned index)
{
    (void)index;
    for (unsigned i = 0; i < LANES; i++)
        s->o->a[i] = below(1 << 24) * 2654435761u;
    run(s, "moves");
    for (unsigned row = 0; row < 8; row++) {
        for (unsigned column = 0; column < 8; column++) {
            assert_int_equal(half_of(s->o->d, row, column), half_of(s->o->a, column, row));
            assert_int_equal(half_of(s->o->d + 32, row, column), half_of(s->o->a, row, column));
            assert_int_equal(half_of(s->o->d + 64, row, column), half_of(s->o->a, row, column));
        }
    }
}

static void moves_transpose(void **unused)
{
    (void)unused;
    on_every_machine(check_moves);
}

/* Element `i` of a 16-byte row, in which elements of `bits` stand without gaps. */
static uint32_t element_of_row(const uint32_t *row, unsigned bits, unsigned i)
{
    uint32_t value = 0;
    for (unsigned bit = 0; bit < bits; bit++)
        value |= (row[(i * bits + bit) / 32] >> (i * bits + bit) % 32 & 1) << bit;
    return value;
}

/* PTX ISA, ldmatrix: elements of 4 and 6 bits become bytes. Of a transposed matrix a lane gets four rows of column
 * lane / 4 (+ 8 in the second register). stmatrix: two rows of columns lane / 4 and lane / 4 + 8. */
static void check_bytes(struct setting *s, unsigned index)
{
    static const unsigned transposed[] = {8, 4, 6}, straight[] = {4, 6};
    (void)index;
    if (s->sm != 120)
        return;
    for (unsigned i = 0; i < 2 * LANES; i++)
        s->o->a[i] = below(1 << 24) * 2654435761u, s->o->b[i] = below(1 << 24) * 2654435761u;
    run(s, "moves_of_bytes");
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < 4; i++) {
            unsigned k = lane % 4 * 4 + i;
            for (unsigned r = 0; r < 6; r++)
                assert_int_equal(s->o->d[32 * r + lane] >> 8 * i & 0xff,
                                 element_of_row(s->o->a + 4 * k, transposed[r / 2], lane / 4 + r % 2 * 8));
            for (unsigned r = 0; r < 2; r++)
                assert_int_equal(s->o->d[32 * (6 + r) + lane] >> 8 * i & 0xff,
                                 element_of_row(s->o->a + lane / 4 * 4, straight[r], k));
            for (unsigned r = 0; r < 2; r++)
                assert_int_equal(
                    s->o->b[32 * r + lane] >> 8 * i & 0xff,
                    element_of_row(s->o->c + 32 * r + (lane % 4 * 2 + i % 2) * 4, 8, lane / 4 + i / 2 * 8));
        }
    }
}

static void elements_of_fewer_bits_are_loaded_into_bytes_and_bytes_stored(void **unused)
{
    (void)unused;
    on_every_machine(check_bytes);
}

UNIT_TESTS(UNIT(products_of_every_type_are_those_of_the_matrices), UNIT(bits_are_counted),
           UNIT(doubles_are_fused_step_by_step), UNIT(moves_transpose),
           UNIT(elements_of_fewer_bits_are_loaded_into_bytes_and_bytes_stored))
