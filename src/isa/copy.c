#include "isa/copy.h"

enum isa_copy isa_copy_of(enum isa_op op)
{
    switch (op) {
    case ISA_OP_UTMALDG: return ISA_COPY_LOAD;
    case ISA_OP_UTMASTG: return ISA_COPY_STORE;
    case ISA_OP_UTMAREDG: return ISA_COPY_REDUCE;
    case ISA_OP_UTMAPF:
    case ISA_OP_UBLKPF: return ISA_COPY_PREFETCH;
    case ISA_OP_UBLKCP: return ISA_COPY_BULK;
    case ISA_OP_UBLKRED: return ISA_COPY_BULK_REDUCE;
    case ISA_OP_UTMACMDFLUSH: return ISA_COPY_GROUP;
    case ISA_OP_UTMACCTL: return ISA_COPY_MAP;
    default: return ISA_COPY_NONE;
    }
}
