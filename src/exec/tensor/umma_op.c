/* tcgen05.mma: one thread lets the tensor cores of its SM, or the CTA pair's, multiply. D has its new value from
 * issue on, also in a deferred core. When the product is over the program learns from a commit (commit.c), whose time
 * is that of the engine (sm/execute/tensor_engine.h). The checker of shared memory tells programs that read too early.
 * In a deferred core the product of a pair has its effect a little later, between two quanta (tensor_pair.h).
 *
 * A CTA of a pair has half the rows of A and D, and half the columns of B, at the same addresses as the other. */
#include "exec/tensor/umma.h"

#include "base/bits.h"
#include "exec/launch.h"
#include "exec/memory/proxy_see.h"
#include "exec/tensor/tensor_memory.h"
#include "exec/tensor/tensor_pair.h"
#include "exec/tensor/umma_operands.h"

enum { LONG_SM = 103 };

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

/* The CTAs that take part. False, with a fault: the warp's CTA has no other. */
static bool find_ctas(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                      const struct umma_form *form, struct umma_ctas *ctas)
{
    *ctas = (struct umma_ctas){.cta = {warp->cta}, .count = 1};
    if (!form->pair)
        return true;
    unsigned own = warp->cta->cluster.rank & 1;
    ctas->count = 2;
    ctas->cta[own] = warp->cta;
    ctas->cta[own ^ 1] = tensor_pair_other(core, warp, inst);
    return ctas->cta[own ^ 1] != NULL;
}

/* The effect of an instruction whose operands are `word` (umma_words_of). */
static void multiply(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                     const uint32_t word[TENSOR_PAIR_WORDS])
{
    struct umma_ctas ctas;
    struct umma_job job;
    umma_form_of(&inst->isa, word[UMMA_WORD_DESCRIPTOR], &job.form);
    job.form.add = word[UMMA_WORD_ADD];
    struct umma_places at = umma_places_of(&job.form, word);
    if (!find_ctas(core, warp, inst, &job.form, &ctas) || !umma_check(core, warp, inst, &job.form, &at, &ctas))
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

static void issue(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    uint32_t word[TENSOR_PAIR_WORDS] = {0};
    struct umma_form form;
    umma_words_of(warp, &inst->isa, word);
    const char *wrong = umma_form_of(&inst->isa, word[UMMA_WORD_DESCRIPTOR], &form);
    issued_note(out, active, 0, word[UMMA_WORD_DESCRIPTOR]);
    if (!wrong && form.depth == UMMA_LONG_DEPTH && warp->cta->launch->module->sm != LONG_SM)
        wrong = "asks for 96 elements of K (bit 31), which code for sm_103 alone may do";
    if (wrong)
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER, "the instruction descriptor 0x%08x %s",
                   word[UMMA_WORD_DESCRIPTOR], wrong);
    else if (form.pair)
        tensor_pair_begin(core, warp, inst, multiply, word);
    else
        multiply(core, warp, inst, word);
}

#define UMMA_OP(id)                                                                                                    \
    void exec_##id(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,      \
                   struct issued *out)                                                                                 \
    {                                                                                                                  \
        issue(core, warp, inst, active, out);                                                                          \
    }

UMMA_OP(UTCHMMA)
UMMA_OP(UTCQMMA)
UMMA_OP(UTCIMMA)
UMMA_OP(UTCOMMA)
