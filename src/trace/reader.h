/* Reads a native trace: its commands, each kernel's launch and code, and the stream of any warp in any CTA. */
#ifndef SUBCORE_TRACE_READER_H
#define SUBCORE_TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "isa/issued.h"
#include "trace/identity.h"
#include "trace/launch.h"

struct trace_file;
struct trace_kernel;

enum trace_command_kind { TRACE_LAUNCH, TRACE_COPY };

struct trace_command {
    enum trace_command_kind kind;
    uint32_t kernel; /* LAUNCH: its number among the kernels of the file, from 0 */
    struct trace_copy copy;
};

/* Reads and checks header, command list and index. Errors name the file and the reason. */
struct trace_file *trace_open(const char *path, struct status *status);
/* The same of a file without its end, or with a damaged index: by the blocks that are whole. Kernels that were not
 * written to their end are not among them, and copies are lost. A damaged origin is one that says nothing. */
struct trace_file *trace_open_rest(const char *path, struct status *status);
void trace_close(struct trace_file *file);

const char *trace_path(const struct trace_file *file);
/* Empty texts where the file says nothing. */
const char *trace_origin_program(const struct trace_file *file);
const char *trace_origin_gpu(const struct trace_file *file);
const char *trace_origin_source(const struct trace_file *file);
uint32_t trace_commands(const struct trace_file *file);
const struct trace_command *trace_command(const struct trace_file *file, uint32_t index);
uint32_t trace_kernels(const struct trace_file *file);

/* Facts of a kernel that need no decompression. */
struct trace_summary {
    const char *name;
    uint64_t ctas, warps, instructions; /* warp instructions */
    uint64_t bytes;                     /* in the file */
    bool complete;
};
void trace_summary(const struct trace_file *file, uint32_t kernel, struct trace_summary *out);

/* Of the whole file. */
struct trace_totals {
    uint64_t kernels, incomplete; /* of these, that lack CTAs or ends of warps */
    uint64_t instructions;        /* warp instructions */
    uint64_t copies, copied;      /* from the host, and their bytes */
    uint64_t bytes;               /* of the file */
};
struct trace_totals trace_totals(const struct trace_file *file);

/* A kernel may be open in several threads. It is not changed by reading. */
struct trace_kernel *trace_kernel_open(struct trace_file *file, uint32_t kernel, struct status *status);
void trace_kernel_close(struct trace_kernel *kernel);
const struct trace_launch *trace_kernel_launch(const struct trace_kernel *kernel);

void trace_kernel_summary(const struct trace_kernel *kernel, struct trace_summary *out);
/* Kernels that are not complete lack streams. A damaged trace may have lost some. */
enum trace_presence { TRACE_ABSENT, TRACE_PRESENT, TRACE_DAMAGED };
/* For the begin of a stream. */
enum trace_presence trace_kernel_presence(const struct trace_kernel *kernel, uint64_t cta, uint32_t warp);
/* The first CTA from this one on of which a stream is there, or damaged (UINT64_MAX: none). */
uint64_t trace_kernel_next_cta(const struct trace_kernel *kernel, uint64_t from);
/* Warp instructions of a stream; 0 when the trace does not have it, or not all of it. */
uint64_t trace_kernel_instructions(const struct trace_kernel *kernel, uint64_t cta, uint32_t warp);
/* Returns the warp instructions in the streams of CTAs `first` to `last`, as far as the trace has them. It decodes no
 * stream, and takes whole frames from the index. */
uint64_t trace_kernel_instructions_of(const struct trace_kernel *kernel, uint64_t first, uint64_t last);
/* Two kernels with the same identity have the same launch, code and streams: all that a replay depends on. A launch's
 * stream and its number in the program are no part of it. Reads the kernel and decodes no stream. Returns false if it
 * is damaged, or the only one of its trace. */
bool trace_kernel_identity(const struct trace_kernel *kernel, struct trace_identity *out);
/* Whether all of a stream is there, with right checksums; else the status has the error. */
bool trace_kernel_check(const struct trace_kernel *kernel, uint64_t cta, uint32_t warp, struct status *status);

/* The stream of one warp, read from its begin. Storage is bounded whatever its length. One thread at a time uses a
 * cursor. Different cursors of a kernel may be in different threads. */
struct trace_cursor;
struct trace_cursor *trace_cursor_create(const struct trace_kernel *kernel);
void trace_cursor_destroy(struct trace_cursor *cursor);
const struct trace_kernel *trace_cursor_kernel(const struct trace_cursor *cursor);
/* Moves to the begin of this warp's stream. False, with status, when the trace does not have it or it is damaged. */
bool trace_cursor_seek(struct trace_cursor *cursor, uint64_t cta, uint32_t warp, struct status *status);
/* The next instruction, all fields filled in (flow and next_pc as well; at a barrier next_pc is where the warp
 * continues; local addresses as the writer was given them). False at the end, or at damage: then status says so. */
bool trace_cursor_next(struct trace_cursor *cursor, struct issued *out, struct status *status);
/* Addresses of all lanes, folded: lane i accesses base + offset[i]. */
struct trace_folded {
    const int32_t *offset; /* [32]; NULL: the instruction has its addresses */
    uint64_t base;
    uint32_t pattern; /* the number of these offsets in the kernel */
};
/* The same, for a reader of many accesses. If all lanes access device memory and the stream has their addresses folded,
 * they stay so, and out->address is not written. */
bool trace_cursor_next_folded(struct trace_cursor *cursor, struct issued *out, struct trace_folded *folded,
                              struct status *status);
/* Goes past the next instructions that access no memory, as far as the stream says nothing of them: they come as those
 * before them. Returns how many: 0 says nothing of the next one. */
uint64_t trace_cursor_skip(struct trace_cursor *cursor);
/* Goes past at most `most` of the next instructions, as far as each continues with the one behind it, without an access
 * and with all lanes of *path. Returns how many. */
uint64_t trace_cursor_pass(struct trace_cursor *cursor, uint64_t most, uint32_t *path);
/* The pc that trace_cursor_next would give; UINT32_MAX at the end. */
uint32_t trace_cursor_pc(const struct trace_cursor *cursor);

#endif
