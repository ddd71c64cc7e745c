/* HMMA.884, the product of Volta: eight lanes, four in each half of the warp, multiply 8 x 4 by 4 x 8. The four such
 * quad pairs of a warp have their own matrices. An instruction is a step of it: one of four with FP32 results, in
 * which a lane gets two elements, one of two with FP16 results, in which it gets four.
 *
 * Fragments (PTX ISA, mma.m8n8k4): lane t of the four in half h of the warp has of a row-major A row 4h + t, of a
 * column-major A column t of rows 4h to 4h + 3; of a column-major B column 4h + t, of a row-major B row t of columns
 * 4h to 4h + 3. Halves of C and D: row 4h + t. Floats: rows 4h + (t & 1) and 2 below, columns (t & 2) and its next, and
 * 4 beyond. The steps go through the registers in order (compiled code): rows first, then columns. Where C has halves
 * and D floats, two steps read one pair of C's registers, and a lane's element is in the lane of its row.
 *
 * The sum (MMA-Sim, "Bit-accurate reference model of tensor cores and matrix cores"; Fasi et al. 2021, "Numerical
 * behavior of NVIDIA tensor cores"): four products and C are cut after 23 bits of fraction below the largest exponent
 * and added exactly; FP32 is cut toward zero, FP16 rounded to nearest. */
#include "exec/arithmetic/half.h"
#include "exec/executors.h"
#include "exec/matrix/fused_sum.h"

enum { SIZE = 8, DEPTH = 4, HALF = EXEC_LANES / 2, FRACTION = 23 };

static const struct fused_format f16 = {5, 10, 0, FUSED_IEEE}, f32 = {8, 23, 0, FUSED_IEEE};

/* The operands of one quad pair, whose lanes are first .. first + 3 and those HALF above. */
struct quad_pair {
    struct fused_number a[SIZE][DEPTH], b[DEPTH][SIZE];
};

static uint32_t half_of(const uint32_t *low, const uint32_t *high, unsigned lane, unsigned index)
{
    return (index < 2 ? low : high)[lane] >> 16 * (index & 1) & 0xffff;
}

/* A lane's `index`-th element of four: in row or column `line` of the matrix, or across these. */
static void load(struct quad_pair *q, const struct exec_warp *warp, const struct isa_inst *isa, unsigned first)
{
    const uint32_t *a[2] = {exec_row_word(warp, isa->a.index, 0), exec_row_word(warp, isa->a.index, 1)};
    const uint32_t *b[2] = {exec_row_word(warp, isa->b.index, 0), exec_row_word(warp, isa->b.index, 1)};
    bool column_a = isa->mod[ISA_MOD_COLUMN_A], column_b = isa->mod[ISA_MOD_COLUMN_B];
    bool negative = (isa->a.flags ^ isa->b.flags) & ISA_NEG;
    for (unsigned line = 0; line < SIZE; line++) {
        for (unsigned k = 0; k < DEPTH; k++) {
            unsigned base = first + line / 4 * HALF, along = base + line % 4, across = base + k;
            uint32_t x = column_a ? half_of(a[0], a[1], across, line % 4) : half_of(a[0], a[1], along, k);
            uint32_t y = column_b ? half_of(b[0], b[1], along, k) : half_of(b[0], b[1], across, line % 4);
            q->a[line][k] = fused_signed(fused_decode(x, f16), negative);
            q->b[k][line] = fused_decode(y, f16);
        }
    }
}

static double dot(const struct quad_pair *q, unsigned row, unsigned column, struct fused_number c)
{
    struct fused_number term[DEPTH + 1] = {c};
    for (unsigned k = 0; k < DEPTH; k++)
        term[k + 1] = fused_product(q->a[row][k], q->b[k][column]);
    return fused_sum(term, DEPTH + 1, FRACTION, FUSED_ZERO);
}

static unsigned first_row(unsigned lane) { return lane / HALF * 4; }

/* Two elements of a lane, as floats. */
static void step_of_floats(uint32_t d[2][EXEC_LANES], const struct quad_pair *q, const struct exec_warp *warp,
                           const struct isa_inst *isa, unsigned lane)
{
    const uint32_t *c[2] = {exec_row_word(warp, isa->c.index, 0), exec_row_word(warp, isa->c.index, 1)};
    unsigned step = isa->mod[ISA_MOD_STEP], row = (lane & 1) + 2 * (step & 1), column = (lane & 2) + 2 * (step & 2);
    for (unsigned i = 0; i < 2; i++) {
        struct fused_number addend = isa->mod[ISA_MOD_MMA_ACC]
                                         ? fused_decode(c[i][lane], f32)
                                         : fused_decode(half_of(c[0], c[1], lane / 4 * 4 + row, (column + i) % 4), f16);
        d[i][lane] = fused_to_float(dot(q, first_row(lane) + row, column + i, addend));
    }
}

/* Four elements of a lane, as halves. */
static void step_of_halves(uint32_t d[2][EXEC_LANES], const struct quad_pair *q, const struct exec_warp *warp,
                           const struct isa_inst *isa, unsigned lane)
{
    const uint32_t *c[2] = {exec_row_word(warp, isa->c.index, 0), exec_row_word(warp, isa->c.index, 1)};
    unsigned column = 4 * (isa->mod[ISA_MOD_STEP] & 1);
    d[0][lane] = d[1][lane] = 0;
    for (unsigned i = 0; i < 4; i++) {
        struct fused_number addend = fused_decode(half_of(c[0], c[1], lane, i), f16);
        uint32_t half = half_from_double(dot(q, first_row(lane) + lane % 4, column + i, addend));
        d[i / 2][lane] |= half << 16 * (i & 1);
    }
}

void exec_HMMA_884(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    bool floats = isa->mod[ISA_MOD_DST_TYPE];
    if (isa->mod[ISA_MOD_SAT] || (!floats && (isa->mod[ISA_MOD_MMA_ACC] || isa->mod[ISA_MOD_STEP] > 1))) {
        exec_refuse(core, warp, inst, "this form of a matrix multiplication");
        return;
    }
    uint32_t d[2][EXEC_LANES];
    struct quad_pair q[EXEC_LANES / SIZE];
    for (unsigned i = 0; i < EXEC_LANES / SIZE; i++)
        load(&q[i], warp, isa, 4 * i);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        (floats ? step_of_floats : step_of_halves)(d, &q[lane % HALF / 4], warp, isa, lane);
    for (unsigned i = 0; i < 2 && isa->d.index != ISA_RZ; i++)
        for (uint32_t left = active; left; left &= left - 1)
            warp->reg[isa->d.index + i][lowest_bit32(left)] = d[i][lowest_bit32(left)];
}
