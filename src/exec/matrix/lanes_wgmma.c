/* The products of wgmma, with the lanes in the host's vectors over the lanes of the warp.
 *
 * Fragments (PTX ISA, wgmma): lane = 4 * g + t. Register 4j + 2h + e of a 32-bit D has row g + 8h, column 8j + 2t + e.
 * So a register's lanes need rows of A that each stand four times side by side, and four columns of B that repeat: the
 * sums come out where the register file has them.
 *
 * Floats: wgmma_element.c has the rule. Significands are integers that make products with F fraction bits. The sum of
 * 16 stays below 2^31 (F = 25), and C is added in double, exactly. Elements with infinities or NaNs go there.
 *
 * Compiled once for each instruction set. Integers only, and doubles that are exact: all give the same bits. */
#include <string.h>

#include "exec/arithmetic/half.h"
#include "exec/matrix/wgmma.h"

#include "exec/matrix/lanes_vector.h"

#ifdef EXEC_V4
#define MULTIPLY wgmma_multiply_v4
#elif defined EXEC_V3
#define MULTIPLY wgmma_multiply_v3
#else
#define MULTIPLY wgmma_multiply_base
#endif

enum { VECTORS = EXEC_LANES / WIDTH, QUAD = 4, HALVES = WGMMA_ROWS / 8, NEVER = -1000 };

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* A float: its significand with its sign, and above it the exponent, 16 bits each. Other types: the value. */
struct elements {
    _Alignas(64) int32_t v[WGMMA_DEPTH];
};

/* scale: fraction bits that the significand shall have. Returns whether one is infinite or NaN. */
INLINE bool decode_floats(struct elements *e, unsigned count, unsigned exponent_bits, unsigned fraction_bits,
                          bool one_nan, unsigned scale, int32_t flip)
{
    int32_t top = (1 << exponent_bits) - 1, wild = 0;
    for (unsigned i = 0; i < count; i++) {
        int32_t x = e->v[i], fraction = x & ((1 << fraction_bits) - 1), exponent = x >> fraction_bits & top;
        int32_t sign = -(x >> (exponent_bits + fraction_bits) & 1) ^ flip;
        int32_t normal = exponent != 0 ? 1 : 0;
        int32_t significand = fraction | normal << fraction_bits;
        wild |= exponent == top && (!one_nan || fraction == (1 << fraction_bits) - 1) ? 1 : 0;
        exponent = significand != 0 ? exponent + 1 - normal - (top >> 1) : NEVER;
        significand = (significand << (scale - fraction_bits) ^ sign) - sign;
        e->v[i] = (int32_t)((uint32_t)exponent << 16 | ((uint32_t)significand & 0xffff));
    }
    return wild != 0;
}

/* Eight at a time: a row has room for them, and the inner loop becomes one step. */
INLINE void take(struct elements *e, const uint8_t *row, unsigned count, unsigned bytes, unsigned drop)
{
    enum { STEP = 8 };
    for (unsigned first = 0; first < count; first += STEP) {
        uint16_t half[STEP];
        uint32_t word[STEP];
        if (bytes == 2)
            memcpy(half, row + 2 * first, sizeof half);
        if (bytes == 4)
            memcpy(word, row + 4 * first, sizeof word);
        for (unsigned i = 0; i < STEP; i++)
            e->v[first + i] = (int32_t)((bytes == 1 ? row[first + i] : bytes == 2 ? half[i] : word[i]) >> drop);
    }
}

/* The elements of a row or column with `count`, significands of floats with so many fraction bits. */
static bool read_elements(struct elements *e, const uint8_t *row, unsigned type, unsigned count, unsigned scale,
                          bool negative)
{
    int32_t flip = negative ? -1 : 0;
    switch ((enum wgmma_type)type) {
    case WGMMA_F16: take(e, row, count, 2, 0); return decode_floats(e, count, 5, 10, false, scale, flip);
    case WGMMA_BF16: take(e, row, count, 2, 0); return decode_floats(e, count, 8, 7, false, scale, flip);
    case WGMMA_TF32: take(e, row, count, 4, 13); return decode_floats(e, count, 8, 10, false, scale, flip);
    case WGMMA_E4M3: take(e, row, count, 1, 0); return decode_floats(e, count, 4, 3, true, scale, flip);
    case WGMMA_E5M2: take(e, row, count, 1, 0); return decode_floats(e, count, 5, 2, false, scale, flip);
    case WGMMA_S8:
        for (unsigned i = 0; i < count; i++)
            e->v[i] = (int8_t)row[i];
        return false;
    case WGMMA_U8: take(e, row, count, 1, 0); return false;
    case WGMMA_BITS: take(e, row, count, 4, 0); return false;
    case WGMMA_TYPES: break;
    }
    return false;
}

/* ---- operands as vectors ----------------------------------------------------------------------------------------- */

struct operands {
    const struct wgmma_form *form;
    unsigned depth, fraction; /* fraction: bits of the products */
    bool wild_a, wild_b;
    _Alignas(64) int32_t a[WGMMA_DEPTH][HALVES][EXEC_LANES], a_exponent[WGMMA_DEPTH][HALVES][EXEC_LANES];
    _Alignas(64) int32_t b[2][WGMMA_DEPTH][QUAD]; /* columns 2t + e, as elements have them */
    _Alignas(64) ints column[WGMMA_DEPTH], column_exponent[WGMMA_DEPTH];
};

typedef int32_t four __attribute__((vector_size(4 * QUAD)));

static bool is_float(unsigned type) { return type <= WGMMA_E5M2; }

static void read_a(struct operands *o, const struct wgmma_job *job)
{
    for (unsigned row = 0; row < WGMMA_ROWS; row++) {
        struct elements e;
        o->wild_a |= read_elements(&e, job->a[row], o->form->type_a, o->depth, o->fraction / 2, o->form->negative);
        bool packed = is_float(o->form->type_a);
        for (unsigned k = 0; k < o->depth; k++) {
            four to = (four){0} + (packed ? (int16_t)e.v[k] : e.v[k]), exponent = (four){0} + (e.v[k] >> 16);
            memcpy(o->a[k][row / 8] + row % 8 * QUAD, &to, sizeof to);
            memcpy(o->a_exponent[k][row / 8] + row % 8 * QUAD, &exponent, sizeof exponent);
        }
    }
}

/* Eight columns. */
static void read_b(struct operands *o, const uint8_t (*b)[WGMMA_BYTES])
{
    o->wild_b = false;
    for (unsigned n = 0; n < WGMMA_GROUP; n++) {
        struct elements e;
        o->wild_b |= read_elements(&e, b[n], o->form->type_b, o->depth, o->fraction - o->fraction / 2, false);
        for (unsigned k = 0; k < o->depth; k++)
            o->b[n % 2][k][n / 2] = e.v[k];
    }
}

/* The columns of one register, repeated over a vector. Two loops: a processor waits where it loads a vector that was
 * just stored in parts. */
static void spread_columns(struct operands *o, unsigned e)
{
    bool packed = is_float(o->form->type_b);
    for (unsigned k = 0; k < o->depth; k++)
        for (unsigned i = 0; i < WIDTH; i += QUAD)
            memcpy((char *)&o->column[k] + 4 * i, o->b[e][k], sizeof o->b[e][k]);
    for (unsigned k = 0; k < o->depth; k++) {
        ints v = o->column[k];
        o->column[k] = packed ? v << 16 >> 16 : v;
        o->column_exponent[k] = v >> 16;
    }
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

struct terms {
    ints sum, c, largest; /* sum and C in units of 2^(largest - F) */
};

INLINE struct terms sum_terms(const struct operands *o, unsigned half, unsigned vector, struct addend c, int spare)
{
    ints largest = most(c.exponent, spread(EXPONENT_OF_ZERO)), sum = {0};
    const ints *a = (const ints *)o->a[0][half] + vector, *x = (const ints *)o->a_exponent[0][half] + vector;
    enum { NEXT = HALVES * VECTORS };
    for (unsigned k = 0; k < o->depth; k++)
        largest = most(largest, x[k * NEXT] + o->column_exponent[k]);
    for (unsigned k = 0; k < o->depth; k++) {
        ints p = a[k * NEXT] * o->column[k], sign = p >> 31;
        ints cut = right((p ^ sign) - sign, largest - x[k * NEXT] - o->column_exponent[k]);
        sum += (cut ^ sign) - sign;
    }
    ints cut = spare >= 0 ? right(c.magnitude << (spare >= 0 ? spare : 0), largest - c.exponent)
                          : right(c.magnitude, largest - c.exponent - spare);
    return (struct terms){sum, (cut ^ c.sign) - c.sign, largest};
}

/* The sum as a number, exactly: it has less than 40 bits. */
INLINE doubles value_of(struct terms t, unsigned fraction)
{
    longs power = (__builtin_convertvector(t.largest - (int32_t)fraction, longs) + 1023) << 52;
    return (__builtin_convertvector(t.sum, doubles) + __builtin_convertvector(t.c, doubles)) * (doubles)power;
}

INLINE void float_register(const struct operands *o, const uint32_t *c, uint32_t *d, unsigned half, bool eight)
{
    for (unsigned v = 0; v < VECTORS; v++) {
        ints bits = {0};
        if (c)
            memcpy(&bits, c + v * WIDTH, sizeof bits);
        struct addend addend = addend_of(bits, 8, 23);
        int fraction = eight ? WGMMA_FRACTION_8 : (int)o->fraction;
        ints result = cut_to_float(value_of(sum_terms(o, half, v, addend, fraction - 23), (unsigned)fraction));
        result &= eight ? ~0x3ff : ~0;
        memcpy(d + v * WIDTH, &result, sizeof result);
    }
}

/* The lower or upper halves of a register, as 32 floats rounded to odd. */
INLINE void half_register(const struct operands *o, const uint32_t *c, uint32_t *d, unsigned half, unsigned e,
                          bool eight)
{
    for (unsigned v = 0; v < VECTORS; v++) {
        ints bits = {0};
        if (c)
            memcpy(&bits, c + v * WIDTH, sizeof bits);
        struct addend addend = addend_of(bits >> (int32_t)(16 * e) & 0xffff, 5, 10);
        int fraction = eight ? WGMMA_FRACTION_8 : (int)o->fraction;
        ints result = odd_float(value_of(sum_terms(o, half, v, addend, fraction - 10), (unsigned)fraction));
        memcpy(d + v * WIDTH, &result, sizeof result);
    }
}

/* ---- infinities and NaNs ----------------------------------------------------------------------------------------- */

/* One column of each lane quad, by the plain rule. Returns the results in `r`, 32 or 16 bits each. */
static void plain_register(const struct wgmma_job *job, const uint32_t *c, uint32_t *r, unsigned group, unsigned half,
                           unsigned e)
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        uint32_t addend = c ? job->form.wide ? c[lane] : c[lane] >> 16 * e & 0xffff : 0;
        r[lane] = wgmma_element(job, lane / QUAD + 8 * half, WGMMA_GROUP * group + lane % QUAD * 2 + e, addend);
    }
}

static bool wild_c(const uint32_t *c, bool wide)
{
    uint32_t found = 0;
    for (unsigned lane = 0; c && lane < EXEC_LANES; lane++) {
        uint32_t whole = (c[lane] & FLOAT_INFINITY) == FLOAT_INFINITY;
        uint32_t halves = (c[lane] & 0x7c00) == 0x7c00 || (c[lane] & 0x7c000000) == 0x7c000000;
        found |= wide ? whole : halves;
    }
    return found;
}

/* ---- a group of eight columns ------------------------------------------------------------------------------------ */

static void float_group(struct operands *o, const struct wgmma_job *job, unsigned group, bool eight)
{
    for (unsigned e = 0; e < 2; e++) {
        spread_columns(o, e);
        for (unsigned half = 0; half < HALVES; half++) {
            unsigned r = 4 * group + 2 * half + e;
            const uint32_t *c = job->c ? job->c[r] : NULL;
            if (o->wild_a || o->wild_b || wild_c(c, true)) {
                uint32_t result[EXEC_LANES];
                plain_register(job, c, result, group, half, e);
                memcpy(job->d[r], result, sizeof result);
            } else if (eight) {
                float_register(o, c, job->d[r], half, true);
            } else {
                float_register(o, c, job->d[r], half, false);
            }
        }
    }
}

static void half_group(struct operands *o, const struct wgmma_job *job, unsigned group, bool eight)
{
    uint32_t result[HALVES][2][EXEC_LANES];
    for (unsigned e = 0; e < 2; e++) {
        spread_columns(o, e);
        for (unsigned half = 0; half < HALVES; half++) {
            const uint32_t *c = job->c ? job->c[2 * group + half] : NULL;
            uint32_t odd[EXEC_LANES];
            if (o->wild_a || o->wild_b || wild_c(c, false)) {
                plain_register(job, c, result[half][e], group, half, e);
                continue;
            }
            half_register(o, c, odd, half, e, eight);
            half_row_from_float(result[half][e], odd);
        }
    }
    for (unsigned half = 0; half < HALVES; half++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            job->d[2 * group + half][lane] = result[half][0][lane] | result[half][1][lane] << 16;
}

/* ---- integers and bits ------------------------------------------------------------------------------------------- */

INLINE ints bit_counts(ints bits)
{
    typedef uint32_t words __attribute__((vector_size(4 * WIDTH)));
    words x = (words)bits;
    x = x - (x >> 1 & 0x55555555);
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return (ints)((x + (x >> 8) + (x >> 16) + (x >> 24)) & 0xff);
}

static void integer_group(struct operands *o, const struct wgmma_job *job, unsigned group)
{
    bool bits = o->form->type_a == WGMMA_BITS;
    enum { NEXT = HALVES * VECTORS };
    for (unsigned r = 0; r < 4; r++) {
        unsigned half = r / 2;
        spread_columns(o, r % 2);
        for (unsigned v = 0; v < VECTORS; v++) {
            const ints *a = (const ints *)o->a[0][half] + v;
            ints sum = {0}, c = {0};
            for (unsigned k = 0; k < o->depth; k++)
                sum += bits ? bit_counts(a[k * NEXT] & o->column[k]) : a[k * NEXT] * o->column[k];
            if (job->c)
                memcpy(&c, job->c[4 * group + r] + v * WIDTH, sizeof c);
            c = add_to(c, sum, o->form->saturate);
            memcpy(job->d[4 * group + r] + v * WIDTH, &c, sizeof c);
        }
    }
}

void MULTIPLY(const struct wgmma_job *job)
{
    struct operands o;
    bool eight = job->form.type_a == WGMMA_E4M3 || job->form.type_a == WGMMA_E5M2;
    o.form = &job->form;
    o.depth = job->form.depth;
    o.fraction = job->form.fraction;
    o.wild_a = false;
    read_a(&o, job);
    for (unsigned group = 0; group < job->form.columns / WGMMA_GROUP; group++) {
        read_b(&o, job->b + WGMMA_GROUP * group);
        if (!is_float(job->form.type_a))
            integer_group(&o, job, group);
        else if (job->form.wide)
            float_group(&o, job, group, eight);
        else
            half_group(&o, job, group, eight);
    }
}
