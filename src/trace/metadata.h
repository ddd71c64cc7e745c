/* The block that holds a launch and its code. */
#ifndef SUBCORE_TRACE_METADATA_H
#define SUBCORE_TRACE_METADATA_H

#include <stdbool.h>

#include "trace/bytes.h"
#include "trace/launch.h"

/* Returns the error of a launch that is to be written, or was read (NULL: none). `code`: it must have its code. */
const char *trace_launch_wrong(const struct trace_launch *launch, bool code);

void trace_metadata_put(const struct trace_launch *launch, struct trace_bytes *out);
/* Takes the bytes of trace_metadata_put without decoding words or judging limits. Returns false, with nothing left to
 * free, if they are damaged or the host has no memory. */
bool trace_metadata_take(struct trace_launch *launch, struct trace_view *v);

#endif
