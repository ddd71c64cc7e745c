/* Sparse HMMA: the sum of the products that A has, formed as lanes_mma.c forms that of a dense one. */
#include "exec/arithmetic/half.h"
#include "exec/matrix/mma.h"

static double value(uint32_t bits, unsigned type)
{
    return (double)float_of(type == ISA_MMA_TYPE_F16    ? half_to_float(bits)
                            : type == ISA_MMA_TYPE_BF16 ? bf16_to_float(bits)
                                                        : bits & 0xffffe000);
}

void mma_sparse_half(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_MMA_TYPE];
    bool f32 = isa->mod[ISA_MOD_MMA_ACC] != 0, negative = (isa->a.flags ^ isa->b.flags) & ISA_NEG;
    struct mma m;
    if (!mma_begin(core, warp, inst, &m))
        return;
    mma_load(&m, warp, isa);
    for (unsigned row = 0; row < MMA_ROWS; row++) {
        const struct mma_row *from = &m.row[row];
        for (unsigned column = 0; column < MMA_COLUMNS; column++) {
            double sum = 0;
            for (unsigned i = 0; i < from->count; i++)
                sum += value(from->a[i], type) * value(m.b[from->k[i]][column], type);
            uint32_t c = f32 ? m.c[row][column] : half_to_float(m.c[row][column]);
            sum = (negative ? -sum : sum) + (double)float_of(c);
            m.c[row][column] = f32 ? float_canonical(float_bits((float)sum)) : half_from_double(sum);
        }
    }
    mma_store(&m, warp, isa, active);
}
