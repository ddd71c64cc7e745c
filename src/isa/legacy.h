/* The place of an opcode in the legacy core: legacy.def has the tables. */
#ifndef SUBCORE_ISA_LEGACY_H
#define SUBCORE_ISA_LEGACY_H

#include <stdbool.h>

#include "isa/isa.h"

/* In the order in which the operand collectors look at the units' latches. */
enum isa_legacy_unit {
    ISA_LEGACY_PASS, /* none: an engine beside the core */
    ISA_LEGACY_SP,
    ISA_LEGACY_SFU,
    ISA_LEGACY_MEM,
    ISA_LEGACY_DP,
    ISA_LEGACY_INT,
    ISA_LEGACY_BRANCH,
    ISA_LEGACY_TEXTURE,
    ISA_LEGACY_TENSOR,
    ISA_LEGACY_UNIFORM,
    ISA_LEGACY_UNITS
};

struct isa_legacy {
    enum isa_legacy_unit unit;
    bool packed; /* holds its unit for half as long */
    bool once;   /* takes one cycle */
};

struct isa_legacy isa_legacy_of(enum isa_op op);

#endif
