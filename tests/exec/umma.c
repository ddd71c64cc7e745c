/* tcgen05.mma against the plain oracle: every kind, type and shape, dense and sparse, of one CTA and of a pair, with
 * operands in shared memory in every layout and in tensor memory. */
#include <stdlib.h>
#include <string.h>

#include "umma_rig.h"
#include "unit.h"

/* ---- elements ---------------------------------------------------------------------------------------------------- */

enum manner { TAME, WIDE, WILD, MANNERS }; /* near 1; any number; also infinities and NaNs */

/* special: 0 the largest exponent is infinity and NaN, 1 all ones are NaN, 2 all are finite */
static uint32_t any_float(struct rig *r, unsigned exponent_bits, unsigned fraction_bits, enum manner manner,
                          unsigned special)
{
    uint32_t top = (1u << exponent_bits) - 1, fraction = rig_any(r) & ((1u << fraction_bits) - 1);
    uint32_t exponent = rig_below(r, special ? top + 1 : top);
    if (manner == TAME && exponent_bits >= 4)
        exponent = (top >> 1) - 3 + rig_below(r, 6);
    if (manner != TAME && rig_below(r, 8) == 0) /* zeros and denormals */
        exponent = 0, fraction = rig_below(r, 2) ? fraction : 0;
    if (manner == WILD && special == 0 && rig_below(r, 60) == 0)
        exponent = top, fraction = rig_below(r, 3) ? 0 : fraction;
    if (special == 1 && exponent == top && fraction == (1u << fraction_bits) - 1 && (manner != WILD || rig_below(r, 8)))
        fraction--;
    return (rig_any(r) & 1) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

static uint32_t any_element(struct rig *r, enum uoracle_type type, enum manner manner)
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
    default: return manner == TAME ? rig_any(r) & 0xff : rig_below(r, 2) ? 0x80 : 0xff;
    }
}

static uint32_t any_c(struct rig *r, const struct uoracle *p, enum manner manner)
{
    if (p->kind == UORACLE_I8) /* near the ends where sums wrap or are clamped */
        return manner == TAME ? rig_any(r) : (rig_below(r, 2) ? 0x7fffffff : 0x80000000) + rig_below(r, 70000) - 35000;
    return p->result == URESULT_F16 ? any_float(r, 5, 10, manner, 0) : any_float(r, 8, 23, manner, 0);
}

static uint8_t any_scale(struct rig *r, bool powers, enum manner manner)
{
    if (manner == WILD && rig_below(r, 100) == 0)
        return powers ? 0xff : 0x7f;
    if (powers)
        return (uint8_t)(manner == TAME ? 120 + rig_below(r, 16) : rig_below(r, 255));
    return (uint8_t)(rig_below(r, 127) | (rig_below(r, 4) ? 0 : 0x80)); /* the sign has no meaning */
}

/* Two of four, one of two, or two pairs of four. */
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

static void fill(struct rig *r, enum manner manner)
{
    struct uoracle *p = &r->product;
    for (unsigned row = 0; row < p->m; row++) {
        for (unsigned i = 0; i < p->k; i++)
            p->a[row][i] = any_element(r, p->type_a, manner);
        if (p->sparse)
            any_places(r, p, row);
        for (unsigned b = 0; b < p->blocks; b++)
            p->scale_a[row][b] = any_scale(r, p->powers, manner);
        for (unsigned n = 0; n < p->n; n++)
            p->c[row][n] = any_c(r, p, manner);
    }
    for (unsigned n = 0; n < p->n; n++) {
        for (unsigned k = 0; k < p->k; k++)
            p->b[n][k] = any_element(r, p->type_b, manner);
        for (unsigned b = 0; b < p->blocks; b++)
            p->scale_b[n][b] = any_scale(r, p->powers, manner);
    }
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

/* A layout with room for 320 rows of `bytes` of K, in 96 KiB from `start` on. */
static struct uoracle_place any_place(struct rig *r, uint32_t start, unsigned bytes, bool mn_major, bool words)
{
    static const uint8_t swizzles[] = {0, 2, 4, 6};
    static const uint16_t spans[] = {16, 128, 128, 0, 64, 0, 32};
    struct uoracle_place p = {.mn_major = mn_major, .swizzle = swizzles[rig_below(r, 4)]};
    if (mn_major && words)
        p.swizzle = 1;
    if (bytes == 64 && p.swizzle == 6)
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
        if (p.swizzle == 2 && bytes <= 64)
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
    f->a = any_place(r, 1024, 32, f->mn_a, p->kind == UORACLE_TF32);
    f->b = any_place(r, 100 * 1024, p->sparse ? 64 : 32, f->mn_b, p->kind == UORACLE_TF32);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static void choose_types(struct rig *r, enum uoracle_kind kind)
{
    struct uoracle *p = &r->product;
    static const unsigned depths[] = {16, 8, 32, 32, 32, 64};
    p->kind = kind;
    p->k = depths[kind] << p->sparse;
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
        p->blocks = rig_below(r, 2) ? 2 : 4;
        p->powers = rig_below(r, 2);
        r->form.byte_a = p->blocks == 2 ? 2 * rig_below(r, 2) : 0;
        r->form.byte_b = p->blocks == 2 ? 2 * rig_below(r, 2) : 0;
    }
}

/* A product of this kind and shape, with all else by chance. */
static void choose(struct rig *r, enum uoracle_kind kind, unsigned m, unsigned n, bool pair, bool stationary,
                   bool sparse, enum manner manner)
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

static void try_one(struct rig *r, enum uoracle_kind kind, unsigned m, unsigned n, bool pair, bool stationary,
                    bool sparse)
{
    choose(r, kind, m, n, pair, stationary, sparse, (enum manner)rig_below(r, MANNERS));
    rig_put(r);
    rig_execute(r);
    rig_check(r);
}

/* A few of all widths, each time others. */
static unsigned next_width(struct rig *r, unsigned n, unsigned step)
{
    return n + step * (1 + (unit_full() ? 0 : rig_below(r, 96 / step)));
}

static void products(bool sparse, uint64_t seed)
{
    struct rig *r = rig_create(seed);
    for (unsigned kind = 0; kind < UORACLE_KINDS; kind++) {
        bool scaled = kind >= UORACLE_MX8;
        unsigned step = kind == UORACLE_I8 ? 16 : 8;
        for (unsigned m = scaled ? 128 : 64; m <= 128; m += 64)
            for (unsigned n = step; n <= 256; n = next_width(r, n, step))
                try_one(r, (enum uoracle_kind)kind, m, n, false, false, sparse);
    }
    free(r);
}

static void dense_products_are_those_of_the_rule(void **state)
{
    (void)state;
    products(false, 1);
}

static void sparse_products_are_those_of_the_rule(void **state)
{
    (void)state;
    products(true, 2);
}

static void a_pair_multiplies_what_both_have(void **state)
{
    (void)state;
    struct rig *r = rig_create(3);
    for (unsigned kind = 0; kind < UORACLE_KINDS; kind++)
        for (unsigned sparse = 0; sparse < 2; sparse++)
            for (unsigned m = 128; m <= 256; m += 128) {
                if (kind >= UORACLE_MX8 && sparse && m == 128)
                    continue;
                for (unsigned n = 32; n <= 256; n = next_width(r, n, 32))
                    try_one(r, (enum uoracle_kind)kind, m, n, true, false, sparse);
            }
    try_one(r, UORACLE_F16, 256, 16, true, false, false);
    try_one(r, UORACLE_FP4, 128, 48, true, false, false);
    free(r);
}

static void stationary_products_are_those_of_the_rule(void **state)
{
    (void)state;
    struct rig *r = rig_create(4);
    for (unsigned kind = 0; kind < UORACLE_MX8; kind++)
        for (unsigned sparse = 0; sparse < 2; sparse++)
            for (unsigned m = 32; m <= 128; m *= 2)
                for (unsigned n = 64; n <= 256; n *= 2)
                    try_one(r, (enum uoracle_kind)kind, m, n, false, true, sparse);
    free(r);
}

/* ---- the host's instruction sets --------------------------------------------------------------------------------- */

static void fill_job(struct rig *r, struct umma_job *job, enum manner manner)
{
    struct uoracle *p = &r->product;
    for (unsigned i = 0; i < UMMA_ROWS; i++)
        for (unsigned k = 0; k < job->form.depth; k++) {
            uint32_t a = any_element(r, p->type_a, manner);
            memcpy(job->a[i] + k * job->form.element_bytes, &a, job->form.element_bytes);
        }
    for (unsigned i = 0; i < UMMA_COLUMNS; i++)
        for (unsigned k = 0; k < job->form.depth; k++) {
            uint32_t b = any_element(r, p->type_b, manner);
            memcpy(job->b[i] + k * job->form.element_bytes, &b, job->form.element_bytes);
        }
    for (unsigned i = 0; i < UMMA_COLUMNS; i++)
        for (unsigned b = 0; b < UMMA_BLOCKS; b++) {
            job->scale_a[i % UMMA_ROWS][b] = any_scale(r, p->powers, manner);
            job->scale_b[i][b] = any_scale(r, p->powers, manner);
        }
}

static void all_variants_give_the_same_bits(void **state)
{
    (void)state;
    struct rig *r = rig_create(5);
    struct umma_job *job = aligned_alloc(64, sizeof *job);
    assert_non_null(job);
    for (unsigned kind = 0; kind < UORACLE_KINDS; kind++)
        for (unsigned manner = 0; manner < MANNERS; manner++) {
            choose(r, (enum uoracle_kind)kind, 128, 256, false, false, false, TAME);
            const struct uoracle *p = &r->product;
            memset(job, 0, sizeof *job);
            memset(job->present, 0xff, sizeof job->present);
            job->form = (struct umma_form){.kind = (uint8_t)kind, /* the enumerations have one order */
                                           .type_a = (uint8_t)p->type_a,
                                           .type_b = (uint8_t)p->type_b,
                                           .result = (uint8_t)p->result,
                                           .element_bytes = kind == UORACLE_F16    ? 2
                                                            : kind == UORACLE_TF32 ? 4
                                                                                   : 1,
                                           .depth = (uint8_t)p->k,
                                           .rows = 128,
                                           .pieces = 1,
                                           .columns = 256,
                                           .add = true,
                                           .saturate = p->saturate,
                                           .blocks = (uint8_t)p->blocks,
                                           .powers = p->powers};
            fill_job(r, job, (enum manner)manner);
            for (unsigned v = 0; v < UMMA_VARIANTS; v++) {
                struct tensor_memory *t = v == 0 ? &r->expected[0] : &r->tensor[0];
                if (!umma_variant(v).here)
                    continue;
                for (unsigned n = 0; n < 256; n++) {
                    for (unsigned lane = 0; lane < 128; lane++)
                        t->cell[n][lane] = p->c[lane][n];
                    job->d[n] = t->cell[n];
                }
                umma_variant(v).multiply(job);
                if (v > 0)
                    assert_memory_equal(r->tensor[0].cell, r->expected[0].cell, 256 * sizeof *t->cell);
            }
        }
    free(job);
    free(r);
}

/* ---- rows that move, columns that are left out ------------------------------------------------------------------- */

static void columns_of_a_mask_count_as_zero(void **state)
{
    (void)state;
    struct rig *r = rig_create(6);
    for (unsigned m = 32; m <= 128; m *= 2)
        for (unsigned shift = 0; shift < 3; shift++) {
            struct uoracle *p = &r->product;
            unsigned pieces = 128 / m, each = 128 / pieces, skip = 3, use = 10;
            choose(r, UORACLE_F16, m, 128, false, true, false, TAME);
            r->form.mn_b = false;
            r->form.b = (struct uoracle_place){.start = 100 * 1024, .stride = 1024, .swizzle = 2};
            r->form.zero_columns =
                UINT64_C(1) << 39 | (uint64_t)(skip - 1) << 40 | (uint64_t)(use - 1) << 48 | (uint64_t)shift << 56;
            for (unsigned piece = 0; piece < pieces; piece++)
                r->form.zero_columns |= (uint64_t)(2 * piece + 1) << 8 * piece | (uint64_t)(piece & 1) << (32 + piece);
            rig_put(r);
            /* The oracle again, with zeros where the mask has them. */
            for (unsigned n = 0; n < 128; n++) {
                unsigned piece = n / each, at = (n % each + 2 * piece + 1) % (skip + use);
                bool zero = piece & 1 ? at < skip : at >= use;
                memset(p->b[n], 0, zero ? sizeof p->b[n] : 0);
            }
            uoracle_multiply(p);
            for (unsigned row = 0; row < m; row++)
                for (unsigned n = 0; n < 128; n++) {
                    struct uoracle_cell at = uoracle_d(p, row, n, 0);
                    r->expected[0].cell[RIG_D + at.column][at.lane] = p->d[row][n];
                }
            rig_execute(r);
            rig_check(r);
        }
    free(r);
}

static void shifted_rows_of_a_have_what_stands_for_the_row_before(void **state)
{
    (void)state;
    struct rig *r = rig_create(7);
    struct uoracle *p = &r->product;
    choose(r, UORACLE_F16, 128, 64, false, false, false, TAME);
    r->form.a_shared = r->form.mn_a = false;
    rig_put(r);
    for (unsigned row = 127; row > 0; row--)
        memcpy(p->a[row], p->a[row - 1], sizeof p->a[row]);
    uoracle_multiply(p);
    for (unsigned row = 0; row < 128; row++)
        for (unsigned n = 0; n < 64; n++)
            if (!(r->form.disabled[row / 32] >> row % 32 & 1))
                r->expected[0].cell[RIG_D + n][row] = p->d[row][n];
    r->inst.isa.mod[ISA_MOD_A_SHIFT] = 1;
    rig_execute(r);
    rig_check(r);
    free(r);
}

/* ---- known sums -------------------------------------------------------------------------------------------------- */

/* D of row 0, column 0, where row 0 of A has these elements and B ones. */
static uint32_t sum_of(struct rig *r, enum uoracle_kind kind, enum uoracle_type type, const uint32_t *a, uint32_t one)
{
    static const unsigned depths[] = {16, 8, 32, 32, 32, 64};
    struct uoracle *p = &r->product;
    *p = (struct uoracle){
        .kind = kind, .type_a = type, .type_b = type, .result = URESULT_F32, .m = 128, .n = 8, .k = depths[kind]};
    r->form = (struct rig_form){.a_shared = true,
                                .a = {.start = 1024, .leading = 128, .stride = 256},
                                .b = {.start = 100 * 1024, .leading = 128, .stride = 256}};
    for (unsigned k = 0; k < p->k; k++) {
        p->a[0][k] = a[k];
        p->b[0][k] = one;
    }
    rig_put(r);
    rig_execute(r);
    rig_check(r);
    return r->tensor[0].cell[RIG_D][0];
}

static void sums_of_eight_bits_keep_25_bits_of_fraction(void **state)
{
    (void)state;
    struct rig *r = rig_create(8);
    uint32_t a[32] = {0x3c}; /* 1, then 2^-14: wgmma drops these */
    for (unsigned i = 1; i < 32; i++)
        a[i] = 0x04;
    assert_int_equal(sum_of(r, UORACLE_F8, UTYPE_E5M2, a, 0x3c), 0x3f800000 + 31 * 0x200);
    /* 2^-16, the smallest: 2^7 units in the last place of 1. */
    for (unsigned i = 1; i < 32; i++)
        a[i] = 0x01;
    assert_int_equal(sum_of(r, UORACLE_F8, UTYPE_E5M2, a, 0x3c), 0x3f800000 + 31 * 0x80);
    free(r);
}

static void groups_of_four_bits_are_aligned_by_their_scale_factors(void **state)
{
    (void)state;
    struct rig *r = rig_create(9);
    struct uoracle *p = &r->product;
    /* Scale factors 2^6 * 2^6 with 1 and with -1, and 2^-6 * 2^-6 with 1/4: the last one stays with 35 bits. */
    *p = (struct uoracle){.kind = UORACLE_FP4,
                          .type_a = UTYPE_E2M1,
                          .type_b = UTYPE_E2M1,
                          .result = URESULT_F32,
                          .m = 128,
                          .n = 8,
                          .k = 64,
                          .blocks = 4};
    r->form = (struct rig_form){.a_shared = true,
                                .a = {.start = 1024, .leading = 128, .stride = 256},
                                .b = {.start = 100 * 1024, .leading = 128, .stride = 256}};
    static const uint8_t scales[] = {0x68, 0x68, 0x08, 0x38}; /* 2^6, 2^6, 2^-6, 1 */
    for (unsigned row = 0; row < 128; row++)
        memcpy(p->scale_a[row], scales, 4);
    for (unsigned n = 0; n < 8; n++)
        memcpy(p->scale_b[n], scales, 4);
    p->a[0][0] = 0x2, p->b[0][0] = 0x2;   /* 1 * 1 */
    p->a[0][16] = 0xa, p->b[0][16] = 0x2; /* -1 * 1 */
    p->a[0][32] = 0x1, p->b[0][32] = 0x1; /* 0.5 * 0.5 */
    rig_put(r);
    rig_execute(r);
    rig_check(r);
    assert_int_equal(r->tensor[0].cell[RIG_D][0], 0x38800000); /* 2^-14 */
    free(r);
}

static void a_scale_factor_that_is_no_number_gives_none(void **state)
{
    (void)state;
    struct rig *r = rig_create(10);
    struct uoracle *p = &r->product;
    choose(r, UORACLE_MX8, 128, 64, false, false, false, TAME);
    p->scale_a[5][0] = 0xff;
    p->scale_b[7][0] = 0xff;
    rig_put(r);
    rig_execute(r);
    rig_check(r);
    for (unsigned n = 0; n < 64; n++)
        assert_int_equal(r->tensor[0].cell[RIG_D + n][5], 0x7fffffff);
    for (unsigned row = 0; row < 128; row++)
        assert_int_equal(r->tensor[0].cell[RIG_D + 7][row], 0x7fffffff);
    free(r);
}

/* ---- what there is not ------------------------------------------------------------------------------------------- */

static void expect_fault(struct rig *r, const char *part)
{
    memset(&r->core.fault, 0, sizeof r->core.fault);
    rig_execute(r);
    if (!strstr(r->core.fault.text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, r->core.fault.text);
}

static void wrong_descriptors_and_places_are_faults(void **state)
{
    (void)state;
    struct rig *r = rig_create(11);
    choose(r, UORACLE_F16, 128, 64, false, false, false, TAME);
    r->form.a_shared = true, r->form.mn_a = r->form.mn_b = false;
    rig_put(r);
    uint32_t *u = r->warp[0].ureg, descriptor = u[11], d = u[8], a = u[4];
    u[11] = (descriptor & ~(31u << 24)) | 96 / 16 << 24;
    expect_fault(r, "number of rows M (bits 28:24)");
    u[11] = descriptor & ~(63u << 17);
    expect_fault(r, "number of columns N (bits 22:17)");
    u[11] = descriptor | 2u << 4;
    expect_fault(r, "type of D (bits 5:4)");
    u[11] = descriptor | 5u << 7;
    expect_fault(r, "type of A or B (bits 12:7)");
    u[11] = descriptor;
    u[8] = d | 16u << 16;
    expect_fault(r, "its lane is 16");
    u[8] = 480;
    expect_fault(r, "columns 480-543");
    u[8] = d;
    r->tensor[0].units = 1;
    expect_fault(r, "the CTA has allocated columns 0-31");
    r->tensor[0].units = TENSOR_ALL_UNITS;
    u[4] = (a & ~0x3fffu) | (RIG_SHARED - 512) / 16;
    expect_fault(r, "a matrix descriptor leads to address");
    u[4] = a;
    r->cta[0].cluster.size = 1;
    r->inst.isa.mod[ISA_MOD_CTAS] = 1;
    expect_fault(r, "has no other in its cluster");
    free(r);
}

UNIT_TESTS(UNIT(dense_products_are_those_of_the_rule), UNIT(sparse_products_are_those_of_the_rule),
           UNIT(a_pair_multiplies_what_both_have), UNIT(stationary_products_are_those_of_the_rule),
           UNIT(all_variants_give_the_same_bits), UNIT(columns_of_a_mask_count_as_zero),
           UNIT(shifted_rows_of_a_have_what_stands_for_the_row_before),
           UNIT(sums_of_eight_bits_keep_25_bits_of_fraction),
           UNIT(groups_of_four_bits_are_aligned_by_their_scale_factors),
           UNIT(a_scale_factor_that_is_no_number_gives_none), UNIT(wrong_descriptors_and_places_are_faults))
