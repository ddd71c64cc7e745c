/* The streams of a kernel in a trace as the source of a timed run: a cursor for each warp that is resident on an SM.
 *
 * Two things a trace cannot hold, because they are known only where the instruction runs, and are made here: device
 * addresses of local memory, and which accesses wait for their L2 slice (the rules of src/exec: stores, atomics,
 * reductions, strong loads, and loads of bytes that an access of the same SM in flight has yet to decide). */
#ifndef SUBCORE_GPU_REPLAYING_H
#define SUBCORE_GPU_REPLAYING_H

#include "base/archive.h"
#include "base/arena.h"
#include "base/status.h"
#include "config/config.h"
#include "gpu/machine.h"
#include "trace/reader.h"

struct replaying_sm;

struct replaying {
    const struct config *config;
    struct replaying_sm **sms; /* [config->gpu.sms]; NULL: has no CTA of the kernel */
    const struct trace_kernel *kernel;
    const struct trace_launch *launch;
    struct arena arena; /* accesses in flight */
    uint64_t *cta;      /* [ctas] that the trace has, of a kernel that is not complete; NULL: all of the grid */
    uint64_t ctas;
    uint32_t warps_per_cta;
    uint64_t local_base;
    uint8_t *rule;      /* [launch->code_count] of an instruction's accesses */
    bool undecided;     /* some access of the kernel decides the value of bytes at the slice */
    bool passes_damage; /* warps end where their streams are damaged, and the run goes on */
};

/* Prepares for a launch and describes it. False, with status, when it cannot be; it is to be freed then as well. */
bool replaying_begin(struct replaying *r, const struct config *config, const struct trace_kernel *kernel,
                     bool passes_damage, struct timed_launch *out, struct status *status);
void replaying_free(struct replaying *r);

/* Warps whose streams ended early, and what is wrong with the first of them (STATUS_OK: none). */
uint64_t replaying_damaged(const struct replaying *r, struct status *first);

/* The streams of the first `sms` SMs, of a launch that has begun. */
void replaying_archive(struct archive *a, struct replaying *r, uint32_t sms);

#endif
