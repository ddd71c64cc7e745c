/* QMMA and OMMA: elements of 8, 6 and 4 bits, with and without scale factors.
 *
 * The sum is formed as measurements of the hardware show (MMA-Sim, "Bit-accurate reference model of tensor cores and
 * matrix cores"): the products' significands and C's are shifted to the largest exponent, where a product's
 * exponent is the sum of its factors' exponents, cut toward zero after so many bits of fraction, and added exactly. The
 * result is rounded toward zero to FP32, to nearest to FP16. sm_89 keeps 13 bits of fraction, also in an FP32 result,
 * and goes through k in blocks of 16; sm_120 keeps 25 bits and takes all of k at once, with 4-bit elements 35 bits and
 * sums of 16 products that are exact. Sparse forms have not been measured. They are taken as the dense ones with the
 * elements that A has. */
#include <math.h>

#include "exec/arithmetic/half.h"
#include "exec/cta.h"
#include "exec/launch.h"
#include "exec/matrix/mma.h"

/* value = significand * 2^(exponent - fraction); `exponent` is that of the encoding, also for denormals. */
struct number {
    enum { FINITE, INFINITE, NOT } kind;
    int64_t significand;
    int exponent, fraction;
};

struct format {
    uint8_t exponent_bits, fraction_bits, shift; /* shift: place in the byte */
    enum { ALL_FINITE, ONE_NAN, IEEE } special;
};

enum { FORMAT_E2M1 = ISA_MMA_SMALL_E2M1 + 1, FORMAT_F16, FORMAT_F32 };

static const struct format formats[] = {
    [ISA_MMA_SMALL_E4M3] = {4, 3, 0, ONE_NAN},
    [ISA_MMA_SMALL_E5M2] = {5, 2, 0, IEEE},
    [ISA_MMA_SMALL_E3M2] = {3, 2, 0, ALL_FINITE},
    [ISA_MMA_SMALL_E2M3] = {2, 3, 0, ALL_FINITE},
    [ISA_MMA_SMALL_E2M1] = {2, 1, 2, ALL_FINITE}, /* in the middle of its byte */
    [FORMAT_E2M1] = {2, 1, 0, ALL_FINITE},        /* without a byte around it */
    [FORMAT_F16] = {5, 10, 0, IEEE},
    [FORMAT_F32] = {8, 23, 0, IEEE},
};

static struct number decode(uint32_t bits, const struct format *f)
{
    bits >>= f->shift;
    uint32_t fraction = bits & ((1u << f->fraction_bits) - 1);
    uint32_t top = (1u << f->exponent_bits) - 1, exponent = bits >> f->fraction_bits & top;
    bool negative = bits >> (f->exponent_bits + f->fraction_bits) & 1;
    struct number n = {.kind = FINITE, .fraction = f->fraction_bits};
    if (exponent == top && f->special == IEEE)
        n.kind = fraction ? NOT : INFINITE;
    else if (exponent == top && f->special == ONE_NAN && fraction == (1u << f->fraction_bits) - 1)
        n.kind = NOT;
    n.significand = n.kind == INFINITE ? 1 : (int64_t)(exponent ? fraction | 1u << f->fraction_bits : fraction);
    n.significand = negative ? -n.significand : n.significand;
    n.exponent = (int)(exponent ? exponent : 1) - (int)(top >> 1);
    return n;
}

static struct number product(struct number x, struct number y)
{
    bool invalid = x.kind == NOT || y.kind == NOT || (x.kind == INFINITE && !y.significand) ||
                   (y.kind == INFINITE && !x.significand);
    return (struct number){.kind = invalid                                    ? NOT
                                   : x.kind == INFINITE || y.kind == INFINITE ? INFINITE
                                                                              : FINITE,
                           .significand = x.significand * y.significand,
                           .exponent = x.exponent + y.exponent,
                           .fraction = x.fraction + y.fraction};
}

/* ---- fused sums -------------------------------------------------------------------------------------------------- */

enum { TERMS = MMA_DEPTH + 1 };

struct fused {
    unsigned count;
    struct number term[TERMS];
};

static void add_term(struct fused *f, struct number n) { f->term[f->count++] = n; }

static int64_t aligned(struct number n, int largest, int fraction_bits)
{
    int shift = n.exponent - n.fraction - largest + fraction_bits;
    int64_t magnitude = n.significand < 0 ? -n.significand : n.significand;
    magnitude = shift >= 0 ? magnitude << shift : shift > -63 ? magnitude >> -shift : 0;
    return n.significand < 0 ? -magnitude : magnitude;
}

/* Exact value of the cut sum; NaN and infinities come out as such. */
static double fused_sum(const struct fused *f, int fraction_bits)
{
    bool plus = false, minus = false;
    int largest = INT32_MIN;
    for (unsigned i = 0; i < f->count; i++) {
        const struct number *n = &f->term[i];
        if (n->kind == NOT)
            return NAN;
        plus |= n->kind == INFINITE && n->significand > 0;
        minus |= n->kind == INFINITE && n->significand < 0;
        if (n->significand && n->exponent > largest)
            largest = n->exponent;
    }
    if (plus || minus)
        return plus && minus ? (double)NAN : plus ? (double)INFINITY : -(double)INFINITY;
    int64_t sum = 0;
    for (unsigned i = 0; i < f->count; i++)
        if (f->term[i].significand)
            sum += aligned(f->term[i], largest, fraction_bits);
    return sum ? ldexp((double)sum, largest - fraction_bits) : 0;
}

static uint32_t float_toward_zero(double d)
{
    float f = (float)d;
    uint32_t bits = float_canonical(float_bits(f));
    if (fabs((double)f) > fabs(d) && fabs(d) < 0x1p128)
        bits--;
    return bits;
}

struct model {
    uint8_t fraction_bits, block; /* block: products that one fused sum takes */
    bool short_result;            /* FP32 results have 13 bits of fraction */
};

static uint32_t rounded(double sum, const struct model *model, bool f32)
{
    if (!f32)
        return half_from_double(sum);
    uint32_t bits = float_toward_zero(sum);
    return model->short_result && !float_is_nan(bits) ? bits & ~UINT32_C(0x3ff) : bits;
}

static struct model model_of(const struct exec_warp *warp)
{
    unsigned sm = warp->cta->launch->module->sm;
    return sm == 89 ? (struct model){13, 16, true} : (struct model){25, MMA_DEPTH, false};
}

/* ---- without scale factors --------------------------------------------------------------------------------------- */

static struct number scaled(struct number n, struct number scale)
{
    n.kind = scale.kind == NOT ? NOT : n.kind;
    n.exponent += scale.exponent;
    return n;
}

static struct number negated(struct number n, bool negative)
{
    n.significand = negative ? -n.significand : n.significand;
    return n;
}

static uint32_t dot(const struct mma *m, const struct isa_inst *isa, unsigned row, unsigned column,
                    const struct model *model, struct number scale)
{
    const struct format *a = &formats[isa->mod[ISA_MOD_TYPE_A]], *b = &formats[isa->mod[ISA_MOD_TYPE_B]];
    bool f32 = isa->mod[ISA_MOD_MMA_ACC] != 0, negative = (isa->a.flags ^ isa->b.flags) & ISA_NEG;
    const struct format *accumulator = &formats[f32 ? FORMAT_F32 : FORMAT_F16];
    const struct mma_row *from = &m->row[row];
    uint32_t c = m->c[row][column];
    for (unsigned i = 0; i < from->count;) {
        struct fused f = {0};
        add_term(&f, decode(c, accumulator));
        for (unsigned end = i + model->block; i < end && i < from->count; i++) {
            struct number p = product(decode(from->a[i], a), decode(m->b[from->k[i]][column], b));
            add_term(&f, scaled(negated(p, negative), scale));
        }
        c = rounded(fused_sum(&f, model->fraction_bits), model, f32);
    }
    return c;
}

static bool types_known(const struct isa_inst *isa)
{
    unsigned a = isa->mod[ISA_MOD_TYPE_A], b = isa->mod[ISA_MOD_TYPE_B];
    return a < FORMAT_E2M1 && b < FORMAT_E2M1 && formats[a].exponent_bits && formats[b].exponent_bits;
}

void exec_QMMA(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    struct mma m;
    struct model model = model_of(warp);
    if (!mma_begin(core, warp, inst, &m))
        return;
    if (!types_known(&inst->isa)) {
        exec_refuse(core, warp, inst, "these types of a matrix multiplication");
        return;
    }
    mma_load(&m, warp, &inst->isa);
    for (unsigned row = 0; row < MMA_ROWS; row++)
        for (unsigned column = 0; column < MMA_COLUMNS; column++)
            m.c[row][column] = dot(&m, &inst->isa, row, column, &model, (struct number){.significand = 1});
    mma_store(&m, warp, &inst->isa, active);
}

/* ---- scale factors ----------------------------------------------------------------------------------------------- */

/* Where scale factors stand (PTX ISA, mma with block scaling): lanes 2 * thread and 2 * thread + 1 in a group of four
 * have those of A's rows g and g + 8, lane `thread` those of B's column g, from byte `byte` on. The uniform register
 * holds byte and thread of A in bits 1:0 and 2, those of B in bits 4:3 and 6:5. */
struct scales {
    const uint32_t *a, *b;
    unsigned byte_a, thread_a, byte_b, thread_b;
};

static struct scales scales_of(const struct exec_warp *warp, const struct isa_inst *isa, bool sparse)
{
    uint32_t where = warp->ureg[isa->g.index];
    return (struct scales){.a = exec_row_word(warp, isa->e.index, sparse),
                           .b = exec_row(warp, isa->f.index),
                           .byte_a = where & 3,
                           .thread_a = where >> 2 & 1,
                           .byte_b = where >> 3 & 3,
                           .thread_b = where >> 5 & 3};
}

static uint32_t scale_a(const struct scales *s, unsigned row, unsigned block)
{
    return s->a[row % 8 * 4 + 2 * s->thread_a + row / 8] >> 8 * ((s->byte_a + block) & 3) & 0xff;
}

static uint32_t scale_b(const struct scales *s, unsigned column, unsigned block)
{
    return s->b[column * 4 + s->thread_b] >> 8 * ((s->byte_b + block) & 3) & 0xff;
}

/* E8M0: a power of two, or NaN. */
static struct number power(uint32_t bits)
{
    return (struct number){.kind = bits == 0xff ? NOT : FINITE, .significand = 1, .exponent = (int)bits - 127};
}

void exec_QMMA_SF(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    struct mma m;
    struct model model = model_of(warp);
    if (!mma_begin(core, warp, inst, &m))
        return;
    if (!types_known(isa)) {
        exec_refuse(core, warp, inst, "these types of a matrix multiplication");
        return;
    }
    mma_load(&m, warp, isa);
    struct scales s = scales_of(warp, isa, m.shape.sparse);
    for (unsigned row = 0; row < MMA_ROWS; row++)
        for (unsigned column = 0; column < MMA_COLUMNS; column++)
            m.c[row][column] =
                dot(&m, isa, row, column, &model, product(power(scale_a(&s, row, 0)), power(scale_b(&s, column, 0))));
    mma_store(&m, warp, isa, active);
}

/* Groups of 16 products have one scale factor each and are added exactly before the fused sum. */
static uint32_t dot_of_groups(const struct mma *m, const struct isa_inst *isa, const struct scales *s, unsigned row,
                              unsigned column)
{
    enum { GROUP = 16, FRACTION = 35 };
    static const struct model model = {.fraction_bits = FRACTION, .block = MMA_DEPTH};
    const struct format *four = &formats[FORMAT_E2M1];
    const struct mma_row *from = &m->row[row];
    unsigned blocks = isa->mod[ISA_MOD_SCALE_BLOCK] ? 2 : 4;
    bool ue4m3 = isa->mod[ISA_MOD_SCALE_TYPE] != 0, negative = (isa->a.flags ^ isa->b.flags) & ISA_NEG;
    struct fused f = {0};
    add_term(&f, decode(m->c[row][column], &formats[FORMAT_F32]));
    for (unsigned i = 0; i < from->count; i += GROUP) {
        struct number group = {.kind = FINITE, .fraction = 2};
        for (unsigned j = i; j < i + GROUP; j++) {
            struct number p = product(decode(from->a[j], four), decode(m->b[from->k[j]][column], four));
            group.significand += p.significand * (1 << p.exponent);
        }
        unsigned block = i * blocks / from->count;
        uint32_t x = scale_a(s, row, block), y = scale_b(s, column, block);
        struct number scale =
            ue4m3 ? product(decode(x & 0x7f, &formats[0]), decode(y & 0x7f, &formats[0])) : product(power(x), power(y));
        add_term(&f, product(negated(group, negative), scale));
    }
    return rounded(fused_sum(&f, FRACTION), &model, true);
}

void exec_OMMA_SF(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    struct mma m;
    if (!mma_begin(core, warp, inst, &m))
        return;
    if (isa->mod[ISA_MOD_TYPE_A] || isa->mod[ISA_MOD_TYPE_B]) {
        exec_refuse(core, warp, inst, "elements of type E0M3");
        return;
    }
    mma_load(&m, warp, isa);
    struct scales s = scales_of(warp, isa, m.shape.sparse);
    for (unsigned row = 0; row < MMA_ROWS; row++)
        for (unsigned column = 0; column < MMA_COLUMNS; column++)
            m.c[row][column] = dot_of_groups(&m, isa, &s, row, column);
    mma_store(&m, warp, isa, active);
}
