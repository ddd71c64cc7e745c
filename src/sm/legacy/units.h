/* Names of the legacy core's units, and an instruction between two of its structures. */
#ifndef SUBCORE_SM_LEGACY_UNITS_H
#define SUBCORE_SM_LEGACY_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/legacy.h"
#include "sm/code.h"
#include "sm/legacy/units.def"

struct code_registers;
struct isa_inst;

enum legacy_unit {
    LEGACY_PASS = ISA_LEGACY_PASS, /* not the core's own: an engine beside it */
#define X(id, class, key) LEGACY_##id = ISA_LEGACY_##id,
    LEGACY_UNIT_LIST(X)
#undef X
        LEGACY_MEM = ISA_LEGACY_MEM,
    LEGACY_UNITS = ISA_LEGACY_UNITS
};

/* An instruction in a latch or a collector. */
struct legacy_op {
    uint32_t code;  /* its number in the code */
    uint32_t age;   /* grows with each issue of the SM */
    uint16_t token; /* of its access (LSU_NO_TOKEN: none) */
    uint8_t slot;   /* warp slot */
    bool used;
};

/* The unit that takes the instruction: in the legacy core no read window is reserved. */
static inline enum legacy_unit legacy_unit_of(const struct code *code) { return (enum legacy_unit)code->window; }

/* Makes an entry of the modern core, and its registers, one of the legacy core: unit, class, latency, the registers
 * that its collector reads, and those that the scoreboard keeps. */
void legacy_code_build(struct code *code, struct code_registers *registers, const struct isa_inst *inst,
                       const struct config_legacy *config);

#endif
