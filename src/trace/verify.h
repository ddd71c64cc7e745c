/* Goes over all of a trace and reports damage. */
#ifndef SUBCORE_TRACE_VERIFY_H
#define SUBCORE_TRACE_VERIFY_H

#include "trace/reader.h"

struct trace_damage {
    bool whole_kernel; /* nothing of it can be read; cta and warp are 0 */
    uint32_t kernel;
    uint64_t cta;
    uint32_t warp;
    const char *text; /* names file, kernel, CTA and warp */
};

struct trace_check {
    void (*damage)(void *self, const struct trace_damage *damage);
    void (*progress)(void *self, uint64_t done, uint64_t all); /* warp instructions (NULL: none) */
    void *self;
    const volatile bool *stop; /* NULL: none */
};

/* False: it could not go on (no memory, stopped). Damage is not an error. */
bool trace_verify(struct trace_file *file, const struct trace_check *check, uint64_t *damages, struct status *status);

#endif
