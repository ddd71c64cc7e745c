/* The sum of one float element, by the rule of fused_sum.h: all products and C are one sum, where a zero counts as
 * 2^-133. With factors of 8 bits an FP32 result keeps 13 bits of fraction. Sparse forms
 * have not been measured. They are taken as the dense ones with the elements that A has. */
#include "exec/arithmetic/half.h"
#include "exec/matrix/fused_sum.h"
#include "exec/matrix/wgmma.h"

enum { TERMS = WGMMA_DEPTH + 1 };

static struct fused_number element_of(uint32_t bits, unsigned type)
{
    static const struct fused_format formats[] = {[WGMMA_F16] = {5, 10, 0, FUSED_IEEE},
                                                  [WGMMA_BF16] = {8, 7, 0, FUSED_IEEE},
                                                  [WGMMA_TF32] = {8, 10, 13, FUSED_IEEE},
                                                  [WGMMA_E4M3] = {4, 3, 0, FUSED_ONE_NAN},
                                                  [WGMMA_E5M2] = {5, 2, 0, FUSED_IEEE}};
    return fused_decode(bits, formats[type]);
}

uint32_t wgmma_element(const struct wgmma_job *job, unsigned row, unsigned column, uint32_t c)
{
    static const struct fused_format f32 = {8, 23, 0, FUSED_IEEE}, f16 = {5, 10, 0, FUSED_IEEE};
    const struct wgmma_form *form = &job->form;
    bool eight = form->type_a == WGMMA_E4M3 || form->type_a == WGMMA_E5M2;
    struct fused_number term[TERMS];
    unsigned count = 0;
    for (unsigned k = 0; k < form->depth; k++)
        if (job->present[row] >> k & 1)
            term[count++] = fused_signed(fused_product(element_of(wgmma_raw(form, job->a[row], k), form->type_a),
                                                       element_of(wgmma_raw(form, job->b[column], k), form->type_b)),
                                         form->negative);
    term[count++] = fused_decode(c, form->wide ? f32 : f16);
    double sum = fused_sum(term, count, form->fraction, FUSED_ZERO);
    if (!form->wide)
        return half_from_double(sum);
    uint32_t bits = fused_to_float(sum);
    return eight && !float_is_nan(bits) ? bits & ~UINT32_C(0x3ff) : bits;
}
