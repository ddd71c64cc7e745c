/* A decoded instruction, ready to run. */
#ifndef SUBCORE_EXEC_INST_H
#define SUBCORE_EXEC_INST_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "isa/issued.h"

struct exec_core;
struct exec_inst;
struct exec_warp;

/* Executes one instruction for the lanes in `active` (never 0 except for uniform instructions). Control flow and
 * memory go through `out`; faults through the core. */
typedef void exec_fn(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out);

/* A decoded instruction, ready to run. */
struct exec_inst {
    exec_fn *run;
    uint32_t guard_flip; /* all ones when the guard is inverted */
    uint8_t guard;       /* number of the guard predicate */
    uint16_t rows;       /* registers up to the highest that it names */
    uint8_t turns;       /* of a functional run, until its loads have arrived for an instruction that waits */
    bool guard_uniform : 1;
    bool at_slice : 1; /* the memory order lets it take effect only at the L2 slice */
    bool plain : 1;    /* FP32: no modifier, to nearest */
    bool waits : 1;    /* the control bits make it wait for the result of an earlier instruction */
    bool shares : 1;   /* it accesses memory that other warps see */
    bool joins : 1;    /* it waits for products of a warpgroup */
    bool computes : 1; /* it takes and leaves values of its warp, and does nothing else (exec/compute.h) */
    struct isa_inst isa;
};

/* Fills in everything beside `isa`. */
void exec_inst_prepare(struct exec_inst *inst);

#endif
