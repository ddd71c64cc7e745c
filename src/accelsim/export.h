/* A native trace, written for Accel-Sim. */
#ifndef SUBCORE_ACCELSIM_EXPORT_H
#define SUBCORE_ACCELSIM_EXPORT_H

#include "accelsim/write.h"
#include "trace/reader.h"

struct accelsim_export {
    struct accelsim_format format;
    bool keep_going;           /* of a damaged warp the whole part is written, and its lanes then exit */
    const volatile bool *stop; /* NULL: never */
    void (*progress)(void *context, uint64_t done, uint64_t all); /* warp instructions (NULL: not wanted) */
    void *context;
};

/* `damaged` counts warps of which something is missing. */
bool accelsim_export(struct trace_file *trace, const char *folder, const struct accelsim_export *options,
                     struct accelsim_written *report, uint64_t *damaged, struct status *status);

#endif
