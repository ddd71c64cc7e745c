/* The products of tcgen05.mma, with the lanes of the host's vectors over the rows of A.
 *
 * umma_element.c has the rules. Floats: a product of two elements is exact in FP32. Times the power of two that puts
 * the largest exponent at 2^F, and converted to an integer, it is cut as the tensor core cuts it. The sum of 16 such
 * integers stays below 2^31 (F = 25). D is added in double, exactly. Elements of 4 bits: sums of 16 products are exact
 * in FP32, and those times scale factors are integers of 53 bits. Elements with infinities or NaNs, or with products
 * beyond the range of FP32, take the plain way, one by one.
 *
 * Compiled once for each instruction set (exec/matrix/lanes_vector.h): all give the same bits. */
#include <string.h>

#include "exec/arithmetic/half.h"
#include "exec/matrix/lanes_vector.h"
#include "exec/tensor/umma.h"

#ifdef EXEC_V4
#define MULTIPLY umma_multiply_v4
#elif defined EXEC_V3
#define MULTIPLY umma_multiply_v3
#else
#define MULTIPLY umma_multiply_base
#endif

enum {
    BLOCK = 32, /* rows at a time */
    VECTORS = BLOCK / WIDTH,
    BLOCKS = UMMA_ROWS / BLOCK,
    FLOAT_DEPTH = 64, /* elements with exponents */
    FRACTION = 25,
    GROUP_FRACTION = 35,
    NEVER = -1000, /* exponent of a zero factor */
    NOTHING = -600 /* exponent for a sum of zeros where zeros do not count */
};

/* Exponents of products whose sums FP32 holds. */
enum { LOWEST = -102, HIGHEST = 125 };

typedef uint64_t ulongs __attribute__((vector_size(8 * WIDTH)));

/* Notes on a column or a block of rows: exponents of elements other than zero, and elements beyond the range of FP32.
 * */
struct range {
    int32_t low, high;
    bool wild;
};

/* A scale factor: significand * 2^exponent, with three bits of fraction where it is no power of two. */
struct scale {
    int32_t significand, exponent;
};

/* An A row or a B column. */
struct side {
    float value[UMMA_DEPTH];
    int32_t exponent[UMMA_DEPTH];
    struct range range;
    struct scale scale[UMMA_BLOCKS];
};

/* Rows side by side. */
struct rows {
    _Alignas(64) floats value[UMMA_DEPTH][VECTORS];
    _Alignas(64) ints exponent[FLOAT_DEPTH][VECTORS];
    _Alignas(64) ints significand[UMMA_BLOCKS][VECTORS], scale[UMMA_BLOCKS][VECTORS];
    struct range range;
};

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Formats whose exponent has fewer than eight bits. */
INLINE void decode(struct side *s, const int32_t *raw, unsigned count, int exponent_bits, int fraction_bits,
                   int largest_finite)
{
    int32_t top = (1 << exponent_bits) - 1, low = -NEVER, high = NEVER, wild = 0;
    for (unsigned i = 0; i < count; i++) {
        int32_t x = raw[i], fraction = x & ((1 << fraction_bits) - 1), exponent = x >> fraction_bits & top;
        int32_t normal = exponent != 0 ? 1 : 0, significand = fraction | normal << fraction_bits;
        int32_t sign = -(x >> (exponent_bits + fraction_bits) & 1);
        int32_t e = exponent + 1 - normal - (top >> 1);
        wild |= (x & ((1 << (exponent_bits + fraction_bits)) - 1)) > largest_finite ? 1 : 0;
        s->value[i] = (float)((significand ^ sign) - sign) * float_of((uint32_t)(e - fraction_bits + 127) << 23);
        s->exponent[i] = significand ? e : NEVER;
        low = significand && e < low ? e : low;
        high = s->exponent[i] > high ? s->exponent[i] : high;
    }
    s->range = (struct range){low, high, wild != 0};
}

/* BF16 and TF32, which have the exponents of FP32. */
INLINE void decode_wide(struct side *s, const int32_t *raw, unsigned count, unsigned up)
{
    int32_t low = -NEVER, high = NEVER, wild = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t x = (uint32_t)raw[i] << up;
        int32_t exponent = (int32_t)(x >> 23 & 0xff);
        int32_t e = exponent ? exponent - 127 : -126, there = (x & 0x7fffffff) != 0;
        wild |= exponent == 0xff ? 1 : 0;
        s->value[i] = float_of(x);
        s->exponent[i] = there ? e : NEVER;
        low = there && e < low ? e : low;
        high = s->exponent[i] > high ? s->exponent[i] : high;
    }
    s->range = (struct range){low, high, wild != 0};
}

INLINE void take(int32_t *raw, const uint8_t *row, unsigned count, unsigned bytes)
{
    for (unsigned i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, row + 2 * i, sizeof half);
        if (bytes == 1)
            raw[i] = row[i];
        else if (bytes == 2)
            raw[i] = half;
        else
            memcpy(&raw[i], row + 4 * i, sizeof raw[i]);
    }
}

static void read_elements(struct side *s, const uint8_t *row, unsigned type, unsigned count)
{
    int32_t raw[UMMA_DEPTH];
    take(raw, row, count, type == UMMA_TYPE_TF32 ? 4 : type <= UMMA_TYPE_BF16 ? 2 : 1);
    switch ((enum umma_type)type) {
    case UMMA_TYPE_F16: decode(s, raw, count, 5, 10, 0x7bff); return;
    case UMMA_TYPE_BF16: decode_wide(s, raw, count, 16); return;
    case UMMA_TYPE_TF32:
        for (unsigned i = 0; i < count; i++)
            raw[i] &= ~0x1fff;
        decode_wide(s, raw, count, 0);
        return;
    case UMMA_TYPE_E4M3: decode(s, raw, count, 4, 3, 0x7e); return;
    case UMMA_TYPE_E5M2: decode(s, raw, count, 5, 2, 0x7b); return;
    case UMMA_TYPE_E2M3: decode(s, raw, count, 2, 3, 0x1f); return;
    case UMMA_TYPE_E3M2: decode(s, raw, count, 3, 2, 0x1f); return;
    case UMMA_TYPE_E2M1: decode(s, raw, count, 2, 1, 0x7); return;
    case UMMA_TYPE_U8:
    case UMMA_TYPE_S8:
        for (unsigned i = 0; i < count; i++)
            s->value[i] = (float)(type == UMMA_TYPE_S8 ? (int8_t)raw[i] : raw[i]);
        s->range = (struct range){0, 0, false};
        return;
    case UMMA_TYPES: return;
    }
}

static void read_scales(struct side *s, const struct umma_form *form, const uint8_t *bits)
{
    for (unsigned b = 0; b < form->blocks; b++) {
        int32_t x = form->powers ? bits[b] : bits[b] & 0x7f, exponent = x >> 3;
        if (form->powers)
            s->scale[b] = (struct scale){1, x - 127};
        else
            s->scale[b] = (struct scale){(x & 7) | (exponent ? 8 : 0), (exponent ? exponent : 1) - 7};
        s->range.wild |= x == (form->powers ? 0xff : 0x7f);
    }
}

static void read_column(struct side *s, const struct umma_job *job, unsigned column)
{
    read_elements(s, job->b[column], job->form.type_b, job->form.depth);
    read_scales(s, &job->form, job->scale_b[column]);
}

/* A block of rows from `first` on. */
static void read_rows(struct rows *r, const struct umma_job *job, unsigned first)
{
    const struct umma_form *form = &job->form;
    float(*value)[BLOCK] = (float(*)[BLOCK])r->value;
    int32_t(*exponent)[BLOCK] = (int32_t(*)[BLOCK])r->exponent;
    int32_t(*significand)[BLOCK] = (int32_t(*)[BLOCK])r->significand, (*scale)[BLOCK] = (int32_t(*)[BLOCK])r->scale;
    r->range = (struct range){-NEVER, NEVER, false};
    for (unsigned i = 0; i < BLOCK; i++) {
        struct side s;
        read_elements(&s, job->a[first + i], form->type_a, form->depth);
        read_scales(&s, form, job->scale_a[first + i]);
        r->range.low = s.range.low < r->range.low ? s.range.low : r->range.low;
        r->range.high = s.range.high > r->range.high ? s.range.high : r->range.high;
        r->range.wild |= s.range.wild;
        for (unsigned k = 0; k < form->depth; k++)
            value[k][i] = form->negative ? -s.value[k] : s.value[k];
        for (unsigned k = 0; umma_floats(form) && k < form->depth && k < FLOAT_DEPTH; k++)
            exponent[k][i] = s.exponent[k];
        for (unsigned b = 0; b < form->blocks; b++) {
            significand[b][i] = s.scale[b].significand;
            scale[b][i] = s.scale[b].exponent;
        }
    }
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

INLINE ints between(ints x, int32_t low, int32_t high) { return least(most(x, spread(low)), spread(high)); }

/* D with 2^-n, an exponent for zero, and F fraction bits beyond `fraction_bits` of its own. */
INLINE struct addend addend_for(const struct umma_form *form, ints bits, bool half, int32_t zero)
{
    struct addend a = half ? addend_of(bits, 5, 10) : addend_of(bits, 8, 23);
    a.exponent = choose(a.magnitude != 0, a.exponent - (int32_t)form->input_scale, spread(zero));
    return a;
}

/* The sums of WIDTH rows, exactly. */
INLINE doubles float_sum(const struct rows *a, const struct side *c, unsigned v, unsigned depth, struct addend addend,
                         int spare, ints shift, int32_t lowest)
{
    ints largest = spread(NEVER), first = {0}, second = {0};
    for (unsigned k = 0; k < depth; k++)
        largest = most(largest, a->exponent[k][v] + c->exponent[k]);
    largest = most(most(largest + shift, addend.exponent), spread(lowest));
    floats power = (floats)((between(shift + FRACTION - largest, -126, 127) + 127) << 23);
    for (unsigned k = 0; k < depth / 2; k++) {
        first += __builtin_convertvector(a->value[k][v] * c->value[k] * power, ints);
        second += __builtin_convertvector(a->value[k + depth / 2][v] * c->value[k + depth / 2] * power, ints);
    }
    ints cut = right(addend.magnitude << spare, largest - addend.exponent);
    cut = (cut ^ addend.sign) - addend.sign;
    longs unit = (__builtin_convertvector(largest - FRACTION, longs) + 1023) << 52;
    return (__builtin_convertvector(first, doubles) + __builtin_convertvector(second, doubles) +
            __builtin_convertvector(cut, doubles)) *
           (doubles)unit;
}

/* `d`: the block's rows of D before, and then after. Halves are in the lower 16 bits. */
INLINE void float_block(const struct rows *a, const struct side *c, const struct umma_form *form, unsigned depth,
                        bool half, uint32_t *d)
{
    int32_t zero = form->blocks ? NOTHING : EXPONENT_OF_ZERO;
    for (unsigned v = 0; v < VECTORS; v++) {
        ints bits, shift = {0};
        memcpy(&bits, d + v * WIDTH, sizeof bits);
        if (form->blocks)
            shift = a->scale[0][v] + c->scale[0].exponent;
        doubles sum = float_sum(a, c, v, depth, addend_for(form, bits, half, zero),
                                half ? FRACTION - 10 : FRACTION - 23, shift, zero);
        bits = half ? odd_float(sum) : cut_to_float(sum);
        memcpy(d + v * WIDTH, &bits, sizeof bits);
    }
    if (half) {
        uint32_t odd[BLOCK];
        memcpy(odd, d, sizeof odd);
        half_row_from_float(d, odd);
    }
}

static void float_any(const struct rows *a, const struct side *c, const struct umma_form *form, uint32_t *d)
{
    bool half = form->result == UMMA_RESULT_F16;
    switch (form->depth) {
    case 8: float_block(a, c, form, 8, false, d); break;
    case 16:
        if (half)
            float_block(a, c, form, 16, true, d);
        else
            float_block(a, c, form, 16, false, d);
        break;
    default:
        if (half)
            float_block(a, c, form, form->depth, true, d);
        else
            float_block(a, c, form, form->depth, false, d);
    }
}

/* ---- groups of 4-bit elements -------------------------------------------------------------------------------------
 * */

/* Four times the sum of a group, and the exponent of its scale factors; without a sum, none. */
INLINE ints group_sum(const struct rows *a, const struct side *c, const struct umma_form *form, unsigned v,
                      unsigned group, ints *exponent)
{
    unsigned count = form->depth / form->groups, block = group * form->blocks / form->groups;
    floats sum = {0};
    for (unsigned k = group * count; k < (group + 1) * count; k++)
        sum += a->value[k][v] * c->value[k];
    ints scaled = __builtin_convertvector(sum * 4, ints) * (a->significand[block][v] * c->scale[block].significand);
    *exponent = choose(scaled != 0, a->scale[block][v] + c->scale[block].exponent, spread(NOTHING));
    return scaled;
}

/* The magnitude cut at the exponent `largest`, with its sign. */
INLINE longs cut_group(ints sum, ints exponent, ints largest, unsigned up)
{
    longs wide = __builtin_convertvector(sum, longs), sign = wide >> 63;
    longs down = __builtin_convertvector(least(largest - exponent, spread(63)), longs);
    longs cut = (longs)((ulongs)((wide ^ sign) - sign) << up >> (ulongs)down);
    return (cut ^ sign) - sign;
}

INLINE void group_block(const struct rows *a, const struct side *c, const struct umma_form *form, uint32_t *d)
{
    unsigned fraction = form->powers ? 2 : 8;
    for (unsigned v = 0; v < VECTORS; v++) {
        ints bits, sum[UMMA_GROUPS], exponent[UMMA_GROUPS];
        memcpy(&bits, d + v * WIDTH, sizeof bits);
        struct addend addend = addend_for(form, bits, false, NOTHING);
        ints largest = addend.exponent;
        for (unsigned g = 0; g < form->groups; g++) {
            sum[g] = group_sum(a, c, form, v, g, &exponent[g]);
            largest = most(largest, exponent[g]);
        }
        longs total =
            cut_group((addend.magnitude ^ addend.sign) - addend.sign, addend.exponent, largest, GROUP_FRACTION - 23);
        for (unsigned g = 0; g < form->groups; g++)
            total += cut_group(sum[g], exponent[g], largest, GROUP_FRACTION - fraction);
        longs unit = (__builtin_convertvector(largest - GROUP_FRACTION, longs) + 1023) << 52;
        bits = cut_to_float(__builtin_convertvector(total, doubles) * (doubles)unit);
        memcpy(d + v * WIDTH, &bits, sizeof bits);
    }
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

/* Sums of byte products are exact in FP32. */
INLINE void integer_block(const struct rows *a, const struct side *c, const struct umma_form *form, uint32_t *d)
{
    for (unsigned v = 0; v < VECTORS; v++) {
        floats sum = {0};
        ints bits;
        for (unsigned k = 0; k < form->depth; k++)
            sum += a->value[k][v] * c->value[k];
        memcpy(&bits, d + v * WIDTH, sizeof bits);
        bits = add_to(bits, __builtin_convertvector(sum, ints), form->saturate);
        memcpy(d + v * WIDTH, &bits, sizeof bits);
    }
}

/* ---- D ----------------------------------------------------------------------------------------------------------- */

static bool wild_d(const uint32_t *d, bool half)
{
    uint32_t mask = half ? 0x7c00 : FLOAT_INFINITY, found = 0;
    for (unsigned i = 0; i < BLOCK; i++)
        found |= (d[i] & mask) == mask ? 1u : 0u;
    return found;
}

enum { RUN = 16 /* rows in lanes side by side */ };

/* The lane of a row in the piece that has the column. */
static unsigned lane_of(const struct umma_job *job, unsigned row, unsigned column)
{
    unsigned piece = column * job->form.pieces / job->form.columns;
    return job->lane + umma_lane(&job->form, row) + piece * (UMMA_ROWS / job->form.pieces);
}

static void load_d(const struct umma_job *job, unsigned first, unsigned column, uint32_t *d)
{
    memset(d, 0, BLOCK * sizeof *d);
    if (!job->form.add)
        return;
    for (unsigned i = 0; i < BLOCK; i += RUN)
        memcpy(d + i, job->d[column] + lane_of(job, first + i, column), RUN * sizeof *d);
    for (unsigned i = 0; job->form.result == UMMA_RESULT_F16 && i < BLOCK; i++)
        d[i] &= 0xffff;
}

static void store_d(const struct umma_job *job, unsigned first, unsigned column, const uint32_t *d)
{
    for (unsigned i = 0; i < BLOCK; i += RUN) {
        unsigned lane = lane_of(job, first + i, column);
        uint32_t off = job->disabled[lane / 32] >> lane % 32 & 0xffff, *to = job->d[column] + lane;
        if (!off)
            memcpy(to, d + i, RUN * sizeof *d);
        for (unsigned j = 0; off && j < RUN; j++)
            to[j] = off >> j & 1 ? to[j] : d[i + j];
    }
}

static bool plain(const struct umma_form *form, const struct range *a, const struct range *b, const uint32_t *d)
{
    return umma_floats(form) && (a->wild || b->wild || a->low + b->low < LOWEST || a->high + b->high > HIGHEST ||
                                 (form->add && wild_d(d, form->result == UMMA_RESULT_F16)));
}

static void multiply_block(const struct umma_job *job, const struct rows *a, const struct side *c, unsigned first,
                           unsigned column)
{
    const struct umma_form *form = &job->form;
    uint32_t d[BLOCK];
    load_d(job, first, column, d);
    if (plain(form, &a->range, &c->range, d))
        for (unsigned i = 0; i < BLOCK; i++)
            d[i] = umma_element(job, first + i, column, d[i]);
    else if (form->kind == UMMA_I8)
        integer_block(a, c, form, d);
    else if (form->kind == UMMA_MXF4)
        group_block(a, c, form, d);
    else
        float_any(a, c, form, d);
    store_d(job, first, column, d);
}

void MULTIPLY(const struct umma_job *job)
{
    struct rows a[BLOCKS];
    struct side c;
    for (unsigned first = 0; first < job->form.rows; first += BLOCK)
        read_rows(&a[first / BLOCK], job, first);
    for (unsigned column = 0; column < job->form.columns; column++) {
        read_column(&c, job, column);
        for (unsigned first = 0; first < job->form.rows; first += BLOCK)
            multiply_block(job, &a[first / BLOCK], &c, first, column);
    }
}
