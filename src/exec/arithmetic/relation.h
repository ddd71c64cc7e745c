/* How two numbers compare, as one bit. A comparison's code is a set of such bits. */
#ifndef SUBCORE_EXEC_RELATION_H
#define SUBCORE_EXEC_RELATION_H

#include "exec/arithmetic/lanes.h"

enum { RELATION_LESS = 1, RELATION_EQUAL = 2, RELATION_GREATER = 4, RELATION_UNORDERED = 8 };

static inline uint32_t relation_of(double a, double b)
{
    return a < b ? RELATION_LESS : a == b ? RELATION_EQUAL : a > b ? RELATION_GREATER : RELATION_UNORDERED;
}

static inline uint32_t relation_combine(unsigned bop, uint32_t value, uint32_t source)
{
    return bop == ISA_BOP_AND ? value & source : bop == ISA_BOP_OR ? value | source : value ^ source;
}

static inline bool relation_refused(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    if (inst->isa.mod[ISA_MOD_BOP] <= ISA_BOP_XOR)
        return false;
    exec_refuse(core, warp, inst, "the predicate combination is not defined");
    return true;
}

#endif
