/* Conversions between floating-point formats and to integral values. */
#include "exec/arithmetic/half.h"
#include "exec/arithmetic/lanes_double.h"

#include <math.h>

static bool is_known(unsigned type) { return type >= ISA_FLOAT_F16 && type <= ISA_FLOAT_BF16; }

static enum format_id format_id_of(unsigned type)
{
    return type == ISA_FLOAT_F16 ? FORMAT_F16 : type == ISA_FLOAT_BF16 ? FORMAT_BF16 : FORMAT_F32;
}

/* Exact; .FTZ flushes a result that is denormal in its type. */
static uint64_t widen(uint32_t bits, unsigned type, bool flush)
{
    bits = format_widen(bits, type, flush);
    return float_is_nan(bits) ? double_nan_of_float(bits) : double_bits((double)float_of(bits));
}

static bool has_nan(const uint32_t *floats)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        any |= float_is_nan(floats[i]) ? 1 : 0;
    return any != 0;
}

/* The operand as doubles, whatever its type, with its sign changes. */
static void read_type(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned type,
                      struct doubles *out)
{
    const struct isa_operand *op = operand_only(&inst->isa);
    if (type == ISA_FLOAT_F64) {
        lanes_double(core, warp, inst, op, out);
        return;
    }
    struct lanes t;
    const uint32_t *v = lanes_raw(core, warp, inst, op, &t);
    unsigned shift = type == ISA_FLOAT_F32 ? 0 : 16u * op->swizzle;
    uint64_t keep = op->flags & ISA_ABS ? ~DOUBLE_SIGN : UINT64_MAX, flip = op->flags & ISA_NEG ? DOUBLE_SIGN : 0;
    bool flush = inst->isa.mod[ISA_MOD_FTZ];
    if (type == ISA_FLOAT_F32 && !has_nan(v)) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            out->v[i] = (double_bits((double)float_of(flush ? float_flush(v[i]) : v[i])) & keep) ^ flip;
        return;
    }
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        out->v[i] = (widen(v[i] >> shift, type, flush) & keep) ^ flip;
}

/* Rounds to a type with at most 32 bits. A NaN keeps its payload from FP64 to FP32. */
static uint32_t narrow(uint64_t bits, unsigned from, unsigned to, enum rounding mode)
{
    if (from == ISA_FLOAT_F64 && to == ISA_FLOAT_F32 && double_is_nan(bits))
        return float_nan_of_double(bits);
    return format_from_double(format_of(format_id_of(to)), bits, mode, false);
}

static void write_type(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, unsigned from,
                       unsigned type, enum rounding mode, const struct doubles *v)
{
    struct lanes low, high;
    bool flush = isa->mod[ISA_MOD_FTZ] && type == ISA_FLOAT_F32;
    if (type == ISA_FLOAT_F32 && mode == ROUND_NEAREST && !doubles_have_nan(v)) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            low.v[i] = float_bits((float)double_of(v->v[i]));
        for (unsigned i = 0; flush && i < EXEC_LANES; ++i)
            low.v[i] = float_flush(low.v[i]);
        lanes_write(warp, isa->d.index, active, low.v);
        return;
    }
    for (unsigned i = 0; type == ISA_FLOAT_F64 && i < EXEC_LANES; ++i) {
        uint64_t r = double_quiet(v->v[i]);
        low.v[i] = (uint32_t)r;
        high.v[i] = (uint32_t)(r >> 32);
    }
    for (unsigned i = 0; type != ISA_FLOAT_F64 && i < EXEC_LANES; ++i) {
        uint32_t r = narrow(v->v[i], from, type, mode);
        low.v[i] = flush ? float_flush(r) : r;
    }
    if (type == ISA_FLOAT_F64)
        lanes_write_pair(warp, isa->d.index, active, &low, &high);
    else
        lanes_write(warp, isa->d.index, active, low.v);
}

EXEC_OP(F2F)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned to = isa->mod[ISA_MOD_DST_TYPE], from = isa->mod[ISA_MOD_SRC_TYPE];
    struct doubles v;
    if (!is_known(to) || !is_known(from)) {
        exec_refuse(core, warp, inst, "the source or destination type is not defined");
        return;
    }
    read_type(core, warp, inst, from, &v);
    write_type(warp, isa, active, from, to, isa->mod[ISA_MOD_ROUND] & 3, &v);
}

static double round_integral(double v, enum rounding mode)
{
    switch (mode) {
    case ROUND_DOWN: return floor(v);
    case ROUND_UP: return ceil(v);
    case ROUND_ZERO: return trunc(v);
    default: return rint(v);
    }
}

/* The same for a row. A NaN keeps its bits. */
static void round_row(struct doubles *d, enum rounding mode)
{
    struct numbers n;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        n.v[i] = double_of(d->v[i]);
    numbers_round(&n, mode);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        d->v[i] = n.v[i] != n.v[i] ? d->v[i] : double_bits(n.v[i]);
}

EXEC_OP(FRND)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_DST_TYPE];
    struct doubles v;
    if (!is_known(type)) {
        exec_refuse(core, warp, inst, "the type is not defined");
        return;
    }
    read_type(core, warp, inst, type, &v);
    round_row(&v, isa->mod[ISA_MOD_ROUND] & 3);
    write_type(warp, isa, active, type, type, ROUND_NEAREST, &v);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* Formats of F2FP by its modifiers. */
enum { NO_FORMAT = 0xff };

static unsigned to_format(unsigned number)
{
    switch (number) {
    case ISA_TO_FORMAT_F16: return FORMAT_F16;
    case ISA_TO_FORMAT_BF16: return FORMAT_BF16;
    case ISA_TO_FORMAT_E2M1: return FORMAT_E2M1;
    case ISA_TO_FORMAT_TF32: return FORMAT_TF32;
    case ISA_TO_FORMAT_E2M3: return FORMAT_E2M3;
    case ISA_TO_FORMAT_E3M2: return FORMAT_E3M2;
    case ISA_TO_FORMAT_E5M2: return FORMAT_E5M2;
    case ISA_TO_FORMAT_E4M3: return FORMAT_E4M3;
    default: return NO_FORMAT;
    }
}

static unsigned from_format(unsigned number)
{
    switch (number) {
    case ISA_FROM_FORMAT_F32: return FORMAT_F32;
    case ISA_FROM_FORMAT_F16: return FORMAT_F16;
    case ISA_FROM_FORMAT_E5M2: return FORMAT_E5M2;
    case ISA_FROM_FORMAT_E4M3: return FORMAT_E4M3;
    case ISA_FROM_FORMAT_E2M1: return FORMAT_E2M1;
    case ISA_FROM_FORMAT_E2M3: return FORMAT_E2M3;
    case ISA_FROM_FORMAT_E3M2: return FORMAT_E3M2;
    case ISA_FROM_FORMAT_BF16: return FORMAT_BF16;
    default: return NO_FORMAT;
    }
}

struct packing {
    const struct isa_inst *isa;
    const struct format *to, *from; /* NULL: E8 */
    enum rounding mode;
    bool finite, relu;
};

/* Powers of two: the exponent alone, without a sign; PTX ISA rounds toward zero or up. */
static uint32_t to_e8(uint64_t bits, enum rounding mode, bool finite)
{
    enum { NAN_E8 = 0xff, MOST = 0xfe, BIAS = 1023 - 127 };
    bits &= ~DOUBLE_SIGN;
    int exponent = (int)(bits >> 52), e = exponent - BIAS;
    bool more = bits << 12 != 0;
    if (exponent == 0x7ff)
        return more ? NAN_E8 : finite ? MOST : NAN_E8;
    e += mode == ROUND_UP && more;
    return e < 0 ? 0 : e <= MOST ? (uint32_t)e : finite ? MOST : NAN_E8;
}

static uint64_t from_e8(uint32_t v) { return v == 0xff ? DOUBLE_NAN : (uint64_t)(v + 1023 - 127) << 52; }

static uint32_t convert(const struct packing *p, uint32_t v)
{
    uint64_t d = p->from ? format_to_double(p->from, v) : from_e8(v);
    if (!p->to)
        return to_e8(d, p->mode, p->finite);
    uint32_t r = format_from_double(p->to, d, p->mode, p->finite);
    return p->relu && r >> p->to->sign & 1 ? 0 : r;
}

static unsigned width_of(const struct format *f) { return !f || f->sign == 5 ? 8 : f->sign + 1; }

/* ---- stochastic rounding ----------------------------------------------------------------------------------------- */

static double magnitude_of(const struct format *f, uint32_t v) { return fabs(double_of(format_to_double(f, v))); }

/* Rounds by `count` random bits: they are added to the bits behind the last that the format keeps, and a carry rounds
 * away from zero (PTX ISA, cvt.rs). */
static uint32_t convert_random(const struct packing *p, uint32_t v, uint32_t random, unsigned count)
{
    const struct format *to = p->to;
    uint64_t bits = format_to_double(p->from, v);
    uint32_t sign = 1u << to->sign;
    uint32_t r = format_from_double(to, bits, ROUND_ZERO, p->finite), code = r & (sign - 1);
    double low = magnitude_of(to, r), value = fabs(double_of(bits));
    if (isfinite(value) && isfinite(low)) {
        bool most = code == to->largest;
        double step = most ? low - magnitude_of(to, code - 1) : magnitude_of(to, code + 1) - low;
        double rest = floor((value - low) / step * (1u << count));
        bool carries = rest + (random & ((1u << count) - 1)) >= 1u << count;
        if (carries && (!most || (!p->finite && to->infinity)))
            r++;
    }
    return p->relu && r & sign && !(to->nan != to->largest && code == to->nan) ? 0 : r;
}

/* ASSUMED: where an element's random bits are. Halves have the 13 or 16 bits that they lack, each in its half of C. Of
 * four elements, which two instructions convert, the first takes the upper half of the random bits and moves the lower
 * one up for the second, as compiled code of cvt.rs with four elements shows: elements of 6 and 8 bits have 8 random
 * bits each, those of 4 bits 4. */
static uint32_t pack_random(const struct packing *p, uint32_t a, uint32_t b, uint32_t c)
{
    enum { TOP = 32 };
    bool merges = p->isa->mod[ISA_MOD_PACK] == ISA_PACK_AB_MERGE_C;
    unsigned width = width_of(p->to);
    if (!merges) {
        unsigned lacks = 23 - p->to->mantissa;
        return convert_random(p, b, c, lacks) | convert_random(p, a, c >> 16, lacks) << 16;
    }
    uint32_t low = convert_random(p, b, c >> (TOP - 2 * width), width),
             high = convert_random(p, a, c >> (TOP - width), width);
    return low | high << width | c << 2 * width;
}

/* ---- a lane ----------------------------------------------------------------------------------------------------- */

static uint32_t pack_lane(const struct packing *p, uint32_t a, uint32_t b, uint32_t c)
{
    const struct isa_inst *isa = p->isa;
    unsigned pack = isa->mod[ISA_MOD_PACK], to = width_of(p->to), from = width_of(p->from);
    if (isa->mod[ISA_MOD_STOCHASTIC])
        return pack_random(p, a, b, c);
    if (pack == ISA_PACK_UNPACK_B || pack == ISA_PACK_UNPACK_B_MERGE_C) {
        b >>= (from == 4 ? 8u : 16u) * isa->b.swizzle;
        a = from == 4 ? b >> 4 & 15 : from == 8 ? b >> 8 & 0xff : b >> 16;
        b &= (1u << from) - 1;
    }
    uint32_t low = convert(p, b);
    if (pack == ISA_PACK_B)
        return low << 13;
    c = c >> 16 * isa->c.swizzle;
    if (pack == ISA_PACK_MERGE_C)
        return low | c << 16;
    uint32_t both = low | convert(p, a) << to;
    return pack == ISA_PACK_AB || pack == ISA_PACK_UNPACK_B ? both : both | c << 2 * to;
}

static bool packs(unsigned pack, unsigned to, unsigned from)
{
    bool halves = to <= ISA_TO_FORMAT_BF16, narrow = !halves && to != ISA_TO_FORMAT_TF32,
         from_half = from == ISA_FROM_FORMAT_F16 || from == ISA_FROM_FORMAT_BF16;
    switch (pack) {
    case ISA_PACK_AB:
    case ISA_PACK_MERGE_C: return halves && from == ISA_FROM_FORMAT_F32;
    case ISA_PACK_UNPACK_B: return halves && from != ISA_FROM_FORMAT_F32 && !from_half;
    case ISA_PACK_B: return to == ISA_TO_FORMAT_TF32 && from == ISA_FROM_FORMAT_F32;
    case ISA_PACK_UNPACK_B_MERGE_C: return narrow && from_half;
    default: return narrow && from == ISA_FROM_FORMAT_F32;
    }
}

static bool prepare(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct packing *p)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned to = isa->mod[ISA_MOD_TO_FORMAT], from = isa->mod[ISA_MOD_FROM_FORMAT], pack = isa->mod[ISA_MOD_PACK];
    bool good = (to == ISA_TO_FORMAT_E8 || to_format(to) != NO_FORMAT) &&
                (from == ISA_FROM_FORMAT_E8 || from_format(from) != NO_FORMAT);
    bool random = isa->mod[ISA_MOD_STOCHASTIC];
    good = good && packs(pack, to, from) &&
           (!random || (from == ISA_FROM_FORMAT_F32 && to != ISA_TO_FORMAT_E8 && to != ISA_TO_FORMAT_TF32 &&
                        (pack == ISA_PACK_AB || pack == ISA_PACK_AB_MERGE_C)));
    if (!good) {
        exec_refuse(core, warp, inst, "the combination of formats is not simulated");
        return false;
    }
    *p = (struct packing){isa,
                          to == ISA_TO_FORMAT_E8 ? NULL : format_of(to_format(to)),
                          from == ISA_FROM_FORMAT_E8 ? NULL : format_of(from_format(from)),
                          isa->mod[ISA_MOD_ROUND] & 3,
                          isa->mod[ISA_MOD_SAT],
                          isa->mod[ISA_MOD_RELU]};
    return true;
}

/* Two floats to the nearest FP16 or BF16: nearly all that compiled code has. */
static bool is_plain_pack(const struct packing *p)
{
    bool halves = p->to == format_of(FORMAT_F16) || p->to == format_of(FORMAT_BF16);
    return halves && p->isa->mod[ISA_MOD_PACK] == ISA_PACK_AB && !p->isa->mod[ISA_MOD_STOCHASTIC] &&
           p->mode == ROUND_NEAREST && !p->finite;
}

static void halves_of(const struct packing *p, uint32_t *r, const uint32_t *v)
{
    if (p->to == format_of(FORMAT_F16)) {
        half_row_from_float(r, v);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r[i] = bf16_from_float(v[i]);
    }
    for (unsigned i = 0; p->relu && i < EXEC_LANES; ++i)
        r[i] = r[i] & 0x8000 ? 0 : r[i];
}

EXEC_OP(F2FP)
{
    const struct isa_inst *isa = &inst->isa;
    struct packing p;
    struct lanes t[3], r;
    if (!prepare(core, warp, inst, &p))
        return;
    const uint32_t *a = isa->a.kind == ISA_NONE ? exec_zero_row : lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = isa->c.kind == ISA_NONE ? exec_zero_row : lanes_raw(core, warp, inst, &isa->c, &t[2]);
    if (is_plain_pack(&p)) {
        struct lanes low, high;
        halves_of(&p, low.v, b);
        halves_of(&p, high.v, a);
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = low.v[i] | high.v[i] << 16;
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = pack_lane(&p, a[i], b[i], c[i]);
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

/* A float as a saturated byte; NaN is 0 with .NTZ, otherwise the byte's most negative pattern as of F2I. */
static uint32_t to_byte(const struct isa_inst *isa, uint32_t bits)
{
    bool is_signed = isa->mod[ISA_MOD_DST_TYPE];
    double least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
    if (float_is_nan(bits))
        return isa->mod[ISA_MOD_NTZ] ? 0 : 0x80;
    double v = round_integral((double)float_of(bits), isa->mod[ISA_MOD_ROUND] & 3);
    v = v < least ? least : v > most ? most : v;
    return (uint32_t)(int32_t)(isa->mod[ISA_MOD_RELU] && v < 0 ? 0 : v) & 0xff;
}

/* A in the upper byte, B in the lower, a half of C above them. */
EXEC_OP(F2IP)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    unsigned mode = isa->mod[ISA_MOD_ROUND];
    if (isa->mod[ISA_MOD_DST_TYPE] > 1 || (mode != ROUND_NEAREST && mode != ROUND_ZERO)) {
        exec_refuse(core, warp, inst, "the type or rounding is not defined");
        return;
    }
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_raw(core, warp, inst, &isa->c, &t[2]);
    unsigned shift = 16u * isa->c.swizzle;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = to_byte(isa, b[i]) | to_byte(isa, a[i]) << 8 | (c[i] >> shift) << 16;
    lanes_write(warp, isa->d.index, active, r.v);
}
