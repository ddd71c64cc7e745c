/* A kernel's code and constants as the L2 sees them: their device addresses, and how they came into it. */
#ifndef SUBCORE_GPU_UPLOAD_H
#define SUBCORE_GPU_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/launch.h"
#include "gpu/machine.h"
#include "mem/mem.h"

/* Below the addresses of allocations, a range for each kernel of a module: 64 MiB of code, and constants
 * L15_CONSTANTS further on. */
uint64_t upload_address(const struct exec_launch *launch);

/* Bytes of each constant bank that the driver fills for a launch. */
void upload_banks(const struct exec_launch *launch, uint32_t bytes[MACHINE_BANKS]);

/* Before the first CTA starts the L2 reads the kernel's code, parameters and constants, as after their upload by the
 * driver at `cycle`. No unit waits for the replies. Returns false if the host has no memory for the requests. */
bool upload(struct mem *mem, const struct timed_launch *launch, uint64_t cycle);

#endif
