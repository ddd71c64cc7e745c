/* Kernels on the executor thread. */
#ifndef SUBCORE_DRIVER_KERNEL_EXECUTE_H
#define SUBCORE_DRIVER_KERNEL_EXECUTE_H

#include "driver/queue/command.h"

/* Runs without the driver's lock (driver/queue/command.h). Errors are explained on standard error. */
CUresult kernel_execute(struct execution *execution);

#endif
