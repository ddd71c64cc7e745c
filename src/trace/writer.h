/* Writes a native trace (docs/trace-format.md), a stream for each warp, whatever order CTAs and warps come in.
 *
 * Instructions are given as struct issued, with these differences from the record of a machine that executes:
 *   - next_pc is not looked at: it is the pc of the warp's next instruction
 *   - local memory: address[] is the byte offset in the thread's own local memory, not a device address
 *   - deferred is not looked at
 *   - a field counts only where it means something: address[] and zero_fill where space is not NONE, of lanes that are
 *     active and not in zero_fill; shared[] of active LDGSTS lanes; barrier and barrier_warps where flow is
 *     AT_BARRIER or barrier_arrive is set; cache_policy where space is GLOBAL
 * Memory is bounded: streams are cut into chunks, and chunks are written as they fill. One thread uses a writer. */
#ifndef SUBCORE_TRACE_WRITER_H
#define SUBCORE_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "isa/issued.h"
#include "trace/launch.h"

struct trace_writer;
struct trace_stream;

/* A trace's facts about itself. Texts may be NULL. */
struct trace_origin {
    const char *program; /* the traced program */
    const char *gpu;     /* for which GPU */
    const char *source;  /* "functional execution", "Accel-Sim trace version 5" */
};

/* The file appears under its name when trace_writer_finish succeeds. */
struct trace_writer *trace_writer_create(const char *path, const struct trace_origin *origin, struct status *status);
/* Writes the file's first `bytes` without compression: for a file that is read at once, and then removed. */
void trace_writer_keep_plain(struct trace_writer *w, uint64_t bytes);

/* Between kernels. */
bool trace_writer_copy(struct trace_writer *w, const struct trace_copy *copy, struct status *status);
/* The launch is copied. Its grid must be complete when the kernel ends. The code may come later. */
bool trace_writer_begin(struct trace_writer *w, const struct trace_launch *launch, struct status *status);
/* Takes the place of the launch that the kernel began with, for callers that learn the code last. Grid and block are
 * to be the same. Before trace_writer_end. */
bool trace_writer_code(struct trace_writer *w, const struct trace_launch *launch, struct status *status);

/* The stream of a warp; the same pointer until trace_stream_end. NULL: no memory. */
struct trace_stream *trace_writer_stream(struct trace_writer *w, uint64_t cta, uint32_t warp);
/* Errors (file, memory) are kept and reported by trace_writer_end. */
void trace_stream_add(struct trace_stream *s, const struct issued *issued);
/* The same, in less time, where both the instruction before it and this one access nothing, have no extra fields, and
 * go on to the next with all lanes of their path. */
void trace_stream_add_plain(struct trace_stream *s, const struct issued *issued);
/* The same of `count` instructions, from `issued` on, at consecutive pcs. Returns false, and does nothing, if they must
 * be added one by one. */
bool trace_stream_add_plain_run(struct trace_stream *s, const struct issued *issued, uint32_t count);
/* The same of an LDGSTS, whose shared[] counts. Only needed while the code is not known. */
void trace_stream_add_copy(struct trace_stream *s, const struct issued *issued);
/* The same of an operation on barrier objects, whose operand[] counts, and of an engine's, with its transfer. */
void trace_stream_add_operation(struct trace_stream *s, const struct issued *issued);
void trace_stream_add_transfer(struct trace_stream *s, const struct issued *issued);
/* The warp has issued its last instruction. */
void trace_stream_end(struct trace_stream *s);

/* False also when streams are missing and the trace is not allowed to be incomplete. */
bool trace_writer_end(struct trace_writer *w, bool complete, struct status *status);

/* Writes the index, checks that everything is on disk, renames. */
bool trace_writer_finish(struct trace_writer *w, struct status *status);
/* Removes an unfinished file, and frees. NULL is allowed. */
void trace_writer_destroy(struct trace_writer *w);

#endif
