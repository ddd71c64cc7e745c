/* Values in memory that streams wait for and write. With the lock held. */
#ifndef SUBCORE_DRIVER_VALUE_H
#define SUBCORE_DRIVER_VALUE_H

#include "driver/queue/command.h"
#include "driver/state/driver.h"

/* Makes the command for an operation of cuStreamBatchMemOp. CUDA_ERROR_INVALID_VALUE: the value's place is not mapped,
 * or not aligned to its size. */
CUresult value_op_make(const struct driver *driver, const CUstreamBatchMemOpParams *op, struct command *command);

/* Returns true when a wait has found its value, and when the value's place is gone. */
bool value_ready(const struct driver *driver, const struct command *command);
CUresult value_write(struct execution *execution);

#endif
