/* Products by chance: elements, layouts, and how an instruction says them. */
#include <string.h>

#include "umma_rig.h"

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* special: 0 the largest exponent is infinity and NaN, 1 all ones are NaN, 2 all are finite */
static uint32_t any_float(struct rig *r, unsigned exponent_bits, unsigned fraction_bits, enum rig_manner manner,
                          unsigned special)
{
    uint32_t top = (1u << exponent_bits) - 1, fraction = rig_any(r) & ((1u << fraction_bits) - 1);
    uint32_t exponent = rig_below(r, special ? top + 1 : top);
    if (manner == RIG_TAME && exponent_bits >= 4)
        exponent = (top >> 1) - 3 + rig_below(r, 6);
    if (manner != RIG_TAME && rig_below(r, 8) == 0) /* zeros and denormals */
        exponent = 0, fraction = rig_below(r, 2) ? fraction : 0;
    if (manner == RIG_WILD && special == 0 && rig_below(r, 60) == 0)
        exponent = top, fraction = rig_below(r, 3) ? 0 : fraction;
    if (special == 1 && exponent == top && fraction == (1u << fraction_bits) - 1 &&
        (manner != RIG_WILD || rig_below(r, 8)))
        fraction--;
    return (rig_any(r) & 1) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

uint32_t rig_element(struct rig *r, enum uoracle_type type, enum rig_manner manner)
{
    switch (type) {
    case UTYPE_F16: return any_float(r, 5, 10, manner, 0);
    case UTYPE_BF16: return any_float(r, 8, 7, manner, 0);
    case UTYPE_TF32: return any_float(r, 8, 23, manner, 0);
    case UTYPE_E4M3: return any_float(r, 4, 3, manner, 1);
    case UTYPE_E5M2: return any_float(r, 5, 2, manner, 0);
    case UTYPE_E2M3: return any_float(r, 2, 3, manner, 2);
    case UTYPE_E3M2: return any_float(r, 3, 2, manner, 2);
    case UTYPE_E2M1: return any_float(r, 2, 1, manner, 2);
    default: return manner == RIG_TAME ? rig_any(r) & 0xff : rig_below(r, 2) ? 0x80 : 0xff;
    }
}

static uint32_t any_c(struct rig *r, const struct uoracle *p, enum rig_manner manner)
{
    if (p->kind == UORACLE_I8) /* near the ends where sums wrap or are clamped */
        return manner == RIG_TAME ? rig_any(r)
                                  : (rig_below(r, 2) ? 0x7fffffff : 0x80000000) + rig_below(r, 70000) - 35000;
    return p->result == URESULT_F16 ? any_float(r, 5, 10, manner, 0) : any_float(r, 8, 23, manner, 0);
}

uint8_t rig_scale(struct rig *r, bool powers, enum rig_manner manner)
{
    if (manner == RIG_WILD && rig_below(r, 100) == 0)
        return powers ? 0xff : 0x7f;
    if (powers)
        return (uint8_t)(manner == RIG_TAME ? 120 + rig_below(r, 16) : rig_below(r, 255));
    return (uint8_t)(rig_below(r, 127) | (rig_below(r, 4) ? 0 : 0x80)); /* the sign has no meaning */
}

/* Two out of four, one out of two, or two pairs out of four. */
static void any_places(struct rig *r, struct uoracle *p, unsigned row)
{
    for (unsigned i = 0; i < p->k / 2; i++) {
        unsigned first = rig_below(r, 3), second = first + 1 + rig_below(r, 3 - first);
        uint8_t *at = &p->where[row][i];
        if (p->kind == UORACLE_TF32) {
            *at = (uint8_t)(2 * i + rig_below(r, 2));
        } else if (p->kind == UORACLE_FP4 && i % 4 == 0) {
            for (unsigned j = 0; j < 4; j++)
                at[j] = (uint8_t)(2 * i + 2 * (j < 2 ? first : second) + j % 2);
        } else if (p->kind != UORACLE_FP4 && i % 2 == 0) {
            at[0] = (uint8_t)(2 * i + first);
            at[1] = (uint8_t)(2 * i + second);
        }
    }
}

static void fill(struct rig *r, enum rig_manner manner)
{
    struct uoracle *p = &r->product;
    for (unsigned row = 0; row < p->m; row++) {
        for (unsigned i = 0; i < p->k; i++)
            p->a[row][i] = rig_element(r, p->type_a, manner);
        if (p->sparse)
            any_places(r, p, row);
        for (unsigned b = 0; b < p->blocks; b++)
            p->scale_a[row][b] = rig_scale(r, p->powers, manner);
        for (unsigned n = 0; n < p->n; n++)
            p->c[row][n] = any_c(r, p, manner);
    }
    for (unsigned n = 0; n < p->n; n++) {
        for (unsigned k = 0; k < p->k; k++)
            p->b[n][k] = rig_element(r, p->type_b, manner);
        for (unsigned b = 0; b < p->blocks; b++)
            p->scale_b[n][b] = rig_scale(r, p->powers, manner);
    }
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

/* Rows of 48 bytes that end in the 128 bytes of their start, or go on in a second matrix. */
static void place_long(struct rig *r, struct uoracle_place *p, uint32_t start)
{
    p->broken = rig_below(r, 2);
    p->start += 16 * rig_below(r, p->broken ? 8 : 6);
    if (!p->broken)
        return;
    p->stride = 1024;
    p->leading = start + (48 + rig_below(r, 4)) * 1024;
}

/* A layout with room for 320 rows with `bytes` of K, in 96 KiB from `start` on. */
static struct uoracle_place any_place(struct rig *r, uint32_t start, unsigned bytes, bool mn_major, bool words)
{
    static const uint8_t swizzles[] = {0, 2, 4, 6};
    static const uint16_t spans[] = {16, 128, 128, 0, 64, 0, 32};
    struct uoracle_place p = {.mn_major = mn_major, .swizzle = swizzles[rig_below(r, 4)]};
    if (mn_major && words)
        p.swizzle = 1;
    if (bytes > 32 && p.swizzle == 6)
        p.swizzle = 4;
    unsigned span = spans[p.swizzle], block = p.swizzle == 1 ? 512 : 8 * span;
    p.start = start + 1024 * rig_below(r, 4);
    if (p.swizzle == 0) {
        bool first = rig_below(r, 2);
        p.leading = first ? 128 + 16 * rig_below(r, 4) : (128 + 16 * rig_below(r, 4)) * 48;
        p.stride = first ? p.leading * 9 : 128;
        if (mn_major)
            p.leading = 128, p.stride = 128 * 8 + 16 * rig_below(r, 3);
    } else if (mn_major) {
        p.leading = block * 9;
        p.stride = block;
    } else {
        p.stride = block * (1 + rig_below(r, 2));
        p.leading = 16 * rig_below(r, 100); /* without a meaning */
        if (p.swizzle == 2 && bytes == 48)
            place_long(r, &p, start);
        else if (p.swizzle == 2)
            p.start += bytes * rig_below(r, 128 / bytes); /* a step through K */
    }
    return p;
}

static void any_layouts(struct rig *r)
{
    struct uoracle *p = &r->product;
    bool small_a = p->type_a >= UTYPE_E2M3 && p->type_a <= UTYPE_E2M1;
    bool small_b = p->type_b >= UTYPE_E2M3 && p->type_b <= UTYPE_E2M1;
    struct rig_form *f = &r->form;
    f->a_shared = rig_below(r, 2);
    f->mn_a = f->a_shared && !small_a && rig_below(r, 2);
    f->mn_b = !small_b && rig_below(r, 2) && p->n % 32 == 0;
    unsigned bytes = p->k == 96 ? 48 : 32;
    f->a = any_place(r, 1024, bytes, f->mn_a, p->kind == UORACLE_TF32);
    f->b = any_place(r, 100 * 1024, bytes << p->sparse, f->mn_b, p->kind == UORACLE_TF32);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static void choose_types(struct rig *r, enum uoracle_kind kind)
{
    struct uoracle *p = &r->product;
    static const unsigned depths[] = {16, 8, 32, 32, 32, 64};
    p->kind = kind;
    p->k = r->longer && kind == UORACLE_FP4 ? 96 : depths[kind] << p->sparse;
    p->result = URESULT_F32;
    switch (kind) {
    case UORACLE_F16: p->type_a = p->type_b = rig_below(r, 2) ? UTYPE_F16 : UTYPE_BF16; break;
    case UORACLE_TF32: p->type_a = p->type_b = UTYPE_TF32; break;
    case UORACLE_I8:
        p->type_a = rig_below(r, 2) ? UTYPE_U8 : UTYPE_S8;
        p->type_b = rig_below(r, 2) ? UTYPE_U8 : UTYPE_S8;
        p->result = URESULT_S32;
        p->saturate = rig_below(r, 2);
        break;
    case UORACLE_FP4: p->type_a = p->type_b = UTYPE_E2M1; break;
    default:
        p->type_a = (enum uoracle_type)(UTYPE_E4M3 + rig_below(r, 5));
        p->type_b = (enum uoracle_type)(UTYPE_E4M3 + rig_below(r, 5));
    }
    if ((p->type_a == UTYPE_F16 || kind == UORACLE_F8) && rig_below(r, 2))
        p->result = URESULT_F16;
}

static void choose_scales(struct rig *r)
{
    struct uoracle *p = &r->product;
    if (p->kind == UORACLE_MX8) {
        p->blocks = 1;
        p->powers = true;
        r->form.byte_a = rig_below(r, 4);
        r->form.byte_b = rig_below(r, 4);
    } else if (p->kind == UORACLE_FP4) {
        static const uint8_t steps[] = {0, 0, 2, 1, 4, 0, 2}; /* by blocks; bytes are multiples */
        p->blocks = (rig_below(r, 2) ? 2 : 4) * p->k / (64u << p->sparse);
        p->powers = rig_below(r, 2);
        r->form.byte_a = steps[p->blocks] * rig_below(r, 4 / steps[p->blocks]);
        r->form.byte_b = steps[p->blocks] * rig_below(r, 4 / steps[p->blocks]);
    }
}

void rig_choose(struct rig *r, enum uoracle_kind kind, unsigned m, unsigned n, bool pair, bool stationary, bool sparse,
                enum rig_manner manner)
{
    struct uoracle *p = &r->product;
    struct rig_form *f = &r->form;
    memset(p, 0, sizeof *p);
    memset(f, 0, sizeof *f);
    p->m = m, p->n = n, p->pair = pair, p->stationary = stationary, p->sparse = sparse;
    p->add = rig_below(r, 4) != 0;
    choose_types(r, kind);
    choose_scales(r);
    any_layouts(r);
    bool halves = m == 64 && !stationary;
    f->lane = (halves || (pair && m == 128 && sparse)) && rig_below(r, 2) ? 16 : 0;
    f->negate_a = kind != UORACLE_I8 && rig_below(r, 2);
    f->negate_b = kind != UORACLE_I8 && rig_below(r, 2);
    p->negative = f->negate_a != f->negate_b;
    f->selector = sparse && (kind == UORACLE_F16 || kind == UORACLE_TF32) ? rig_below(r, 2) : 0;
    if (!p->blocks && !stationary && rig_below(r, 2)) {
        f->masks = true;
        for (unsigned i = 0; i < (pair ? 8u : 4u); i++)
            f->disabled[i] = rig_below(r, 2) ? rig_any(r) : 0;
    }
    if ((kind == UORACLE_F16 || kind == UORACLE_TF32) && rig_below(r, 3) == 0)
        p->scale_d = rig_below(r, 16);
    fill(r, manner);
}
