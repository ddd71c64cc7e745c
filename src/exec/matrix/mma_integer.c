/* IMMA and BMMA: sums of integer products, exact. */
#include "base/bits.h"
#include "exec/cta.h"
#include "exec/launch.h"
#include "exec/matrix/mma.h"

/* 0 U8, 1 S8, 4 U4, 5 S4. */
static int32_t integer(uint32_t bits, unsigned type)
{
    unsigned width = type >= 4 ? 4 : 8;
    return type & 1 ? (int32_t)sign_extend(bits, width) : (int32_t)bits;
}

static uint32_t saturated(int64_t sum)
{
    return (uint32_t)(int32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

/* A sum of products has fewer than 32 bits. */
static void add_products(struct mma *m, unsigned type_a, unsigned type_b, bool saturates)
{
    int32_t b[MMA_DEPTH][MMA_COLUMNS];
    for (unsigned k = 0; k < m->shape.depth; k++)
        for (unsigned column = 0; column < MMA_COLUMNS; column++)
            b[k][column] = integer(m->b[k][column], type_b);
    for (unsigned row = 0; row < m->shape.rows; row++) {
        const struct mma_row *from = &m->row[row];
        int32_t sum[MMA_COLUMNS] = {0};
        for (unsigned i = 0; i < from->count; i++) {
            int32_t a = integer(from->a[i], type_a);
            for (unsigned column = 0; column < MMA_COLUMNS; column++)
                sum[column] += a * b[from->k[i]][column];
        }
        for (unsigned column = 0; column < MMA_COLUMNS; column++) {
            int64_t total = (int64_t)(int32_t)m->c[row][column] + sum[column];
            m->c[row][column] = saturates ? saturated(total) : (uint32_t)total;
        }
    }
}

void exec_IMMA(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    unsigned type_a = isa->mod[ISA_MOD_TYPE_A], type_b = isa->mod[ISA_MOD_TYPE_B];
    struct mma m;
    if (!mma_begin(core, warp, inst, &m))
        return;
    if (m.shape.bits_a != m.shape.bits_b || (type_a & 2) || (type_b & 2)) {
        exec_refuse(core, warp, inst, "these types of a matrix multiplication");
        return;
    }
    mma_load(&m, warp, isa);
    add_products(&m, type_a, type_b, isa->mod[ISA_MOD_SAT]);
    mma_store(&m, warp, isa, active);
}

/* sm_90 has no XOR any more: an H200 counts the bits that both have (2026-11-27; the recording is not kept in the
 * repository), and ptxas makes mma..xor.popc of products with AND there. */
static bool counts_common_bits(const struct exec_warp *warp, unsigned function)
{
    enum { WITHOUT_XOR = 90 };
    return function == ISA_BMMA_AND || warp->cta->launch->module->sm == WITHOUT_XOR;
}

void exec_BMMA(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    unsigned function = isa->mod[ISA_MOD_FUNCTION];
    struct mma m;
    if (!mma_begin(core, warp, inst, &m))
        return;
    if (function != ISA_BMMA_XOR && function != ISA_BMMA_AND) {
        exec_refuse(core, warp, inst, "this function of two bits");
        return;
    }
    bool common = counts_common_bits(warp, function);
    m.shape.depth /= 32; /* words of 32 bits */
    m.shape.bits_a = m.shape.bits_b = 32;
    mma_load(&m, warp, isa);
    for (unsigned row = 0; row < m.shape.rows; row++) {
        for (unsigned column = 0; column < MMA_COLUMNS; column++) {
            for (unsigned k = 0; k < m.shape.depth; k++) {
                uint32_t a = m.row[row].a[k], b = m.b[k][column];
                m.c[row][column] += popcount32(common ? a & b : a ^ b);
            }
        }
    }
    mma_store(&m, warp, isa, active);
}
