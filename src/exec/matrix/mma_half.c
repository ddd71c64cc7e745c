/* HMMA: D = A * B + C of a warp, A is 16 x k of FP16, BF16 or TF32, B is k x 8.
 *
 * The sum is that of fused_sum.h. lanes_hmma.c computes it of dense products whose elements have a moderate size, and
 * the code of wgmma all others: D has the same fragments in a column group of a warpgroup's product. From sm_90 on all
 * of k is one sum with 25 bits of fraction: measured on an H200, dense (2026-11-27; the recording is not kept in the
 * repository), and published for the others (MMA-Sim, "Bit-accurate reference model of tensor cores and matrix cores").
 * sm_75 to sm_89 keep 24 bits and take eight halves, or four of TF32, at a time: m16n8k16, and m16n8k8 of TF32, are two
 * such steps, the second on the result of the first. Sparse forms have not been measured. They are taken as the dense
 * ones with the elements that A has.
 *
 * Fragments (PTX ISA, mma): lane = 4 * g + t. A's register r has four bytes in row g + 8 (r mod 2) from byte
 * 4t + 16 (r div 2) on, B's register r four bytes in column g from byte 4t + 16r on. */
#include <string.h>

#include "exec/arithmetic/lanes.h"
#include "exec/cta.h"
#include "exec/launch.h"
#include "exec/matrix/mma.h"
#include "exec/matrix/wgmma.h"

enum { CHUNK = 16, QUAD = 4, RESULTS = 4, FRACTION_75 = 24 };

/* Whole operands: rows of A, with zeros where a sparse one has nothing, and columns of B. */
struct halves {
    struct wgmma_job job;
    unsigned bytes, step; /* of a row; the part that one sum takes */
    uint8_t a[WGMMA_ROWS][WGMMA_BYTES], b[MMA_COLUMNS][WGMMA_BYTES];
    uint64_t present[WGMMA_ROWS];
};

static bool shape_known(unsigned shape, unsigned type, bool sparse)
{
    unsigned all = type == ISA_MMA_TYPE_TF32  ? (sparse ? 1u << ISA_SHAPE_1688 | 1u << ISA_SHAPE_16816
                                                        : 1u << ISA_SHAPE_1688 | 1u << ISA_SHAPE_1684)
                   : type > ISA_MMA_TYPE_BF16 ? 0
                   : sparse                   ? 1u << ISA_SHAPE_16816 | 1u << ISA_SHAPE_16832
                                              : 1u << ISA_SHAPE_1688 | 1u << ISA_SHAPE_16816;
    return all >> shape & 1;
}

static void set_form(struct halves *h, const struct exec_warp *warp, const struct isa_inst *isa)
{
    static const uint8_t types[] = {
        [ISA_MMA_TYPE_F16] = WGMMA_F16, [ISA_MMA_TYPE_BF16] = WGMMA_BF16, [ISA_MMA_TYPE_TF32] = WGMMA_TF32};
    unsigned type = isa->mod[ISA_MOD_MMA_TYPE], sparse = isa->mod[ISA_MOD_SPARSE];
    unsigned element = type == ISA_MMA_TYPE_TF32 ? 4 : 2;
    bool whole = warp->cta->launch->module->sm >= 90;
    h->bytes = isa_matrix_of(isa).depth * element;
    h->step = whole ? h->bytes : (unsigned)CHUNK << sparse;
    h->job.form = (struct wgmma_form){.type_a = types[type],
                                      .type_b = types[type],
                                      .element_bytes = (uint8_t)element,
                                      .depth = (uint8_t)(h->step / element),
                                      .columns = MMA_COLUMNS,
                                      .sparse = sparse,
                                      .negative = (isa->a.flags ^ isa->b.flags) & ISA_NEG,
                                      .wide = isa->mod[ISA_MOD_MMA_ACC] != 0,
                                      .fraction = whole ? WGMMA_FRACTION : FRACTION_75};
}

static void load_dense(struct halves *h, const struct exec_warp *warp, const struct isa_inst *isa)
{
    for (unsigned r = 0; r < 2 * h->bytes / CHUNK; r++) {
        const uint32_t *words = exec_row_word(warp, isa->a.index, r);
        for (unsigned g = 0; g < EXEC_LANES / QUAD; g++)
            memcpy(h->a[g + r % 2 * 8] + r / 2 * CHUNK, words + QUAD * g, CHUNK);
    }
    for (unsigned r = 0; r < h->bytes / CHUNK; r++) {
        const uint32_t *words = exec_row_word(warp, isa->b.index, r);
        for (unsigned g = 0; g < EXEC_LANES / QUAD; g++)
            memcpy(h->b[g] + r * CHUNK, words + QUAD * g, CHUNK);
    }
    memset(h->present, 0xff, sizeof h->present);
}

static void load_sparse(struct halves *h, const struct mma *m)
{
    unsigned element = h->job.form.element_bytes;
    memset(h->a, 0, sizeof h->a);
    memset(h->present, 0, sizeof h->present);
    for (unsigned row = 0; row < WGMMA_ROWS; row++) {
        for (unsigned i = 0; i < m->row[row].count; i++) {
            unsigned k = m->row[row].k[i];
            memcpy(h->a[row] + k * element, &m->row[row].a[i], element);
            h->present[row] |= UINT64_C(1) << k;
        }
    }
    for (unsigned k = 0; k < m->shape.depth; k++)
        for (unsigned column = 0; column < MMA_COLUMNS; column++)
            memcpy(h->b[column] + k * element, &m->b[k][column], element);
}

/* One sum from byte `first` of the rows on. */
static void add_step(struct halves *h, unsigned first)
{
    for (unsigned row = 0; row < WGMMA_ROWS; row++) {
        memcpy(h->job.a[row], h->a[row] + first, WGMMA_BYTES - first);
        h->job.present[row] = h->present[row] >> first / h->job.form.element_bytes;
    }
    for (unsigned column = 0; column < MMA_COLUMNS; column++)
        memcpy(h->job.b[column], h->b[column] + first, WGMMA_BYTES - first);
    wgmma_widest()(&h->job);
}

/* D from the registers. False: an element has no moderate size. */
static bool multiply_dense(const struct halves *h, const struct exec_warp *warp, const struct isa_inst *isa,
                           uint32_t (*d)[EXEC_LANES])
{
    struct hmma_job job = {.type = h->job.form.type_a,
                           .blocks = h->bytes / CHUNK,
                           .step = h->step / CHUNK,
                           .fraction = h->job.form.fraction,
                           .negative = h->job.form.negative,
                           .wide = h->job.form.wide,
                           .d = d};
    for (unsigned r = 0; r < 2 * job.blocks; r++)
        job.a[r] = exec_row_word(warp, isa->a.index, r);
    for (unsigned r = 0; r < job.blocks; r++)
        job.b[r] = exec_row_word(warp, isa->b.index, r);
    for (unsigned r = 0; r < wgmma_registers(&h->job.form); r++)
        job.c[r] = exec_row_word(warp, isa->c.index, r);
    return hmma_widest()(&job);
}

/* D by the code of wgmma. */
static void multiply(struct halves *h, struct mma *m, const struct exec_warp *warp, const struct isa_inst *isa,
                     uint32_t (*d)[EXEC_LANES])
{
    if (h->job.form.sparse) {
        mma_load(m, warp, isa);
        load_sparse(h, m);
    } else {
        load_dense(h, warp, isa);
    }
    for (unsigned r = 0; r < wgmma_registers(&h->job.form); r++)
        memcpy(d[r], exec_row_word(warp, isa->c.index, r), sizeof d[r]);
    h->job.c = (const uint32_t(*)[EXEC_LANES])d;
    h->job.d = d;
    for (unsigned first = 0; first < h->bytes; first += h->step)
        add_step(h, first);
}

EXEC_OP(HMMA)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_MMA_TYPE];
    bool f32 = isa->mod[ISA_MOD_MMA_ACC], sparse = isa->mod[ISA_MOD_SPARSE];
    struct mma m;
    if (!shape_known(isa->mod[ISA_MOD_SHAPE], type, sparse) || (type != ISA_MMA_TYPE_F16 && !f32) ||
        isa->mod[ISA_MOD_SAT]) {
        exec_refuse(core, warp, inst, "this shape or type is not simulated");
        return;
    }
    if (!mma_begin(core, warp, inst, &m))
        return;
    struct halves h;
    set_form(&h, warp, isa);
    _Alignas(64) uint32_t d[RESULTS][EXEC_LANES];
    if (sparse || !multiply_dense(&h, warp, isa, d))
        multiply(&h, &m, warp, isa, d);
    for (unsigned r = 0; r < wgmma_registers(&h.job.form) && isa->d.index != ISA_RZ; r++)
        lanes_write(warp, isa->d.index + r, active, d[r]);
}
