/* Latency and interval of matrix multiply-add by the type of its operands and its shape. */
#ifndef SUBCORE_SM_TENSOR_H
#define SUBCORE_SM_TENSOR_H

#include <stdint.h>

#include "config/config.h"
#include "isa/isa.h"

struct tensor_timing {
    uint32_t interval, latency; /* cycles, as those of other units */
};

/* HMMA, IMMA, BMMA, QMMA, OMMA, DMMA. */
struct tensor_timing tensor_timing(const struct isa_inst *inst, const struct config_core *config);

#endif
