/* Shared by writer.c (file, kernels) and stream.c (streams, frames). */
#ifndef SUBCORE_TRACE_WRITING_H
#define SUBCORE_TRACE_WRITING_H

#include "base/file.h"
#include "trace/block.h"
#include "trace/encode.h"
#include "trace/frame.h"
#include "trace/index.h"
#include "trace/writer.h"

struct trace_stream {
    struct trace_writer *writer;
    uint64_t cta;
    uint32_t warp, part;
    uint32_t pc, path; /* where it begins */
    bool started;
    struct trace_encoder encoder;
    struct trace_stream *next; /* in its bucket, or in the list of unused ones */
};

struct trace_writer {
    struct file_output file;
    struct trace_out out;
    struct trace_index index;
    struct status failed; /* the first error of a stream */
    bool in_kernel;
    /* The kernel that is written. */
    struct trace_launch launch;
    uint32_t warps, code_end; /* warps of a CTA; one more than the highest pc / 16 */
    uint64_t begins_at;       /* in the file */
    struct trace_coder *coder;
    struct trace_written written;
    struct trace_frames frames;
    struct trace_frame frame;
    enum trace_effort effort; /* for the next frame */
    struct trace_bytes scratch;
    /* Streams that are open, by hash of CTA and warp; and the numbers of those that have ended. */
    struct trace_stream **bucket, *unused;
    uint32_t buckets, open;
    uint64_t *ended, ended_words, warps_ended, instructions;
};

bool trace_writer_fail_memory(struct trace_writer *w, struct status *status);
/* Writes the result of the streams. */
void trace_writer_flush(struct trace_writer *w);
/* Streams that are open end as they are. */
void trace_writer_end_streams(struct trace_writer *w);
/* Frees streams that have ended. */
void trace_writer_free_streams(struct trace_writer *w);
/* CTAs of which there is a stream. */
uint64_t trace_writer_count_ctas(const struct trace_writer *w);

#endif
