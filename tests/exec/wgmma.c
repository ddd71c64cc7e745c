/* HGMMA, QGMMA, IGMMA and BGMMA against the plain oracle: every type and shape, operands in registers and in shared
 * memory in every layout, each by all four warps of a warpgroup. */
#include <stdlib.h>
#include <string.h>

#include "exec/matrix/wgmma.h"
#include "unit.h"
#include "wgmma_rig.h"

static void try_one(struct wgmma_rig *m, enum oracle_type type, unsigned n, bool sparse, enum wgmma_manner manner)
{
    struct oracle_product *p = &m->product;
    unsigned bytes = oracle_bytes(type);
    bool eight = type == ORACLE_E4M3 || type == ORACLE_E5M2, integer = type == ORACLE_U8 || type == ORACLE_S8;
    p->type_a = p->type_b = type;
    if ((eight || integer) && wgmma_below(m, 2))
        p->type_b = type ^ (eight ? ORACLE_E4M3 ^ ORACLE_E5M2 : ORACLE_U8 ^ ORACLE_S8);
    p->n = n;
    p->sparse = sparse;
    p->k = 32 / bytes << sparse;
    p->f16_result = (type == ORACLE_F16 || eight) && wgmma_below(m, 2);
    p->saturate = integer && wgmma_below(m, 2);
    p->zero_c = wgmma_below(m, 5) == 0;
    struct wgmma_fields f = {.a_shared = wgmma_below(m, 2), .selector = bytes > 1 ? wgmma_below(m, 2) : 0};
    f.mn_a = bytes == 2 && f.a_shared && wgmma_below(m, 2);
    f.mn_b = bytes == 2 && wgmma_below(m, 2);
    f.negate_a = type <= ORACLE_E5M2 && wgmma_below(m, 2);
    f.negate_b = type <= ORACLE_E5M2 && wgmma_below(m, 2);
    p->negative = f.negate_a != f.negate_b;
    struct oracle_place a = wgmma_any_place(m, 1024, 32, f.mn_a);
    struct oracle_place b = wgmma_any_place(m, 96 * 1024, sparse ? 64 : 32, f.mn_b);
    if (sparse && b.swizzle == 3 && !f.mn_b)
        b.swizzle = 1, b.start = b.start / 1024 * 1024, b.stride = 1024;
    wgmma_fill(m, manner);
    wgmma_put(m, &f, &a, &b);
    wgmma_build(m, &f);
    for (unsigned w = 0; w < WARPS; w++)
        m->warp[w].upred = (uint8_t)(1 << ISA_PT | (p->zero_c ? 0 : 1 << 2));
    wgmma_check(m, &f);
}

static void types_at_all_widths(bool sparse, uint64_t seed)
{
    struct wgmma_rig *m = wgmma_create(seed);
    for (unsigned type = ORACLE_F16; type <= ORACLE_B1; type++)
        for (unsigned n = 8; n <= ORACLE_N; n += 8) {
            bool exists = type < ORACLE_U8 || n <= 24 || n % 16 == 0;
            if (exists && !(sparse && type == ORACLE_B1))
                for (unsigned i = 0; i < (unit_full() ? 12u : 2u); i++)
                    try_one(m, (enum oracle_type)type, n, sparse, (enum wgmma_manner)wgmma_below(m, MANNERS));
        }
    free(m);
}

static void dense_products_are_those_of_the_rule(void **state)
{
    (void)state;
    types_at_all_widths(false, 1);
}

static void sparse_products_are_those_of_the_rule(void **state)
{
    (void)state;
    types_at_all_widths(true, 2);
}

/* ---- known sums -------------------------------------------------------------------------------------------------- */

/* One A row times a column of ones. */
static uint32_t sum_of(struct wgmma_rig *m, enum oracle_type type, bool f16, const uint32_t *a, unsigned count,
                       uint32_t one)
{
    struct oracle_product *p = &m->product;
    memset(p, 0, sizeof *p);
    *p = (struct oracle_product){
        .type_a = type, .type_b = type, .n = 8, .k = 32 / oracle_bytes(type), .f16_result = f16};
    for (unsigned k = 0; k < count; k++)
        p->a[0][k] = a[k];
    for (unsigned k = 0; k < p->k; k++)
        p->b[k][0] = one;
    const struct wgmma_fields f = {.a_shared = true};
    wgmma_put(m, &f, &wgmma_plain_a, &wgmma_plain_b);
    wgmma_build(m, &f);
    wgmma_run(m);
    return *wgmma_accumulator(m, p, 0, 0) & (f16 ? 0xffff : UINT32_MAX);
}

static void one_sum_is_cut_once(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(3);
    /* 2048 + 1 + 1 is 2050 in one sum. One after the other they would vanish. */
    assert_int_equal(sum_of(m, ORACLE_F16, true, (const uint32_t[]){0x6800, 0x3c00, 0x3c00}, 3, 0x3c00), 0x6801);
    /* 13 fraction bits for 8-bit factors: 2^-13 stays beside 1, two of 2^-14 vanish. */
    assert_int_equal(sum_of(m, ORACLE_E4M3, false, (const uint32_t[]){0x38, 0x02}, 2, 0x38), 0x3f808000);
    assert_int_equal(sum_of(m, ORACLE_E5M2, false, (const uint32_t[]){0x3c, 0x08}, 2, 0x3c), 0x3f800400);
    assert_int_equal(sum_of(m, ORACLE_E5M2, false, (const uint32_t[]){0x3c, 0x04, 0x04}, 3, 0x3c), 0x3f800000);
    free(m);
}

static void terms_below_the_last_bit_of_fraction_vanish(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(4);
    uint32_t a[32] = {0x3c};
    for (unsigned i = 1; i < 32; i++)
        a[i] = 0x04; /* 2^-14 */
    assert_int_equal(sum_of(m, ORACLE_E5M2, false, a, 32, 0x3c), 0x3f800000);
    for (unsigned i = 1; i < 32; i++)
        a[i] = 0x08; /* 2^-13 */
    assert_int_equal(sum_of(m, ORACLE_E5M2, false, a, 32, 0x3c), 0x3f800000 + 31 * 0x400);
    /* FP16: 25 bits of fraction. 15 * 2^-24 beside 1 and beside 2^-1, cut to FP32. */
    uint32_t b[16] = {0x3c00};
    for (unsigned i = 1; i < 16; i++)
        b[i] = 0x0001; /* 2^-24 */
    assert_int_equal(sum_of(m, ORACLE_F16, false, b, 16, 0x3c00), 0x3f800000 + 7);
    assert_int_equal(sum_of(m, ORACLE_F16, false, b, 16, 0x3800), 0x3f000000 + 7);
    free(m);
}

static void specials_come_out_as_such(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(5);
    assert_int_equal(sum_of(m, ORACLE_F16, false, (const uint32_t[]){0x7c00}, 1, 0x3c00), 0x7f800000);
    assert_int_equal(sum_of(m, ORACLE_F16, true, (const uint32_t[]){0xfc00}, 1, 0x3c00), 0xfc00);
    assert_int_equal(sum_of(m, ORACLE_F16, false, (const uint32_t[]){0x7c00, 0xfc00}, 2, 0x3c00), 0x7fffffff);
    assert_int_equal(sum_of(m, ORACLE_F16, true, (const uint32_t[]){0x7c01}, 1, 0x3c00), 0x7fff);
    assert_int_equal(sum_of(m, ORACLE_F16, true, (const uint32_t[]){0x7bff, 0x7bff}, 2, 0x3c00), 0x7c00);
    assert_int_equal(sum_of(m, ORACLE_F16, false, (const uint32_t[]){0x3c00, 0xbc00}, 2, 0x3c00), 0);
    free(m);
}

/* ---- variants ---------------------------------------------------------------------------------------------------- */

static void the_variants_of_this_host_give_the_same_bits(void **state)
{
    (void)state;
    struct wgmma_rig *m = wgmma_create(10);
    static _Alignas(64) uint32_t d[WGMMA_VARIANTS][128][EXEC_LANES], c[128][EXEC_LANES];
    struct wgmma_job *job = aligned_alloc(64, (sizeof *job + 63) / 64 * 64);
    assert_non_null(job);
    for (unsigned trial = 0; trial < 3000; trial++) {
        memset(job, 0, sizeof *job);
        enum oracle_type type = (enum oracle_type)wgmma_below(m, ORACLE_B1 + 1);
        unsigned bytes = oracle_bytes(type);
        enum wgmma_manner manner = (enum wgmma_manner)wgmma_below(m, MANNERS);
        job->form = (struct wgmma_form){.type_a = (uint8_t)type, .type_b = (uint8_t)type, .columns = 32};
        job->form.sparse = type != ORACLE_B1 && wgmma_below(m, 2);
        job->form.element_bytes = (uint8_t)bytes;
        job->form.depth = (uint8_t)(32 / bytes << job->form.sparse);
        job->form.wide = !(type == ORACLE_F16 || type == ORACLE_E4M3 || type == ORACLE_E5M2) || wgmma_below(m, 2);
        job->form.fraction = type == ORACLE_E4M3 || type == ORACLE_E5M2 ? 13 : wgmma_below(m, 2) ? 25 : 24;
        job->form.saturate = wgmma_below(m, 2);
        job->form.negative = wgmma_below(m, 2);
        for (unsigned row = 0; row < 32; row++)
            for (unsigned k = 0; k < job->form.depth; k++) {
                uint32_t x = wgmma_any_element(m, type, manner), y = wgmma_any_element(m, type, manner);
                memcpy(job->b[row] + k * bytes, &x, bytes);
                if (row < WGMMA_ROWS && !(job->form.sparse && k % 4 > 1))
                    memcpy(job->a[row] + k * bytes, &y, bytes);
            }
        memset(job->present, job->form.sparse ? 0x33 : 0xff, sizeof job->present);
        m->product.type_a = type;
        m->product.f16_result = false;
        for (unsigned r = 0; r < 64; r++)
            for (unsigned lane = 0; lane < EXEC_LANES; lane++)
                c[r][lane] = wgmma_any_c(m, &m->product, manner);
        job->c = wgmma_below(m, 4) ? (const uint32_t(*)[EXEC_LANES])c : NULL;
        for (unsigned v = 0; v < WGMMA_VARIANTS; v++) {
            job->d = d[v];
            if (!wgmma_variant(v).here)
                continue;
            wgmma_variant(v).multiply(job);
            if (memcmp(d[0], d[v], sizeof d[0]) != 0)
                fail_msg("type %u: %s differs from %s", type, wgmma_variant(v).name, wgmma_variant(0).name);
        }
    }
    free(job);
    free(m);
}

UNIT_TESTS(UNIT(dense_products_are_those_of_the_rule), UNIT(sparse_products_are_those_of_the_rule),
           UNIT(one_sum_is_cut_once), UNIT(terms_below_the_last_bit_of_fraction_vanish),
           UNIT(specials_come_out_as_such), UNIT(the_variants_of_this_host_give_the_same_bits))
