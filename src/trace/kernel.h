/* A file and a kernel that are open for reading. */
#ifndef SUBCORE_TRACE_KERNEL_H
#define SUBCORE_TRACE_KERNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/block.h"
#include "trace/code.h"
#include "trace/dictionary.h"
#include "trace/frame.h"
#include "trace/index.h"
#include "trace/reader.h"

enum { TRACE_CACHED = 16 };

struct trace_file {
    char *path;
    pthread_mutex_t lock; /* of what follows */
    struct trace_in in;
    struct trace_in spare; /* of the last closed kernel (its context is NULL: none) */
    struct trace_codes codes;
    /* Constant. */
    uint32_t version;
    struct trace_index index;
    char *program, *gpu, *source;
};

/* A frame that was decompressed. */
struct trace_cached {
    uint32_t frame; /* number + 1 (0: none) */
    uint64_t used;
    const char *wrong; /* with it */
    struct trace_frame contents;
};

/* The frames until a CTA, which each of its warps asks for. */
struct trace_frames_until {
    uint64_t cta; /* UINT64_MAX: of none so far */
    uint32_t frames;
};

struct trace_kernel {
    struct trace_file *file;
    uint32_t number, warps;
    struct trace_launch launch; /* its code is that of `code` */
    struct trace_code *code;
    struct trace_dictionary dictionary;
    uint32_t group; /* CTAs of a cluster */
    /* [launch.code_count]: instructions from this one on that access nothing, and that the dictionary expects to go on
     * to the next. */
    uint32_t *plain;
    struct trace_frames frames;
    uint32_t *order;      /* frames by their first CTA */
    uint64_t *last_cta;   /* [i]: the highest one in the frames order[0..i] */
    pthread_mutex_t lock; /* of what follows */
    struct trace_in in;
    struct trace_cached cached[TRACE_CACHED];
    uint64_t clock;
    struct trace_frames_until until;
    uint32_t next_piece; /* behind the one that was found last, in its frame */
    bool identified;
    struct trace_identity identity; /* if `identified` */
};

/* Opened, and its head is that of a trace. The index is empty. */
struct trace_file *trace_file_open(const char *path, struct status *status);
/* Reads the index. It may hold a part of it when it is damaged. */
bool trace_file_index(struct trace_file *f, struct status *status);
/* Reads its texts, which the index places. */
bool trace_file_origin(struct trace_file *f, struct status *status);

/* A part of a stream: found, copied into data (which may be NULL), and the frame that it is in. Part 0 is looked for
 * everywhere, others from the frame *frame on. For a damaged one *wrong names the mistake. */
enum trace_presence trace_kernel_find(struct trace_kernel *k, uint64_t cta, uint32_t warp, uint32_t part,
                                      uint32_t *frame, struct trace_piece *piece, struct trace_bytes *data,
                                      const char **wrong);
/* The same; false when it is not there: the status names kernel, CTA, warp. */
bool trace_kernel_piece(struct trace_kernel *k, uint64_t cta, uint32_t warp, uint32_t part, uint32_t *frame,
                        struct trace_piece *piece, struct trace_bytes *data, struct status *status);
/* The contents of a frame, until the next call to any of these. NULL, or its error. */
const char *trace_kernel_frame(struct trace_kernel *k, uint32_t number, const struct trace_frame **out);
/* Returns the number of frames, in `order`, whose first CTA is not behind this one. */
uint32_t trace_kernel_frames_until(const struct trace_kernel *k, uint64_t cta);
/* The kernel for readers: its frame cache is not part of its contents. */
static inline struct trace_kernel *trace_kernel_of(const struct trace_kernel *k)
{
    return (struct trace_kernel *)(uintptr_t)k;
}

/* An error in a stream. */
bool trace_kernel_fail(const struct trace_kernel *k, uint64_t cta, uint32_t warp, const char *what,
                       struct status *status);

#endif
