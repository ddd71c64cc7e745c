/* Instructions in which lanes see each other's registers. */
#include <string.h>

#include "base/bits.h"
#include "exec/arithmetic/extreme.h"
#include "exec/arithmetic/float32.h"
#include "exec/arithmetic/lanes.h"
#include "exec/executors.h"

/* ---- votes ----------------------------------------------------------------------------------------------------- */

static bool vote(unsigned mode, uint32_t active, uint32_t ballot)
{
    switch (mode) {
    case ISA_VOTE_MODE_ALL: return ballot == active;
    case ISA_VOTE_MODE_ANY: return ballot != 0;
    default: return ballot == active || ballot == 0;
    }
}

static bool vote_known(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    if (inst->isa.mod[ISA_MOD_MODE] <= ISA_VOTE_MODE_EQ)
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

/* ---- matches --------------------------------------------------------------------------------------------------- */

/* Returns the lanes whose value is that of `lane`. */
static uint32_t lanes_like(const uint32_t *low, const uint32_t *high, unsigned lane)
{
    uint32_t equal = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        equal |= ((low[i] ^ low[lane]) | (high[i] ^ high[lane])) == 0 ? lanes_bit.v[i] : 0;
    return equal;
}

/* .ANY: the lanes with the same value; .ALL: all lanes when they agree, or none. */
void exec_MATCH(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)core;
    const struct isa_inst *isa = &inst->isa;
    uint32_t same[EXEC_LANES] = {0};
    uint8_t values = 0;
    bool any = isa->mod[ISA_MOD_MODE] == ISA_MATCH_ANY, agree = true;
    const uint32_t *low = exec_row(warp, isa->a.index);
    const uint32_t *high = isa->mod[ISA_MOD_WIDE64] ? exec_row_word(warp, isa->a.index, 1) : exec_zero_row;
    for (uint32_t left = active; left;) {
        uint32_t equal = lanes_like(low, high, lowest_bit32(left)) & active;
        for (uint32_t lanes = equal; lanes; lanes &= lanes - 1)
            same[lowest_bit32(lanes)] = equal;
        agree = agree && equal == active;
        left &= ~equal;
        values++;
    }
    out->values = any ? values : 0;
    for (uint32_t left = active; left && isa->d.index != ISA_RZ; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        warp->reg[isa->d.index][lane] = any || agree ? same[lane] : 0;
    }
    if (!any)
        exec_set_predicate(warp, isa->pu, active, agree ? UINT32_MAX : 0);
}

/* ---- to uniform registers -------------------------------------------------------------------------------------- */

static bool all_same(const uint32_t row[EXEC_LANES], uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1)
        if (row[lowest_bit32(left)] != row[lowest_bit32(lanes)])
            return false;
    return true;
}

/* The first lane's value. The predicate tells the lanes that have another one; .OR adds to the old one. So compiled
 * loops go through values that differ from lane to lane. Compiled code has .BROADCAST where one lane is active, or
 * all have one value: which lane it takes does not matter then. .FILL takes back the value that MOV.SPILL put by in the
 * same threads (ptxas 13.0, code that has not enough uniform registers). That it is the first lane's value as well is
 * assumed. */
void exec_R2UR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    enum { FILL = 1, BROADCAST = 2 };
    const struct isa_inst *isa = &inst->isa;
    const uint32_t *row = exec_row(warp, isa->a.index);
    bool broadcast = isa->mod[ISA_MOD_MODE] == BROADCAST && isa->pu.index == ISA_PT && all_same(row, active);
    if (isa->mod[ISA_MOD_MODE] && isa->mod[ISA_MOD_MODE] != FILL && !broadcast) {
        exec_refuse(core, warp, inst, "which lane .BROADCAST of different values takes is not known");
        return;
    }
    uint32_t value = row[lowest_bit32(active)], differs = 0;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        differs |= (uint32_t)(row[lane] != value) << lane;
    if (isa->mod[ISA_MOD_FLAG] && isa->pu.index != ISA_PT)
        differs |= warp->pred[isa->pu.index];
    exec_set_predicate(warp, isa->pu, active, differs);
    exec_fill_uniform(warp, isa->d.index, value);
}

static uint32_t reduce(unsigned function, bool is_signed, uint32_t a, uint32_t b)
{
    uint32_t bias = is_signed ? UINT32_C(0x80000000) : 0;
    switch (function) {
    case ISA_REDUX_AND: return a & b;
    case ISA_REDUX_OR: return a | b;
    case ISA_REDUX_XOR: return a ^ b;
    case ISA_REDUX_SUM: return a + b;
    case ISA_REDUX_MIN: return (a ^ bias) < (b ^ bias) ? a : b;
    default: return (a ^ bias) > (b ^ bias) ? a : b;
    }
}

void exec_REDUX(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    unsigned function = isa->mod[ISA_MOD_FUNCTION];
    if (function > ISA_REDUX_MAX) {
        exec_refuse(core, warp, inst, "this kind of reduction");
        return;
    }
    const uint32_t *row = exec_row(warp, isa->a.index);
    uint32_t value = row[lowest_bit32(active)];
    for (uint32_t left = active & (active - 1); left; left &= left - 1)
        value = reduce(function, isa->mod[ISA_MOD_SIGNED] != 0, value, row[lowest_bit32(left)]);
    exec_fill_uniform(warp, isa->d.index, value);
}

void exec_CREDUX(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    unsigned function = isa->mod[ISA_MOD_FUNCTION], type = isa->mod[ISA_MOD_SRC_TYPE];
    bool magnitude = function == ISA_CREDUX_MAXABS || function == ISA_CREDUX_MINABS,
         minimum = function >= ISA_CREDUX_MIN, nan = isa->mod[ISA_MOD_NAN];
    if (type > ISA_CREDUX_TYPE_F32 || (type != ISA_CREDUX_TYPE_F32 && (magnitude || nan))) {
        exec_refuse(core, warp, inst, "this kind of reduction");
        return;
    }
    const uint32_t *row = exec_row(warp, isa->a.index);
    uint32_t keep = magnitude ? ~FLOAT_SIGN : UINT32_MAX, value = row[lowest_bit32(active)] & keep;
    for (uint32_t left = active; left; left &= left - 1) {
        uint32_t next = row[lowest_bit32(left)] & keep;
        value = extreme_of(type, minimum, nan, value, next);
    }
    exec_fill_uniform(warp, isa->d.index, value);
}

/* ---- shuffles -------------------------------------------------------------------------------------------------- */

/* The lanes that lanes read. `control` holds the clamp in bits 4:0 and the mask of the segment in bits 12:8. A lane out
 * of range reads itself: its bit is missing in the returned mask. */
static uint32_t shuffle_sources(unsigned mode, const uint32_t *by, const uint32_t *control, int32_t from[EXEC_LANES])
{
    struct lanes valid;
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        int32_t clamp = control[i] & 31, segment = control[i] >> 8 & 31, b = by[i] & 31, lane = (int32_t)i;
        int32_t low = lane & segment, high = low | (clamp & ~segment);
        int32_t to = mode == ISA_SHFL_MODE_IDX    ? low | (b & ~segment)
                     : mode == ISA_SHFL_MODE_UP   ? lane - b
                     : mode == ISA_SHFL_MODE_DOWN ? lane + b
                                                  : lane ^ b;
        bool good = mode == ISA_SHFL_MODE_UP ? to >= high : to <= high;
        from[i] = good ? to : lane;
        valid.v[i] = good;
    }
    return lanes_mask(valid.v);
}

/* A lane that is not active has nothing to give: its reader keeps its own value. */
void exec_SHFL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    const uint32_t *row = exec_row(warp, isa->a.index);
    struct lanes t[2], value;
    int32_t from[EXEC_LANES];
    const uint32_t *by = lanes_raw(core, warp, inst, &isa->b, &t[0]);
    const uint32_t *control = lanes_raw(core, warp, inst, &isa->c, &t[1]);
    uint32_t in_range = shuffle_sources(isa->mod[ISA_MOD_MODE] & 3, by, control, from);
    for (unsigned i = 0; i < EXEC_LANES; i++)
        value.v[i] = row[active >> from[i] & 1 ? from[i] : (int32_t)i];
    lanes_write(warp, isa->d.index, active, value.v);
    exec_set_predicate(warp, isa->pu, active, in_range);
}
