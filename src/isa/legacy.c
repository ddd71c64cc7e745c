#include "isa/legacy.h"

#include "isa/legacy.def"

static enum isa_legacy_unit unit_of(enum isa_op op)
{
    switch (op) {
#define X(op, unit)                                                                                                    \
    case ISA_OP_##op: return ISA_LEGACY_##unit;
        ISA_LEGACY_OPCODES(X)
#undef X
    default: break;
    }
    switch (isa_op_info(op)->way) {
#define X(way, unit)                                                                                                   \
    case ISA_WAY_##way: return ISA_LEGACY_##unit;
        ISA_LEGACY_WAYS(X)
#undef X
    case ISA_WAY_COUNT: break;
    }
    return ISA_LEGACY_INT;
}

struct isa_legacy isa_legacy_of(enum isa_op op)
{
    struct isa_legacy out = {.unit = unit_of(op)};
#define X(name) out.packed |= op == ISA_OP_##name;
    ISA_LEGACY_PACKED(X)
#undef X
#define X(name) out.once |= op == ISA_OP_##name;
    ISA_LEGACY_SHORT(X)
#undef X
    return out;
}
