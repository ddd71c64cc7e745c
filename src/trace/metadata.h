/* The block that holds a launch and its code. */
#ifndef SUBCORE_TRACE_METADATA_H
#define SUBCORE_TRACE_METADATA_H

#include <stdbool.h>

#include "trace/bytes.h"
#include "trace/launch.h"

/* Returns the error of a launch that is to be written, or was read (NULL: none). `code`: it must have its code. */
const char *trace_launch_wrong(const struct trace_launch *launch, bool code);

/* Puts the launch and its code. */
void trace_metadata_put(const struct trace_launch *launch, struct trace_bytes *out);
/* Puts the launch without its code. */
void trace_metadata_put_launch(const struct trace_launch *launch, struct trace_bytes *out);
/* Takes the bytes of trace_metadata_put up to the code, without judging limits. Returns false, with nothing left to
 * free, if they are damaged or the host has no memory. */
bool trace_metadata_take(struct trace_launch *launch, struct trace_view *v);
/* Takes the rest of these bytes: the code, without decoding its words. Returns false if they are damaged or the host
 * has no memory. The caller owns [*count] instructions in each case. */
bool trace_metadata_take_code(struct trace_inst **code, uint32_t *count, struct trace_view *v);

#endif
