/* Matrix multiply-add of a warp: D = A * B + C, A is 16 x k, B is k x 8.
 *
 * How the hardware orders the sum, and where it truncates, is not public. Here every product is exact, the k products
 * are added in double in the order of k, then C, and the sum is rounded once to the accumulator's type. Against the
 * exact value the double sum is off by at most (k + 1) * 2^-53 of the sum of magnitudes, so the result is the exact one
 * rounded, except next to a rounding boundary. The hardware differs from it by a few units in the last place of the
 * largest term: it aligns the terms to the largest exponent and cuts them at about 24 bits.
 *
 * Fragments (PTX ISA, mma): lane = 4 * g + t. Each register of A holds, for 16-bit types, row g (+ 8), columns 2t and
 * 2t + 1 (+ 8); for TF32 row g (+ 8), column t (+ 4). B is the same with its row (k) in place of A's column and its
 * column n = g. C and D: rows g and g + 8, columns 2t and 2t + 1, as floats in four registers or as halves in two. */
#include "exec/lanes.h"

#include "exec/half.h"

enum { SHAPE_1688, SHAPE_16816, SHAPE_1684 };
enum { TYPE_F16, TYPE_BF16, TYPE_TF32 };
enum { ROWS = 16, COLUMNS = 8, DEPTH = 16, BLOCK = 4 };

struct matrices {
    _Alignas(64) double a[ROWS][DEPTH];
    _Alignas(64) double b[DEPTH][COLUMNS];
    _Alignas(64) double d[ROWS][COLUMNS];
};

/* Elements that one register of A or B holds, as floats: one or two. TF32 ignores the lower 13 bits. */
static unsigned elements(struct lanes out[2], const uint32_t *v, unsigned type, bool negate)
{
    uint32_t flip = negate ? FLOAT_SIGN : 0;
    if (type == TYPE_TF32) {
        FOR_LANES(i)
            out[0].v[i] = (v[i] & 0xffffe000) ^ flip;
        return 1;
    }
    if (type == TYPE_BF16) {
        FOR_LANES(i) {
            out[0].v[i] = v[i] << 16 ^ flip;
            out[1].v[i] = (v[i] & 0xffff0000) ^ flip;
        }
        return 2;
    }
    FOR_LANES(i)
        out[0].v[i] = half_to_float(v[i] & 0xffff) ^ flip;
    FOR_LANES(i)
        out[1].v[i] = half_to_float(v[i] >> 16) ^ flip;
    return 2;
}

static void load_a(struct matrices *m, const struct exec_warp *warp, const struct isa_operand *op, unsigned type,
                   unsigned registers)
{
    struct lanes e[2];
    for (unsigned r = 0; r < registers; ++r) {
        unsigned count = elements(e, exec_row_word(warp, op->index, r), type, op->flags & ISA_NEG);
        unsigned row = 8 * (r & 1), column = (r >> 1) * 4 * count;
        FOR_LANES(i) {
            for (unsigned k = 0; k < count; ++k)
                m->a[row + i / 4][column + i % 4 * count + k] = (double)float_of(e[k].v[i]);
        }
    }
}

static void load_b(struct matrices *m, const struct exec_warp *warp, const struct isa_operand *op, unsigned type,
                   unsigned registers)
{
    struct lanes e[2];
    for (unsigned r = 0; r < registers; ++r) {
        unsigned count = elements(e, exec_row_word(warp, op->index, r), type, op->flags & ISA_NEG);
        FOR_LANES(i) {
            for (unsigned k = 0; k < count; ++k)
                m->b[r * 4 * count + i % 4 * count + k][i / 4] = (double)float_of(e[k].v[i]);
        }
    }
}

/* The products are exact, so that a fused step rounds as two steps do. */
static inline double step(double sum, double x, double y)
{
#ifdef EXEC_V3
    return __builtin_fma(x, y, sum);
#else
    return sum + x * y;
#endif
}

static void multiply(struct matrices *m, unsigned depth)
{
    for (unsigned row = 0; row < ROWS; row += BLOCK) {
        double sum[BLOCK][COLUMNS] = {{0}};
        for (unsigned k = 0; k < depth; ++k) {
            for (unsigned r = 0; r < BLOCK; ++r) {
                double x = m->a[row + r][k];
                for (unsigned c = 0; c < COLUMNS; ++c)
                    sum[r][c] = step(sum[r][c], x, m->b[k][c]);
            }
        }
        memcpy(m->d[row], sum, sizeof sum);
    }
}

static void finish_f32(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const struct matrices *m)
{
    struct lanes r[4];
    for (unsigned w = 0; w < 4; ++w) {
        const uint32_t *c = exec_row_word(warp, isa->c.index, w);
        FOR_LANES(i) {
            double d = m->d[8 * (w >> 1) + i / 4][2 * (i % 4) + (w & 1)];
            r[w].v[i] = float_canonical(float_bits((float)(d + (double)float_of(c[i]))));
        }
    }
    for (unsigned w = 0; w < 4 && isa->d.index != ISA_RZ; ++w)
        lanes_write(warp, isa->d.index + w, active, r[w].v);
}

static void finish_f16(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const struct matrices *m)
{
    struct lanes r[2];
    for (unsigned w = 0; w < 2; ++w) {
        const uint32_t *c = exec_row_word(warp, isa->c.index, w);
        FOR_LANES(i) {
            const double *d = &m->d[8 * w + i / 4][2 * (i % 4)];
            uint32_t low = half_from_double(d[0] + (double)float_of(half_to_float(c[i] & 0xffff)));
            uint32_t high = half_from_double(d[1] + (double)float_of(half_to_float(c[i] >> 16)));
            r[w].v[i] = low | high << 16;
        }
    }
    for (unsigned w = 0; w < 2 && isa->d.index != ISA_RZ; ++w)
        lanes_write(warp, isa->d.index + w, active, r[w].v);
}

EXEC_OP(HMMA)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned shape = isa->mod[ISA_MOD_SHAPE], type = isa->mod[ISA_MOD_MMA_TYPE];
    bool f32 = isa->mod[ISA_MOD_MMA_ACC];
    bool known = type == TYPE_TF32 ? shape == SHAPE_1688 || shape == SHAPE_1684
                                   : type <= TYPE_BF16 && (shape == SHAPE_1688 || shape == SHAPE_16816);
    if (!known || (type != TYPE_F16 && !f32) || isa->mod[ISA_MOD_SPARSE] || isa->mod[ISA_MOD_SAT] ||
        isa->a.kind != ISA_REG || isa->b.kind != ISA_REG || isa->c.kind != ISA_REG) {
        exec_refuse(core, warp, inst, "this shape, type or sparse form is not simulated");
        return;
    }
    unsigned depth = shape == SHAPE_16816 ? 16 : shape == SHAPE_1688 ? 8 : 4;
    unsigned registers = depth / (type == TYPE_TF32 ? 4 : 8);       /* of B; A has twice as many */
    struct matrices m;
    load_a(&m, warp, &isa->a, type, 2 * registers);
    load_b(&m, warp, &isa->b, type, registers);
    multiply(&m, depth);
    if (f32)
        finish_f32(warp, isa, active, &m);
    else
        finish_f16(warp, isa, active, &m);
}
