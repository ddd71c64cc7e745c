/* CTAs of a trace that have no time: their instructions are counted, and the L2 may see their accesses. */
#ifndef SUBCORE_GPU_TRACE_PART_H
#define SUBCORE_GPU_TRACE_PART_H

#include "gpu/trace_machine.h"
#include "gpu/warming.h"

/* As machine.part has it. `warming`: NULL, or the observer of the accesses. */
bool trace_part(void *machine, const struct timed *t, uint64_t first, uint64_t end, struct warming *warming,
                const struct gpu_options *options, struct kernel_result *result, struct status *status);

#endif
