/* tcgen05.mma: one thread lets the tensor cores of its SM, or of the pair of CTAs, multiply. D has its new value from
 * issue on, also in a deferred core; when the product is over the program learns from a commit (commit.c), whose time
 * is that of the engine (sm/execute/tensor_engine.h). The checker of shared memory tells programs that read too early.
 *
 * A CTA of a pair has half of the rows of A and D, and half of the columns of B, at the same addresses as the other. */
#include "exec/tensor/umma.h"

#include "exec/memory/proxy_see.h"
#include "exec/memory/remote.h"
#include "exec/tensor/tensor_memory.h"
#include "exec/tensor/tensor_pair.h"
#include "exec/tensor/umma_operands.h"

struct umma_variant umma_variant(unsigned index)
{
#if defined(__x86_64__)
    /* Processors with AVX2 have F16C; clang 14 cannot ask for it. */
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    const struct umma_variant variants[UMMA_VARIANTS] = {
        {"base", umma_multiply_base, true}, {"AVX2", umma_multiply_v3, v3}, {"AVX-512", umma_multiply_v4, v4}};
    return variants[index];
#else
    return (struct umma_variant){"base", umma_multiply_base, index == 0};
#endif
}

umma_multiply *umma_widest(void)
{
    unsigned index = UMMA_VARIANTS - 1;
    while (!umma_variant(index).here)
        index--;
    return umma_variant(index).multiply;
}

/* The product is an event of the checker in each CTA: it reads operands there, and writes columns of D. */
static void see(struct exec_warp *warp, const struct exec_inst *inst, const struct umma_form *form,
                const struct umma_places *at, struct umma_ctas *ctas)
{
    for (unsigned i = 0; i < ctas->count; i++)
        ctas->number[i] = proxy_see_product(ctas->cta[i], inst->isa.pc, warp->index, tensor_column(at->d),
                                            form->columns / (uint32_t)form->pieces);
}

static void multiply(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    struct umma_ctas ctas = {.count = 1, .cta = {warp->cta}};
    struct umma_job job;
    uint32_t descriptor = warp->ureg[isa->e.index + 1];
    const char *wrong = umma_form_of(isa, descriptor, &job.form);
    (void)active;
    if (wrong) {
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER, "the instruction descriptor 0x%08x %s", descriptor,
                   wrong);
        return;
    }
    if (job.form.pair && !tensor_pair_of(core, warp, inst, ctas.cta))
        return;
    ctas.count = job.form.pair ? 2 : 1;
    job.form.add = operand_uniform(warp, isa->pp);
    struct umma_places at = umma_places_of(warp, isa, &job.form);
    if (!umma_check(core, warp, inst, &job.form, &at, &ctas))
        return;
    see(warp, inst, &job.form, &at, &ctas);
    if (!umma_read_b(core, warp, inst, &at, &ctas, &job))
        return;
    for (unsigned i = 0; i < ctas.count; i++) {
        if (!umma_read_rows(core, warp, inst, &at, &ctas, i, &job))
            return;
        umma_widest()(&job);
    }
}

#define UMMA_OP(id)                                                                                                    \
    void exec_##id(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,      \
                   struct issued *out)                                                                                 \
    {                                                                                                                  \
        (void)out;                                                                                                     \
        multiply(core, warp, inst, active);                                                                            \
    }

UMMA_OP(UTCHMMA)
UMMA_OP(UTCQMMA)
UMMA_OP(UTCIMMA)
UMMA_OP(UTCOMMA)
