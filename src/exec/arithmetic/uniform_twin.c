/* Instructions of the uniform datapath that compute the result of a vector instruction: the sources are put into one
 * lane of their own registers, the vector executor runs on it, and the results go back. */
#include <string.h>

#include "exec/executors.h"

enum { SOURCES = 3, ROWS = 2 * (SOURCES + 1) };

static struct isa_operand as_register(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                      const struct isa_operand *op, uint32_t (*row)[EXEC_LANES], unsigned index)
{
    struct isa_operand twin = *op;
    if (op->kind == ISA_NONE)
        return twin;
    for (unsigned w = 0; w < op->words && w < 2; w++)
        row[index + w][0] = operand_word(core, warp, inst, op, w);
    twin.kind = ISA_REG;
    twin.index = (uint8_t)index;
    return twin;
}

static void to_uniform(struct exec_warp *warp, struct isa_predicate p, const uint32_t before[static 8])
{
    if (!p.present || p.index == ISA_PT)
        return;
    bool value = warp->pred[p.index] & 1;
    warp->pred[p.index] = before[p.index];
    exec_set_uniform_predicate(warp, p, value);
}

static void run_twin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, enum isa_op vector,
                     struct issued *out)
{
    _Alignas(64) uint32_t row[ROWS][EXEC_LANES];
    memset(row, 0, sizeof row);
    struct exec_inst twin = *inst;
    struct isa_inst *isa = &twin.isa;
    isa->op = (uint16_t)vector;
    isa->a = as_register(core, warp, inst, &inst->isa.a, row, 2);
    isa->b = as_register(core, warp, inst, &inst->isa.b, row, 4);
    isa->c = as_register(core, warp, inst, &inst->isa.c, row, 6);
    isa->d.kind = ISA_REG;
    isa->d.index = 0;
    isa->pp.uniform = isa->pq.uniform = isa->pr.uniform = true;
    uint32_t(*registers)[EXEC_LANES] = warp->reg;
    uint32_t before[8];
    memcpy(before, warp->pred, sizeof before);
    warp->reg = row;
    exec_function(vector)(core, warp, &twin, 1, out);
    warp->reg = registers;
    to_uniform(warp, isa->pu, before);
    to_uniform(warp, isa->pv, before);
    for (unsigned w = 0; w < inst->isa.d.words && inst->isa.d.index != ISA_URZ; w++)
        exec_fill_uniform(warp, inst->isa.d.index + w, row[w][0]);
}

#define TWIN(uniform, vector)                                                                                          \
    void exec_##uniform(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active, \
                        struct issued *out)                                                                            \
    {                                                                                                                  \
        (void)active;                                                                                                  \
        run_twin(core, warp, inst, ISA_OP_##vector, out);                                                              \
    }

TWIN(UVIADD, VIADD)
TWIN(UIABS, IABS)
TWIN(UIMNMX, IMNMX)
TWIN(UVIMNMX, VIMNMX)
TWIN(UPRMT, PRMT)
TWIN(USGXT, SGXT)
TWIN(UBMSK, BMSK)
TWIN(UFLO, FLO)
TWIN(UBREV, BREV)
TWIN(UPOPC, POPC)
TWIN(UI2I, I2I)
TWIN(UFADD, FADD)
TWIN(UFMUL, FMUL)
TWIN(UFFMA, FFMA)
TWIN(UFMNMX, FMNMX)
TWIN(UFSEL, FSEL)
TWIN(UFSETP, FSETP)
TWIN(UI2IP, I2IP)
TWIN(UFHADD, FHADD)
TWIN(UFHFMA, FHFMA)
TWIN(UFSET, FSET)
TWIN(UF2F, F2F)
TWIN(UFRND, FRND)
TWIN(UI2F, I2F)
TWIN(UF2I, F2I)
TWIN(UI2FP, I2FP)
