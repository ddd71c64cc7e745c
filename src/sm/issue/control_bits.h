/* Stall count and yield of an instruction, as the issue logic treats them. */
#ifndef SUBCORE_SM_CONTROL_BITS_H
#define SUBCORE_SM_CONTROL_BITS_H

#include <stdint.h>

#include "config/config.h"
#include "isa/isa.h"

/* Cycles, at least 1, from the issue of an instruction to the first in which its warp can issue again. */
uint8_t control_bits_stall(struct isa_control control, const struct config_core *config);

#endif
