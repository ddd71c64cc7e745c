/* tcgen05.mma against the plain oracle: every kind, type and shape, dense and sparse, for one CTA and a pair, with
 * operands in shared memory in every layout and in tensor memory. */
#include <stdlib.h>
#include <string.h>

#include "umma_rig.h"
#include "unit.h"

/* ---- products ---------------------------------------------------------------------------------------------------- */

static void try_one(struct rig *r, enum uoracle_kind kind, unsigned m, unsigned n, bool pair, bool stationary,
                    bool sparse)
{
    rig_choose(r, kind, m, n, pair, stationary, sparse, (enum rig_manner)rig_below(r, RIG_MANNERS));
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

static void ninety_six_elements_of_k_are_those_of_the_rule(void **state)
{
    (void)state;
    struct rig *r = rig_create(12);
    r->longer = true;
    r->module.sm = 103;
    for (unsigned pair = 0; pair < 2; pair++)
        for (unsigned n = 16; n <= 256; n += unit_full() ? 16 : 48)
            for (unsigned trial = 0; trial < 4; trial++)
                try_one(r, UORACLE_FP4, 128u << pair, n, pair, false, false);
    free(r);
}

/* ---- the host's instruction sets --------------------------------------------------------------------------------- */

static void fill_job(struct rig *r, struct umma_job *job, enum rig_manner manner)
{
    struct uoracle *p = &r->product;
    for (unsigned i = 0; i < UMMA_ROWS; i++)
        for (unsigned k = 0; k < job->form.depth; k++) {
            uint32_t a = rig_element(r, p->type_a, manner);
            memcpy(job->a[i] + k * job->form.element_bytes, &a, job->form.element_bytes);
        }
    for (unsigned i = 0; i < UMMA_COLUMNS; i++)
        for (unsigned k = 0; k < job->form.depth; k++) {
            uint32_t b = rig_element(r, p->type_b, manner);
            memcpy(job->b[i] + k * job->form.element_bytes, &b, job->form.element_bytes);
        }
    for (unsigned i = 0; i < UMMA_COLUMNS; i++)
        for (unsigned b = 0; b < UMMA_BLOCKS; b++) {
            job->scale_a[i % UMMA_ROWS][b] = rig_scale(r, p->powers, manner);
            job->scale_b[i][b] = rig_scale(r, p->powers, manner);
        }
}

static void all_variants_give_the_same_bits(void **state)
{
    (void)state;
    struct rig *r = rig_create(5);
    struct umma_job *job = aligned_alloc(64, sizeof *job);
    assert_non_null(job);
    for (unsigned i = 0; i <= UORACLE_KINDS; i++)
        for (unsigned manner = 0; manner < RIG_MANNERS; manner++) {
            bool longer = r->longer = i == UORACLE_KINDS;
            unsigned kind = longer ? UORACLE_FP4 : i;
            rig_choose(r, (enum uoracle_kind)kind, 128, 256, false, false, false, RIG_TAME);
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
                                           .groups = longer ? 6 : 4,
                                           .rows = 128,
                                           .pieces = 1,
                                           .columns = 256,
                                           .add = true,
                                           .saturate = p->saturate,
                                           .blocks = (uint8_t)p->blocks,
                                           .powers = p->powers};
            fill_job(r, job, (enum rig_manner)manner);
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
            rig_choose(r, UORACLE_F16, m, 128, false, true, false, RIG_TAME);
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
    rig_choose(r, UORACLE_F16, 128, 64, false, false, false, RIG_TAME);
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
    rig_choose(r, UORACLE_MX8, 128, 64, false, false, false, RIG_TAME);
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

/* ---- missing forms ------------------------------------------------------------------------------------------- */

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
    rig_choose(r, UORACLE_F16, 128, 64, false, false, false, RIG_TAME);
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
    rig_choose(r, UORACLE_FP4, 128, 64, false, false, false, RIG_TAME);
    r->form.a_shared = true;
    rig_put(r);
    u[11] |= UINT32_C(1) << 31;
    expect_fault(r, "96 elements of K (bit 31), which code for sm_103 alone may do");
    u[11] |= 1u << 2;
    expect_fault(r, "96 elements of K (bit 31) of a sparse A");
    rig_choose(r, UORACLE_F16, 128, 64, false, false, false, RIG_TAME);
    r->form.a_shared = true, r->form.mn_a = r->form.mn_b = false;
    rig_put(r);
    descriptor = u[11], d = u[8], a = u[4];
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
           UNIT(ninety_six_elements_of_k_are_those_of_the_rule), UNIT(all_variants_give_the_same_bits),
           UNIT(columns_of_a_mask_count_as_zero), UNIT(shifted_rows_of_a_have_what_stands_for_the_row_before),
           UNIT(sums_of_eight_bits_keep_25_bits_of_fraction),
           UNIT(groups_of_four_bits_are_aligned_by_their_scale_factors),
           UNIT(a_scale_factor_that_is_no_number_gives_none), UNIT(wrong_descriptors_and_places_are_faults))
