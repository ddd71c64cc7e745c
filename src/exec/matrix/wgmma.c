/* The operands of wgmma: from registers, and from shared memory through descriptors (shared_matrix.h). */
#include "exec/matrix/wgmma.h"

#include <string.h>

#include "exec/launch.h"
#include "exec/matrix/shared_matrix.h"
#include "exec/matrix/warpgroup.h"
#include "exec/memory/proxy_see.h"
#include "isa/matrix.h"

enum { CHUNK = 16 };

static void read_matrix(struct shared_matrix *m, bool transposed, unsigned first, unsigned count, unsigned bytes,
                        uint8_t (*to)[WGMMA_BYTES])
{
    if (transposed)
        shared_matrix_columns(m, first, count, bytes / 2, 2, to[0], sizeof to[0]);
    else
        shared_matrix_rows(m, first, count, bytes, to[0], sizeof to[0]);
}

static struct shared_matrix matrix_of(const struct exec_warp *warp, unsigned index)
{
    return shared_matrix_90(warp->cta, warp->ureg[index], warp->ureg[index + 1]);
}

/* A of registers: register r has row g + 8 (r mod 2) and four bytes from 4t + 16 (r div 2) on. */
static void read_registers(const struct exec_warp *warp, unsigned index, uint8_t (*to)[WGMMA_BYTES])
{
    for (unsigned r = 0; r < 4; r++) {
        const uint32_t *words = exec_row_word(warp, index, r);
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            memcpy(to[lane / 4 + r % 2 * 8] + lane % 4 * 4 + r / 2 * CHUNK, &words[lane], 4);
    }
}

/* ---- sparse A ---------------------------------------------------------------------------------------------------- */

/* Place in the row of stored element `i`. 16 bits: the two lanes that the selector names have a two-bit index for each
 * of eight elements, for row g in the lower half, for row g + 8 in the upper. Of each four neighbours two are stored.
 * TF32: the same with four bits (0b0100, 0b1110), and one of each two. 8 bits: even lanes have row g, odd ones row g +
 * 8, 16 elements each. */
static unsigned place_of(const struct wgmma_form *form, const uint32_t *words, unsigned row, unsigned i)
{
    unsigned lane = row % 8 * 4, upper = row / 8;
    if (form->element_bytes == 1)
        return i / 2 * 4 + (words[lane + row / 8 + i / 16 * 2] >> i % 16 * 2 & 3);
    lane += 2u * (form->selector & 1);
    if (form->element_bytes == 2)
        return i / 2 * 4 + (words[lane + i / 8] >> (16 * upper + i % 8 * 2) & 3);
    return i * 2 + (words[lane + i / 4] >> (16 * upper + i % 4 * 4 + 1) & 1);
}

static void spread_sparse(struct wgmma_job *job, const uint32_t *words)
{
    unsigned bytes = job->form.element_bytes;
    for (unsigned row = 0; row < WGMMA_ROWS; row++) {
        uint8_t stored[WGMMA_BYTES];
        memcpy(stored, job->a[row], sizeof stored);
        memset(job->a[row], 0, sizeof job->a[row]);
        job->present[row] = 0;
        for (unsigned i = 0; i < job->form.depth / 2u; i++) {
            unsigned k = place_of(&job->form, words, row, i);
            memcpy(job->a[row] + k * bytes, stored + i * bytes, bytes);
            job->present[row] |= UINT64_C(1) << k;
        }
    }
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

/* Columns and depth as the instruction's shape says (false: it has none). */
static bool shape_of(const struct isa_inst *isa, struct wgmma_form *form, unsigned *depth)
{
    static const uint8_t half_depths[] = {16, 8, 32, 0};
    unsigned shape = isa->mod[ISA_MOD_SHAPE];
    form->columns = (uint16_t)isa_warpgroup_columns(isa);
    if (isa->op == ISA_OP_HGMMA)
        *depth = half_depths[shape / 32 & 3];
    else if (isa->op == ISA_OP_QGMMA)
        *depth = shape < 32 ? 32 : 64;
    else if (isa->op == ISA_OP_IGMMA)
        *depth = shape % 3 == 0 ? 32 : shape % 3 == 1 ? 64 : 0;
    else
        *depth = 8; /* words of 32 bits */
    return *depth && form->columns <= WGMMA_COLUMNS;
}

static bool types_of(const struct isa_inst *isa, struct wgmma_form *form)
{
    static const uint8_t half[] = {WGMMA_F16, WGMMA_BF16, WGMMA_TF32};
    unsigned a = isa->mod[ISA_MOD_TYPE_A], b = isa->mod[ISA_MOD_TYPE_B], type = isa->mod[ISA_MOD_MMA_TYPE];
    form->wide = true;
    switch (isa->op) {
    case ISA_OP_HGMMA:
        if (type >= sizeof half)
            return false;
        form->type_a = form->type_b = half[type];
        form->element_bytes = type == ISA_MMA_TYPE_TF32 ? 4 : 2;
        form->wide = isa->mod[ISA_MOD_MMA_ACC];
        return form->wide || type == ISA_MMA_TYPE_F16;
    case ISA_OP_QGMMA:
        form->type_a = a == ISA_MMA_SMALL_E4M3 ? WGMMA_E4M3 : WGMMA_E5M2;
        form->type_b = b == ISA_MMA_SMALL_E4M3 ? WGMMA_E4M3 : WGMMA_E5M2;
        form->element_bytes = 1;
        form->wide = isa->mod[ISA_MOD_MMA_ACC];
        return true;
    case ISA_OP_IGMMA:
        form->type_a = a == ISA_MMA_INTEGER_S8 ? WGMMA_S8 : WGMMA_U8;
        form->type_b = b == ISA_MMA_INTEGER_S8 ? WGMMA_S8 : WGMMA_U8;
        form->element_bytes = 1;
        form->saturate = isa->mod[ISA_MOD_SAT];
        return a <= ISA_MMA_INTEGER_S8 && b <= ISA_MMA_INTEGER_S8;
    default:
        form->type_a = form->type_b = WGMMA_BITS;
        form->element_bytes = 4;
        return isa->mod[ISA_MOD_FUNCTION] == ISA_BMMA_AND;
    }
}

bool wgmma_form_of(const struct isa_inst *isa, struct wgmma_form *form)
{
    unsigned depth;
    *form = (struct wgmma_form){.sparse = isa->mod[ISA_MOD_SPARSE],
                                .a_shared = isa->a.kind != ISA_REG,
                                .transpose_a = isa->mod[ISA_MOD_TRANSPOSE_A],
                                .transpose_b = isa->mod[ISA_MOD_TRANSPOSE_B],
                                .selector = (uint8_t)isa->mod[ISA_MOD_SELECTOR]};
    form->negative = (isa->mod[ISA_MOD_NEGATE_A] || isa->a.flags & ISA_NEG) != (isa->mod[ISA_MOD_NEGATE_B] != 0);
    if (!types_of(isa, form) || !shape_of(isa, form, &depth))
        return false;
    form->fraction = isa->op == ISA_OP_QGMMA ? WGMMA_FRACTION_8 : WGMMA_FRACTION;
    form->depth = (uint8_t)(32 / form->element_bytes << form->sparse);
    return depth == form->depth && (!(form->transpose_a || form->transpose_b) || form->element_bytes == 2);
}

/* ---- execution --------------------------------------------------------------------------------------------------- */

struct wgmma_variant wgmma_variant(unsigned index)
{
#if defined(__x86_64__)
    /* Processors with AVX2 have F16C; clang 14 cannot ask for it. */
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    const struct wgmma_variant variants[WGMMA_VARIANTS] = {{"base", wgmma_multiply_base, hmma_multiply_base, true},
                                                           {"AVX2", wgmma_multiply_v3, hmma_multiply_v3, v3},
                                                           {"AVX-512", wgmma_multiply_v4, hmma_multiply_v4, v4}};
    return variants[index];
#else
    return (struct wgmma_variant){"base", wgmma_multiply_base, hmma_multiply_base, index == 0};
#endif
}

static struct wgmma_variant widest(void)
{
    unsigned index = WGMMA_VARIANTS - 1;
    while (!wgmma_variant(index).here)
        index--;
    return wgmma_variant(index);
}

wgmma_multiply *wgmma_widest(void) { return widest().multiply; }
hmma_multiply *hmma_widest(void) { return widest().hmma; }

static bool whole(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    uint32_t first = warp->index / WGMMA_WARPS * WGMMA_WARPS;
    if (active != UINT32_MAX || first + WGMMA_WARPS > warp->cta->launch->warps_per_cta) {
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER,
                   "a warpgroup instruction needs all threads of four neighbouring warps, of which the first has a "
                   "number divisible by four");
        return false;
    }
    return true;
}

/* Operands in shared memory are read by the asynchronous proxy. `number`: of the other operand, or 0. */
static uint32_t begin_check(const struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                            struct shared_matrix *m, uint32_t number)
{
    if (!warp->cta->shadow)
        return 0;
    m->core = core;
    m->cta = warp->cta;
    m->number = number ? number : proxy_see_begin(warp->cta, inst->isa.pc, warp->index, UINT32_MAX);
    return m->number;
}

/* Returns false where an operand is not in shared memory. */
static bool read_operands(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                          struct wgmma_job *job)
{
    const struct isa_inst *isa = &inst->isa;
    const struct wgmma_form *form = &job->form;
    unsigned bytes = form->depth * form->element_bytes;
    unsigned descriptors = form->a_shared ? isa->a.index : isa->b.index; /* of A, which may have none, and of B */
    struct shared_matrix b = matrix_of(warp, descriptors + 2u);
    uint32_t number = begin_check(core, warp, inst, &b, 0);
    read_matrix(&b, form->transpose_b, 0, form->columns, bytes, job->b);
    uint32_t outside = b.outside;
    if (form->a_shared) {
        struct shared_matrix a = matrix_of(warp, descriptors);
        begin_check(core, warp, inst, &a, number);
        read_matrix(&a, form->transpose_a, warp->index % WGMMA_WARPS * WGMMA_ROWS, WGMMA_ROWS, bytes >> form->sparse,
                    job->a);
        outside = a.outside < outside ? a.outside : outside;
    } else {
        read_registers(warp, isa->a.index, job->a);
    }
    proxy_async_done(warp->cta->shadow, number); /* when the warps wait for it is not followed */
    memset(job->present, 0xff, sizeof job->present);
    if (form->sparse)
        spread_sparse(job, exec_row(warp, isa->e.index));
    if (outside == UINT32_MAX)
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, outside, EXEC_FAULT_ADDRESS,
                  "a matrix descriptor leads to address 0x%x, the CTA has %u bytes of shared memory", outside, b.limit);
    return false;
}

static void multiply(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct wgmma_job job;
    if (!wgmma_form_of(isa, &job.form)) {
        exec_refuse(core, warp, inst, "this shape or type of a matrix multiplication of a warpgroup");
        return;
    }
    if (!whole(core, warp, inst, active) || !read_operands(core, warp, inst, &job))
        return;
    bool add = operand_uniform(warp, isa->pp) && isa->c.kind == ISA_REG && isa->c.index != ISA_RZ;
    job.c = add ? (const uint32_t(*)[EXEC_LANES]) & warp->reg[isa->c.index] : NULL;
    job.d = &warp->reg[isa->d.index];
    if (isa->d.index != ISA_RZ)
        wgmma_widest()(&job);
    warpgroup_issued(&warp->warpgroup, isa->mod[ISA_MOD_GROUP] == ISA_GROUP_GSB0);
}

#define WGMMA_OP(id)                                                                                                   \
    void exec_##id(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,      \
                   struct issued *out)                                                                                 \
    {                                                                                                                  \
        (void)out;                                                                                                     \
        multiply(core, warp, inst, active);                                                                            \
    }

WGMMA_OP(HGMMA)
WGMMA_OP(IGMMA)
WGMMA_OP(BGMMA)
WGMMA_OP(QGMMA)
