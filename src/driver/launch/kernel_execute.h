/* Kernels on the executor thread. */
#ifndef SUBCORE_DRIVER_KERNEL_EXECUTE_H
#define SUBCORE_DRIVER_KERNEL_EXECUTE_H

#include "driver/queue/command.h"
#include "gpu/gpu.h"

/* Both run without the driver's lock (driver/queue/command.h). Errors are explained on standard error. */

/* One by itself. */
CUresult kernel_execute(struct execution *execution);
/* Those of several streams, and those that depend on each other in the programmatic way, beside each other. */
void kernels_run(struct together *together);
/* Whether a kernel that is launched now may run beside others: it is timed, the settings ask for nothing that looks at
 * one at a time, and the program has made a stream, or the code or the launch asks for programmatic dependence. */
bool kernel_overlaps(const struct driver *driver, const struct CUctx_st *context, const struct command *command,
                     const struct range_place *place);

/* Describes a kernel's launch. False, and says why, when its module is gone. */
bool kernel_describe(const struct execution *execution, struct gpu_launch *launch);
/* It has ended, or has failed: tells the records, and explains the error, which it returns, unless it has been
 * `explained`. */
CUresult kernel_over(const struct execution *execution, const char *kernel, double begin, double end,
                     const struct kernel_result *result, const struct status *status, bool explained);

#endif
