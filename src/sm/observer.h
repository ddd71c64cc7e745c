/* An observer of the SMs' issues: a timeline, a checker, a recorder. It changes nothing. */
#ifndef SUBCORE_SM_OBSERVER_H
#define SUBCORE_SM_OBSERVER_H

#include <stdint.h>

#include "isa/issued.h"
#include "sm/code.h"

struct sm_observer {
    void *self;
    /* The warp in this slot of this SM issues, in this cycle, an instruction that has just been executed. Called from
     * the host thread that runs the SM: different SMs at the same time, one SM in the order of its cycles. `cta` is the
     * linear number of the warp's CTA. */
    void (*issued)(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                   const struct issued *issued, uint64_t cycle);
    /* NULL: not wanted. The result of the oldest instruction at `pc` of this warp whose result was still on its way
     * is in the registers: its consumers may issue from `cycle`, now or later, on. Of fixed latencies too: compilers
     * treat those as variable that are so on a smaller chip of the architecture, such as FP64 of sm_80. */
    void (*written)(void *self, uint16_t sm, uint32_t slot, uint32_t pc, uint64_t cycle);
};

#endif
