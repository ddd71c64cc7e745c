/* Stall count and yield: the cycles from the issue of an instruction to the first in which its warp can issue again.
 * The timing model, the hazard checker and --strict-hazards share this rule. */
#ifndef SUBCORE_ISA_STALL_H
#define SUBCORE_ISA_STALL_H

#include "isa/isa.h"

/* Returns the cycles, at least 1. `sleep` is the wait of stall 0 with yield. */
unsigned isa_stall(struct isa_control control, unsigned sleep);

/* Returns the wait of stall 0 with yield on GPUs of architecture `sm`; core.stall_zero_yield is the key of a GPU. */
unsigned isa_stall_sleep(unsigned sm);

#endif
