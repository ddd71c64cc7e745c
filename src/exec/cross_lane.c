/* Instructions in which lanes see each other's registers. */
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"

/* ---- votes ----------------------------------------------------------------------------------------------------- */

static bool vote(unsigned mode, uint32_t active, uint32_t ballot)
{
    enum { ALL, ANY, EQUAL };
    switch (mode) {
    case ALL: return ballot == active;
    case ANY: return ballot != 0;
    default: return ballot == active || ballot == 0;
    }
}

static bool vote_known(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    if (inst->isa.mod[ISA_MOD_MODE] <= 2)
        return true;
    exec_refuse(core, warp, inst, "this kind of vote");
    return false;
}

void exec_VOTE(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    if (!vote_known(core, warp, inst))
        return;
    uint32_t ballot = active & operand_predicate(warp, isa->pp);
    bool result = vote(isa->mod[ISA_MOD_MODE], active, ballot);
    exec_fill(warp, isa->d.index, active, ballot);
    exec_set_predicate(warp, isa->pu, active, result ? UINT32_MAX : 0);
}

void exec_VOTEU(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    if (!vote_known(core, warp, inst))
        return;
    uint32_t ballot = active & operand_predicate(warp, isa->pp);
    exec_fill_uniform(warp, isa->d.index, ballot);
    exec_set_uniform_predicate(warp, isa->pu, vote(isa->mod[ISA_MOD_MODE], active, ballot));
}

/* ---- to uniform registers -------------------------------------------------------------------------------------- */

void exec_R2UR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    if ((isa->pu.present && isa->pu.index != ISA_PT) || isa->mod[ISA_MOD_FLAG]) {
        exec_refuse(core, warp, inst, "this form of R2UR");
        return;
    }
    exec_fill_uniform(warp, isa->d.index, exec_row(warp, isa->a.index)[lowest_bit32(active)]);
}

static uint32_t reduce(unsigned function, bool is_signed, uint32_t a, uint32_t b)
{
    enum { AND, OR, XOR, SUM, MIN, MAX };
    uint32_t bias = is_signed ? UINT32_C(0x80000000) : 0;
    switch (function) {
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case SUM: return a + b;
    case MIN: return (a ^ bias) < (b ^ bias) ? a : b;
    default: return (a ^ bias) > (b ^ bias) ? a : b;
    }
}

void exec_REDUX(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    unsigned function = isa->mod[ISA_MOD_FUNCTION];
    if (function > 5) {
        exec_refuse(core, warp, inst, "this kind of reduction");
        return;
    }
    const uint32_t *row = exec_row(warp, isa->a.index);
    uint32_t value = row[lowest_bit32(active)];
    for (uint32_t left = active & (active - 1); left; left &= left - 1)
        value = reduce(function, isa->mod[ISA_MOD_SIGNED] != 0, value, row[lowest_bit32(left)]);
    exec_fill_uniform(warp, isa->d.index, value);
}

/* ---- shuffles -------------------------------------------------------------------------------------------------- */

/* The lane that lane `lane` reads; *valid is false when it is out of range, and then the lane reads itself. `control`
 * holds the clamp in bits 4:0 and the mask of the segment in bits 12:8. */
static unsigned shuffle_source(unsigned mode, unsigned lane, uint32_t by, uint32_t control, bool *valid)
{
    enum { IDX, UP, DOWN, BFLY };
    unsigned clamp = control & 31, segment = control >> 8 & 31, b = by & 31;
    unsigned low = lane & segment, high = low | (clamp & ~segment);
    int from;
    switch (mode) {
    case IDX: from = (int)(low | (b & ~segment)); break;
    case UP: from = (int)lane - (int)b; break;
    case DOWN: from = (int)(lane + b); break;
    default: from = (int)(lane ^ b); break;
    }
    *valid = mode == UP ? from >= (int)high : from <= (int)high;
    return *valid ? (unsigned)from : lane;
}

/* A lane that is not active has nothing to give: its reader keeps its own value. */
void exec_SHFL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    const uint32_t *row = exec_row(warp, isa->a.index);
    uint32_t value[EXEC_LANES], in_range = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        bool valid;
        unsigned from = shuffle_source(isa->mod[ISA_MOD_MODE] & 3, lane, exec_operand(core, warp, inst, &isa->b, lane),
                                       exec_operand(core, warp, inst, &isa->c, lane), &valid);
        value[lane] = row[active >> from & 1 ? from : lane];
        in_range |= valid ? 1u << lane : 0;
    }
    if (isa->d.index != ISA_RZ)
        for (uint32_t left = active; left; left &= left - 1)
            warp->reg[isa->d.index][lowest_bit32(left)] = value[lowest_bit32(left)];
    exec_set_predicate(warp, isa->pu, active, in_range);
}
