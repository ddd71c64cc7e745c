/* The rules of shared memory by GPU family (shared.model): how an instruction's lanes are laid over the banks,
 * and the cost of its width. */
#ifndef SUBCORE_SM_SHARED_MODEL_H
#define SUBCORE_SM_SHARED_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/memory/bank_conflicts.h"

struct shared_model {
    struct bank_passes (*passes)(const uint32_t offset[32], uint32_t lanes, unsigned bytes, enum bank_use use);
    uint8_t width_extra[3]; /* cycles to the data beyond those of 32 bits, for 32, 64 and 128 bits a lane */
    bool streams; /* data move to the registers at lsu.shared_return_bytes; else the width's cycles hold that */
};

const struct shared_model *shared_model(enum config_shared_model name);

/* Index into width_extra. */
static inline unsigned shared_model_width(unsigned words) { return words >= 4 ? 2 : words / 2; }

#endif
