/* One element of a floating-point tcgen05 product, by the rule of fused_sum.h. Measured for dense forms (MMA-Sim): all
 * products and D are one sum with 25 bits of fraction, also for elements with 8 bits and fewer. Their scale factors are
 * added to the exponent of every product. Products with 4-bit elements are summed exactly in groups of 16 and
 * multiplied by the significands of both scale factors. The sum of groups and D has 35 bits of fraction, and is aligned
 * by exponents of the scale factors only. Sparse forms have not been measured. They are taken as dense ones with the
 * elements that A has. D scaled by 2^-n: its exponent is n less (assumed). */
#include "exec/arithmetic/half.h"
#include "exec/matrix/fused_sum.h"
#include "exec/tensor/umma.h"

enum { TERMS = UMMA_DEPTH + 1, FRACTION = 25, FRACTION_OF_GROUPS = 35 };

static const struct fused_format formats[UMMA_TYPES] = {
    [UMMA_TYPE_F16] = {5, 10, 0, FUSED_IEEE},       [UMMA_TYPE_BF16] = {8, 7, 0, FUSED_IEEE},
    [UMMA_TYPE_TF32] = {8, 10, 13, FUSED_IEEE},     [UMMA_TYPE_E4M3] = {4, 3, 0, FUSED_ONE_NAN},
    [UMMA_TYPE_E5M2] = {5, 2, 0, FUSED_IEEE},       [UMMA_TYPE_E2M3] = {2, 3, 0, FUSED_ALL_FINITE},
    [UMMA_TYPE_E3M2] = {3, 2, 0, FUSED_ALL_FINITE}, [UMMA_TYPE_E2M1] = {2, 1, 0, FUSED_ALL_FINITE}};

static struct fused_number factor_of(const struct umma_form *form, const uint8_t *row, unsigned k, unsigned type)
{
    return fused_decode(umma_raw(form, row, k), formats[type]);
}

/* A scale factor: a power of two, or E4M3 without its sign. */
static struct fused_number scale_of(const struct umma_form *form, uint8_t bits)
{
    if (!form->powers)
        return fused_decode(bits & 0x7f, formats[UMMA_TYPE_E4M3]);
    return (struct fused_number){
        .kind = bits == 0xff ? FUSED_NAN : FUSED_FINITE, .significand = 1, .exponent = (int)bits - 127};
}

static bool present(const struct umma_job *job, unsigned row, unsigned k)
{
    return job->present[row][k / 64] >> k % 64 & 1;
}

static struct fused_number product_of(const struct umma_job *job, unsigned row, unsigned column, unsigned k)
{
    const struct umma_form *form = &job->form;
    struct fused_number p =
        fused_product(factor_of(form, job->a[row], k, form->type_a), factor_of(form, job->b[column], k, form->type_b));
    return fused_signed(p, form->negative);
}

static struct fused_number addend_of(const struct umma_form *form, uint32_t c)
{
    static const struct fused_format f32 = {8, 23, 0, FUSED_IEEE}, f16 = {5, 10, 0, FUSED_IEEE};
    struct fused_number n = fused_decode(c, form->result == UMMA_RESULT_F16 ? f16 : f32);
    n.exponent -= form->input_scale;
    return n;
}

/* The exact sum of a product group, in quarters. */
static struct fused_number group_of(const struct umma_job *job, unsigned row, unsigned column, unsigned first,
                                    unsigned count)
{
    struct fused_number sum = {.kind = FUSED_FINITE, .fraction = 2};
    for (unsigned k = first; k < first + count; k++) {
        struct fused_number p = product_of(job, row, column, k);
        sum.significand += p.significand * (1 << p.exponent);
    }
    return sum;
}

static uint32_t sum_of_groups(const struct umma_job *job, unsigned row, unsigned column, uint32_t c)
{
    const struct umma_form *form = &job->form;
    unsigned count = form->depth / form->groups;
    struct fused_number term[UMMA_GROUPS + 1];
    for (unsigned g = 0; g < form->groups; g++) {
        unsigned block = g * form->blocks / form->groups;
        struct fused_number scale =
            fused_product(scale_of(form, job->scale_a[row][block]), scale_of(form, job->scale_b[column][block]));
        term[g] = fused_product(group_of(job, row, column, g * count, count), scale);
    }
    term[form->groups] = addend_of(form, c);
    return fused_to_float(fused_sum(term, form->groups + 1u, FRACTION_OF_GROUPS, FUSED_NONE));
}

uint32_t umma_element(const struct umma_job *job, unsigned row, unsigned column, uint32_t c)
{
    const struct umma_form *form = &job->form;
    struct fused_number term[TERMS], scale = {.significand = 1};
    unsigned count = 0;
    if (form->kind == UMMA_MXF4)
        return sum_of_groups(job, row, column, c);
    if (form->blocks)
        scale = fused_product(scale_of(form, job->scale_a[row][0]), scale_of(form, job->scale_b[column][0]));
    for (unsigned k = 0; k < form->depth; k++)
        if (present(job, row, k)) {
            term[count] = product_of(job, row, column, k);
            term[count].kind = scale.kind == FUSED_NAN ? FUSED_NAN : term[count].kind;
            term[count++].exponent += scale.exponent;
        }
    term[count++] = addend_of(form, c);
    double sum = fused_sum(term, count, FRACTION, form->blocks ? FUSED_NONE : FUSED_ZERO);
    return form->result == UMMA_RESULT_F16 ? half_from_double(sum) : fused_to_float(sum);
}
