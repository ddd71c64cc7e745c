/* The operands of wgmma: from registers, and from shared memory through descriptors.
 *
 * A descriptor (PTX ISA, matrix descriptor format) has, in units of 16 bytes, the start address in bits 13:0, the
 * leading byte offset in 29:16 and the stride byte offset in 45:32, then the base offset in 51:49 and the swizzle in
 * 63:62. An address has 18 bits: it is always in the CTA's own shared memory. */
#include "exec/matrix/wgmma.h"

#include <string.h>

#include "exec/engine/swizzle.h"
#include "exec/matrix/warpgroup.h"
#include "exec/memory/proxy_see.h"
#include "isa/matrix.h"

enum { CHUNK = 16, ATOM = 8 /* rows or columns of the core matrices */ };

struct matrix {
    uint32_t start, leading, stride, base;
    enum swizzle swizzle;
    uint32_t span; /* bytes of a row of the swizzle; 0: none */
    uint32_t limit;
    const uint8_t *shared;
    uint32_t outside;             /* an address that is not in shared memory; UINT32_MAX: none */
    const struct exec_core *core; /* checks between the proxies; NULL: nobody does */
    struct exec_cta *cta;
    uint32_t number; /* for the checker */
};

static struct matrix matrix_of(const struct exec_warp *warp, unsigned index)
{
    static const uint8_t swizzles[] = {SWIZZLE_NONE, SWIZZLE_128, SWIZZLE_64, SWIZZLE_32};
    static const uint8_t spans[] = {0, 128, 64, 32};
    uint32_t low = warp->ureg[index], high = warp->ureg[index + 1];
    return (struct matrix){.start = (low & 0x3fff) * CHUNK,
                           .leading = (low >> 16 & 0x3fff) * CHUNK,
                           .stride = (high & 0x3fff) * CHUNK,
                           .base = high >> 17 & 7,
                           .swizzle = (enum swizzle)swizzles[high >> 30],
                           .span = spans[high >> 30],
                           .limit = warp->cta->launch->shared_bytes,
                           .shared = warp->cta->shared,
                           .outside = UINT32_MAX};
}

/* The 16 bytes at an offset from the start. */
static void read_chunk(struct matrix *m, uint32_t offset, uint8_t *to)
{
    uint32_t address = swizzle_address(m->swizzle, m->start + offset, m->base);
    if (address + CHUNK > m->limit) {
        m->outside = address < m->outside ? address : m->outside;
        memset(to, 0, CHUNK);
        return;
    }
    memcpy(to, m->shared + address, CHUNK);
    if (m->core)
        proxy_see_bytes(m->core, m->cta, m->number, address, CHUNK, false);
}

/* K-major: `bytes` of K of the rows from `first` on. */
static void read_k_major(struct matrix *m, unsigned first, unsigned count, unsigned bytes, uint8_t (*to)[WGMMA_BYTES])
{
    uint32_t pitch = m->span ? m->span : CHUNK, next = m->span ? CHUNK : m->leading;
    for (unsigned i = 0; i < count; i++) {
        uint32_t offset = (first + i) % ATOM * pitch + (first + i) / ATOM * m->stride;
        for (unsigned c = 0; c < bytes / CHUNK; c++)
            read_chunk(m, offset + c * next, to[i] + c * CHUNK);
    }
}

/* MN-major, of elements of 16 bits: a chunk has eight neighbours of one k. */
static void read_mn_major(struct matrix *m, unsigned first, unsigned count, unsigned depth, uint8_t (*to)[WGMMA_BYTES])
{
    unsigned wide = m->span ? m->span / CHUNK : 1; /* chunks side by side in a row of the swizzle */
    uint32_t next = m->span ? m->leading : m->stride, pitch = m->span ? m->span : CHUNK;
    uint32_t below = m->span ? m->stride : m->leading;
    for (unsigned n = 0; n < count; n += ATOM) {
        unsigned chunk = (first + n) / ATOM;
        uint32_t offset = chunk % wide * CHUNK + chunk / wide * next;
        for (unsigned k = 0; k < depth; k++) {
            uint8_t row[CHUNK];
            read_chunk(m, offset + k % ATOM * pitch + k / ATOM * below, row);
            for (unsigned t = 0; t < ATOM; t++)
                memcpy(to[n + t] + 2 * k, row + 2 * t, 2);
        }
    }
}

static void read_matrix(struct matrix *m, bool transposed, unsigned first, unsigned count, unsigned bytes,
                        uint8_t (*to)[WGMMA_BYTES])
{
    if (transposed)
        read_mn_major(m, first, count, bytes / 2, to);
    else
        read_k_major(m, first, count, bytes, to);
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

/* Place in the row of stored element `i`. 16 bits: the two lanes that the selector names have an index of two bits for
 * each of eight elements, for row g in the lower half, for row g + 8 in the upper; of each four neighbours two are
 * stored. TF32: the same with four bits (0b0100, 0b1110), and one of each two. 8 bits: even lanes have row g, odd ones
 * row g + 8, 16 elements each. */
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

/* Columns and depth as the instruction's shape says; false: it has none. */
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
    const struct wgmma_variant variants[WGMMA_VARIANTS] = {
        {"base", wgmma_multiply_base, true}, {"AVX2", wgmma_multiply_v3, v3}, {"AVX-512", wgmma_multiply_v4, v4}};
    return variants[index];
#else
    return (struct wgmma_variant){"base", wgmma_multiply_base, index == 0};
#endif
}

static wgmma_multiply *widest(void)
{
    unsigned index = WGMMA_VARIANTS - 1;
    while (!wgmma_variant(index).here)
        index--;
    return wgmma_variant(index).multiply;
}

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
                            struct matrix *m, uint32_t number)
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
    struct matrix b = matrix_of(warp, descriptors + 2u);
    uint32_t number = begin_check(core, warp, inst, &b, 0);
    read_matrix(&b, form->transpose_b, 0, form->columns, bytes, job->b);
    uint32_t outside = b.outside;
    if (form->a_shared) {
        struct matrix a = matrix_of(warp, descriptors);
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
        widest()(&job);
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
