/* Matrix multiply-add of a warp: D = A * B + C, A is 16 x k, B is k x 8.
 *
 * No vendor document says how the hardware orders the sum and where it truncates. Here every product is exact, the k
 * products are added in double in a fixed order, then C, and the sum is rounded once to the accumulator's type.
 * Against the exact value the double sum is off by at most (k + 1) * 2^-53 of the sum of magnitudes, so the result is
 * the exact one rounded, except next to a rounding boundary. Published measurements differ from it by a few units in
 * the last place of the largest term: terms are aligned to the largest exponent and cut after 24 bits of fraction, 25
 * from sm_90 on.
 *
 * Fragments (PTX ISA, mma): lane = 4 * g + t. Each register of A holds, for 16-bit types, row g (+ 8), columns 2t and
 * 2t + 1 (+ 8); for TF32 row g (+ 8), column t (+ 4). B is the same with its row (k) in place of A's column and its
 * column n = g. C and D: rows g and g + 8, columns 2t and 2t + 1, as floats in four registers or as halves in two. */
#include "exec/arithmetic/lanes.h"

#include "exec/arithmetic/half.h"
#include "exec/matrix/mma.h"

#ifdef EXEC_V3
#include <immintrin.h>
#endif

enum { ROWS = 16, COLUMNS = 8, DEPTH = 16 };

/* B's even columns stand before its odd ones, so that sums come out in the order of the registers: `d` has one row for
 * each register of an FP32 result. */
struct matrices {
    _Alignas(64) double a[ROWS][DEPTH];
    _Alignas(64) double b[DEPTH][COLUMNS];
    _Alignas(64) double d[4][EXEC_LANES];
};

struct elements {
    _Alignas(64) uint32_t v[2 * EXEC_LANES];
};

/* The elements that one register of A or B holds in all lanes, as floats in the order of lanes: 32 or 64. Returns how
 * many four lanes hold. TF32 ignores the lower 13 bits. */
static unsigned elements(struct elements *out, const uint32_t *v, unsigned type, bool negate)
{
    uint32_t flip = negate ? FLOAT_SIGN : 0;
    if (type == ISA_MMA_TYPE_TF32) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            out->v[i] = (v[i] & 0xffffe000) ^ flip;
        return 4;
    }
    if (type == ISA_MMA_TYPE_BF16) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            out->v[2 * i] = v[i] << 16 ^ flip;
            out->v[2 * i + 1] = (v[i] & 0xffff0000) ^ flip;
        }
        return 8;
    }
    struct lanes signs;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        signs.v[i] = v[i] ^ flip ^ flip >> 16;
    half_pairs_to_float(out->v, signs.v);
    return 8;
}

static void load_a(struct matrices *m, const struct exec_warp *warp, const struct isa_operand *op, unsigned type,
                   unsigned registers)
{
    struct elements e;
    for (unsigned r = 0; r < registers; ++r) {
        unsigned count = elements(&e, exec_row_word(warp, op->index, r), type, op->flags & ISA_NEG);
        for (unsigned g = 0; g < 8; ++g) {
            double *row = &m->a[8 * (r & 1) + g][(r >> 1) * count];
            const uint32_t *from = e.v + g * count;
            for (unsigned k = 0; k < count; k += 4, from += 4, row += 4)
                for (unsigned t = 0; t < 4; ++t)
                    row[t] = (double)float_of(from[t]);
        }
    }
}

static void load_b(struct matrices *m, const struct exec_warp *warp, const struct isa_operand *op, unsigned type,
                   unsigned registers)
{
    struct elements e;
    for (unsigned r = 0; r < registers; ++r) {
        unsigned count = elements(&e, exec_row_word(warp, op->index, r), type, op->flags & ISA_NEG);
        for (unsigned k = 0; k < count; ++k) {
            double *row = m->b[r * count + k];
            const uint32_t *from = e.v + k;
            for (unsigned g = 0; g < 8; ++g, from += count)
                row[g / 2 + g % 2 * 4] = (double)float_of(*from);
        }
    }
}

/* Vectors of the variant's width. The products are exact, so that a fused step rounds as two steps do. */
#ifdef EXEC_V3
enum { WIDTH = 4 };
typedef __m256d vector;
static inline vector step(vector sum, vector x, vector y) { return _mm256_fmadd_pd(x, y, sum); }
static inline vector broadcast(double x) { return _mm256_set1_pd(x); }
#else
enum { WIDTH = 2 };
typedef double vector __attribute__((vector_size(16)));
static inline vector step(vector sum, vector x, vector y) { return sum + x * y; }
static inline vector broadcast(double x) { return (vector){x, x}; }
#endif

/* WIDTH rows of D by all its columns: 8 vectors of sums. */
static void multiply_rows(struct matrices *m, unsigned row, unsigned depth)
{
    enum { VECTORS = COLUMNS / WIDTH };
    vector sum[WIDTH][VECTORS];
    for (unsigned r = 0; r < WIDTH; ++r)
        for (unsigned c = 0; c < VECTORS; ++c)
            sum[r][c] = broadcast(0);
    for (unsigned k = 0; k < depth; ++k) {
        const vector *b = (const vector *)m->b[k];
        for (unsigned r = 0; r < WIDTH; ++r) {
            vector x = broadcast(m->a[row + r][k]);
            for (unsigned c = 0; c < VECTORS; ++c)
                sum[r][c] = step(sum[r][c], x, b[c]);
        }
    }
    for (unsigned r = 0; r < WIDTH; ++r) {
        for (unsigned c = 0; c < VECTORS; ++c) {
            unsigned w = (row + r) / 8 * 2 + c * WIDTH / 4, lane = (row + r) % 8 * 4 + c * WIDTH % 4;
            *(vector *)&m->d[w][lane] = sum[r][c];
        }
    }
}

static void finish_f32(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const struct matrices *m)
{
    struct lanes r[4];
    for (unsigned w = 0; w < 4; ++w) {
        const uint32_t *c = exec_row_word(warp, isa->c.index, w);
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r[w].v[i] = float_canonical(float_bits((float)(m->d[w][i] + (double)float_of(c[i]))));
    }
    for (unsigned w = 0; w < 4 && isa->d.index != ISA_RZ; ++w)
        lanes_write(warp, isa->d.index + w, active, r[w].v);
}

static void finish_f16(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const struct matrices *m)
{
    struct lanes r[2];
    for (unsigned w = 0; w < 2; ++w) {
        const uint32_t *c = exec_row_word(warp, isa->c.index, w);
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint32_t low = half_from_double(m->d[2 * w][i] + (double)float_of(half_to_float(c[i] & 0xffff)));
            uint32_t high = half_from_double(m->d[2 * w + 1][i] + (double)float_of(half_to_float(c[i] >> 16)));
            r[w].v[i] = low | high << 16;
        }
    }
    for (unsigned w = 0; w < 2 && isa->d.index != ISA_RZ; ++w)
        lanes_write(warp, isa->d.index + w, active, r[w].v);
}

static bool shape_known(unsigned shape, unsigned type, bool sparse)
{
    unsigned all = type == ISA_MMA_TYPE_TF32  ? (sparse ? 1u << ISA_SHAPE_1688 | 1u << ISA_SHAPE_16816
                                                        : 1u << ISA_SHAPE_1688 | 1u << ISA_SHAPE_1684)
                   : type > ISA_MMA_TYPE_BF16 ? 0
                   : sparse                   ? 1u << ISA_SHAPE_16816 | 1u << ISA_SHAPE_16832
                                              : 1u << ISA_SHAPE_1688 | 1u << ISA_SHAPE_16816;
    return all >> shape & 1;
}

EXEC_OP(HMMA)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned shape = isa->mod[ISA_MOD_SHAPE], type = isa->mod[ISA_MOD_MMA_TYPE];
    bool f32 = isa->mod[ISA_MOD_MMA_ACC];
    bool sparse = isa->mod[ISA_MOD_SPARSE];
    if (!shape_known(shape, type, sparse) || (type != ISA_MMA_TYPE_F16 && !f32) || isa->mod[ISA_MOD_SAT] ||
        operand_has_predicate(isa->pp) || isa->a.kind != ISA_REG || isa->b.kind != ISA_REG || isa->c.kind != ISA_REG) {
        exec_refuse(core, warp, inst, "this shape, type or predicated form is not simulated");
        return;
    }
    if (sparse) {
        mma_sparse_half(core, warp, inst, active);
        return;
    }
    unsigned depth = shape == ISA_SHAPE_16816 ? 16 : shape == ISA_SHAPE_1688 ? 8 : 4;
    unsigned registers = depth / (type == ISA_MMA_TYPE_TF32 ? 4 : 8); /* of B; A has twice as many */
    struct matrices m;
    load_a(&m, warp, &isa->a, type, 2 * registers);
    load_b(&m, warp, &isa->b, type, registers);
    for (unsigned row = 0; row < ROWS; row += WIDTH)
        multiply_rows(&m, row, depth);
    if (f32)
        finish_f32(warp, isa, active, &m);
    else
        finish_f16(warp, isa, active, &m);
}
