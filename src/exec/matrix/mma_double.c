/* DMMA. Every element is a chain of fused multiply-adds that starts with C and goes up k, each rounded to double, as
 * measurements of the instruction show (MMA-Sim, "Bit-accurate reference model of tensor cores and matrix cores"). */
#include "exec/arithmetic/float64.h"
#include "exec/arithmetic/rounding.h"
#include "exec/matrix/mma.h"

enum { DEPTH = 16 };

static double element(const struct exec_warp *warp, const struct isa_operand *op, unsigned number, unsigned lane)
{
    uint64_t bits = exec_row_word(warp, op->index, 2 * number)[lane] |
                    (uint64_t)exec_row_word(warp, op->index, 2 * number + 1)[lane] << 32;
    if (op->flags & ISA_ABS)
        bits &= INT64_MAX;
    if (op->flags & ISA_NEG)
        bits ^= UINT64_C(1) << 63;
    return double_of(bits);
}

/* Register pair r of A: row g (g + 8 in the odd ones of 16 rows), column t of its block of four; of B: the same with k
 * for the column and n = g. */
static void load(double a[MMA_ROWS][DEPTH], double b[MMA_COLUMNS][DEPTH], const struct isa_matrix *shape,
                 const struct exec_warp *warp, const struct isa_inst *isa)
{
    unsigned tall = shape->rows == 16;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        unsigned g = lane / 4, t = lane % 4;
        for (unsigned block = 0; block < shape->depth / 4u; block++) {
            for (unsigned half = 0; half <= tall; half++)
                a[g + 8 * half][4 * block + t] = element(warp, &isa->a, (block << tall) + half, lane);
            b[g][4 * block + t] = element(warp, &isa->b, block, lane);
        }
    }
}

static void write_double(struct exec_warp *warp, unsigned index, unsigned lane, double value)
{
    uint64_t bits = double_bits(value);
    warp->reg[index][lane] = (uint32_t)bits;
    warp->reg[index + 1][lane] = (uint32_t)(bits >> 32);
}

void exec_DMMA(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    struct isa_matrix shape = isa_matrix_of(isa);
    if (!shape.rows || operand_has_predicate(isa->pp)) {
        exec_refuse(core, warp, inst, "this shape or predicated form of a matrix multiplication");
        return;
    }
    double a[MMA_ROWS][DEPTH], b[MMA_COLUMNS][DEPTH], d[4][EXEC_LANES];
    load(a, b, &shape, warp, isa);
    unsigned elements = shape.rows / 4u;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        for (unsigned i = 0; i < elements; i++)
            d[i][lane] =
                rounding_dot_double(element(warp, &isa->c, i, lane), a[lane / 4 + i / 2 * 8], b[lane % 4 * 2 + i % 2],
                                    shape.depth, (enum rounding)isa->mod[ISA_MOD_ROUND]);
    for (unsigned lane = 0; lane < EXEC_LANES && isa->d.index != ISA_RZ; lane++)
        for (unsigned i = 0; i < elements && (active >> lane & 1); i++)
            write_double(warp, isa->d.index + 2 * i, lane, d[i][lane]);
}
