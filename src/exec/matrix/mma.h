/* Fragments of the matrices that a warp multiplies, as matrices of raw elements.
 *
 * PTX ISA, mma: lane = 4 * g + t. Register r of A holds, with e elements in a register, row g (g + 8 in the odd
 * registers where there are 16 rows), columns e * t onward of the block of 4 * e columns to which the register belongs.
 * B is the same with its row (k) in place of A's column and its column n = g. C and D: columns 2t and 2t + 1 of rows g
 * and g + 8. */
#ifndef SUBCORE_EXEC_MMA_H
#define SUBCORE_EXEC_MMA_H

#include "exec/executors.h"
#include "isa/matrix.h"

enum { MMA_ROWS = 16, MMA_COLUMNS = ISA_MATRIX_COLUMNS, MMA_DEPTH = 128 };

/* A row of A against a column of B: A's elements, and the rows of B that they meet. */
struct mma_row {
    uint16_t count;
    uint32_t a[MMA_DEPTH];
    uint8_t k[MMA_DEPTH];
};

struct mma {
    struct isa_matrix shape;
    struct mma_row row[MMA_ROWS];
    uint32_t b[MMA_DEPTH][MMA_COLUMNS];
    uint32_t c[MMA_ROWS][MMA_COLUMNS];
};

/* Refuses forms without an executor: a predicate, operands that are no registers, a shape without a meaning. */
bool mma_begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct mma *m);
/* Reads all operands. Elements keep their encoding. */
void mma_load(struct mma *m, const struct exec_warp *warp, const struct isa_inst *isa);
/* Writes m->c to D in the lanes that take part. */
void mma_store(const struct mma *m, struct exec_warp *warp, const struct isa_inst *isa, uint32_t active);

#endif
