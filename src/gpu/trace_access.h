/* The part of an instruction's accesses that a trace cannot hold, because it is known only where the instruction runs:
 * device addresses of local memory, and which accesses wait for their L2 slice (the rules of src/exec: stores, atomics,
 * reductions, strong loads, and loads of bytes that an access in flight from the same SM has yet to decide). */
#ifndef SUBCORE_GPU_TRACE_ACCESS_H
#define SUBCORE_GPU_TRACE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "exec/core.h"
#include "isa/issued.h"
#include "trace/launch.h"

/* Of a kernel's code. */
struct access_rules {
    uint8_t *rule;  /* [code_count] of an instruction's accesses, 0: none; owned */
    bool undecided; /* some access of the kernel decides the value of bytes at the slice */
};

/* Of an SM. */
struct trace_access {
    const uint8_t *rule;
    uint64_t local_base;   /* device address of the first warp slot's local memory */
    uint64_t local_bytes;  /* of a warp slot */
    struct exec_core core; /* accesses in flight, of kernels that have undecided bytes */
    bool has_core;
};

/* Finds the rules of a kernel. Returns false, with status, if out of memory. */
bool trace_access_rules(struct access_rules *rules, const struct trace_launch *launch, struct status *status);

/* Completes an instruction that the warp in `slot` issues with the access `token`, and that has a rule. */
void trace_access_apply(struct trace_access *a, uint32_t slot, uint32_t token, struct issued *out);
/* The same for any instruction. */
static inline void trace_access_resolve(struct trace_access *a, uint32_t slot, uint32_t token, struct issued *out)
{
    if (a->rule[out->pc / 16])
        trace_access_apply(a, slot, token, out);
}

#endif
