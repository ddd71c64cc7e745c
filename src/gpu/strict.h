/* The results of hardware if control bits are wrong (--strict-hazards). Execution happens at issue. Here a
 * consumer that issues before its producer's result is visible reads the register's old value.
 *
 * Each result is kept with the value that it replaced until every consumer must see it: of a fixed latency for the
 * distances of isa/contract.h, of a variable one until the SM says that it is written. Before an instruction executes,
 * resources that it reads too early are put back to the old value, and afterwards forward again where it wrote nothing.
 *
 * Only reads that come too early are modelled: writes land in program order, and an instruction of variable latency
 * reads its sources when it issues. */
#ifndef SUBCORE_GPU_STRICT_H
#define SUBCORE_GPU_STRICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "exec/core.h"
#include "exec/warp_state.h"
#include "isa/issued.h"

struct strict_warp;

/* Of one SM. */
struct strict {
    struct strict_warp *warp; /* [slots] */
    uint32_t slots;
    unsigned sm;    /* architecture of the code */
    unsigned sleep; /* core.stall_zero_yield of the GPU */
    bool failed;    /* the host had no memory: results may be those without hazards */
};

bool strict_init(struct strict *strict, uint32_t slots, struct status *status);
void strict_free(struct strict *strict);

/* A warp begins in this slot. */
void strict_start(struct strict *strict, uint32_t slot);

/* Executes the next instruction of the warp, which issues in cycle `now`. */
void strict_step(struct strict *strict, uint32_t slot, struct exec_core *core, struct exec_warp *warp, uint32_t token,
                 uint64_t now, struct issued *out);

/* Consumers of the oldest unwritten result by the instruction at `pc` may issue from `cycle` on. */
void strict_written(struct strict *strict, uint32_t slot, uint32_t pc, uint64_t cycle);

#endif
