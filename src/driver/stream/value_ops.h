/* Operations of cuStreamBatchMemOp as commands. */
#ifndef SUBCORE_DRIVER_VALUE_OPS_H
#define SUBCORE_DRIVER_VALUE_OPS_H

#include "driver/queue/command.h"
#include "driver/state/driver.h"

CUresult value_op_make(const struct driver *driver, const CUstreamBatchMemOpParams *op, struct command *command);

#endif
