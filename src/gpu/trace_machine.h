/* The streams of a kernel in a trace as the source of a timed run: a cursor for each warp that is resident on an SM.
 * gpu/trace_access.h makes the part of an access that a trace cannot hold. */
#ifndef SUBCORE_GPU_TRACE_MACHINE_H
#define SUBCORE_GPU_TRACE_MACHINE_H

#include "base/archive.h"
#include "base/arena.h"
#include "base/status.h"
#include "config/config.h"
#include "gpu/machine.h"
#include "gpu/trace_access.h"
#include "trace/reader.h"

struct trace_machine_sm;

struct trace_machine {
    const struct config *config;
    struct trace_machine_sm **sms; /* [config->gpu.sms] (NULL: has no CTA of the kernel) */
    const struct trace_kernel *kernel;
    const struct trace_launch *launch;
    struct arena arena; /* accesses in flight */
    uint64_t *cta;      /* [ctas] that the trace has, of a kernel that is not complete (NULL: all of the grid) */
    uint64_t ctas;
    uint32_t warps_per_cta;
    uint64_t local_base;
    struct access_rules rules;
    bool objects;       /* gpu/trace_objects.h: the kernel needs them */
    bool passes_damage; /* warps end where their streams are damaged, and the run continues */
};

/* Prepares for a launch and describes it. False, with status, when it cannot be. It is to be freed then as well. */
bool trace_machine_begin(struct trace_machine *r, const struct config *config, const struct trace_kernel *kernel,
                         bool passes_damage, struct timed_launch *out, struct status *status);
void trace_machine_free(struct trace_machine *r);

/* Warps whose streams ended early, and the mistake in the first of them (STATUS_OK: none). */
uint64_t trace_machine_damaged(const struct trace_machine *r, struct status *first);

/* The streams of the first `sms` SMs, in a launch that has begun. */
void trace_machine_archive(struct archive *a, struct trace_machine *r, uint32_t sms);

#endif
