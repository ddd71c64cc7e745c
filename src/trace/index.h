/* The indexes of a trace: of the file (commands, kernels), and of a kernel (its frames). */
#ifndef SUBCORE_TRACE_INDEX_H
#define SUBCORE_TRACE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/bytes.h"
#include "trace/frame.h"
#include "trace/reader.h"

/* A kernel in the index of the file. */
struct trace_kernel_entry {
    char *name; /* owned */
    uint64_t frames_at;
    uint64_t ctas, warps, instructions, bytes;
    bool complete;
};

struct trace_index {
    uint64_t origin_at;
    struct trace_kernel_entry *kernel; /* owned */
    struct trace_command *command;     /* owned */
    uint32_t kernels, commands, kernel_room, command_room;
};

void trace_index_free(struct trace_index *index);
/* NULL: no memory. Returned memory is zero. */
struct trace_kernel_entry *trace_index_add_kernel(struct trace_index *index);
struct trace_command *trace_index_add_command(struct trace_index *index);
void trace_index_put(const struct trace_index *index, struct trace_bytes *out);
/* False: damaged, or no memory. Frees nothing. */
bool trace_index_take(struct trace_index *index, struct trace_view *v);

struct trace_frames {
    uint64_t kernel_at;
    uint64_t *dictionary_at;         /* owned */
    struct trace_frame_entry *frame; /* owned, in the order of the file */
    uint32_t dictionaries, frames, dictionary_room, frame_room;
    bool counted; /* frames that were read have their instructions */
};

void trace_frames_free(struct trace_frames *f);
bool trace_frames_add(struct trace_frames *f, const struct trace_frame_entry *entry);
bool trace_frames_add_dictionary(struct trace_frames *f, uint64_t at);
void trace_frames_put(const struct trace_frames *f, struct trace_bytes *out);
/* `counted`: the frames have their instructions, as from version 3 on. False: damaged, or no memory. */
bool trace_frames_take(struct trace_frames *f, struct trace_view *v, bool counted);

#endif
