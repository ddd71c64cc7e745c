/* A frame: pieces of streams, from one warp or thousands, that are compressed together. */
#ifndef SUBCORE_TRACE_FRAME_H
#define SUBCORE_TRACE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/bytes.h"

enum {
    TRACE_FRAME_PIECES = 4096,
    TRACE_FRAME_FULL = 1 << 16, /* bytes of pieces with which a frame is written */
    TRACE_PIECE_FULL = 7000,    /* bytes with which a piece ends: no instruction takes 1000 more */
    TRACE_PIECE_MOST = 8192
};

/* A part of a warp's stream. */
struct trace_piece {
    uint64_t cta, instructions;
    uint32_t warp, part; /* from 0 */
    uint32_t pc, path;   /* of part 0: where the stream begins, pc / 16 */
    uint32_t bytes, at;  /* in the frame's data */
    bool last;
};

/* The index entry of a frame. */
struct trace_frame_entry {
    uint64_t at; /* the block in the file */
    uint64_t first_cta, last_cta;
    uint32_t first_warp, last_warp, first_part, last_part;
    uint64_t instructions; /* of its pieces, if its index counts them */
};

struct trace_frame {
    struct trace_piece *piece; /* owned */
    uint32_t pieces;
    struct trace_bytes data; /* of the pieces, one behind the other */
};

void trace_frame_free(struct trace_frame *f);
/* Adds a piece with its data. False: no memory. */
bool trace_frame_add(struct trace_frame *f, const struct trace_piece *piece, const uint8_t *data);
bool trace_frame_full(const struct trace_frame *f);
/* Contents of a block. */
void trace_frame_put(const struct trace_frame *f, struct trace_bytes *out);
/* The ranges of its pieces, and their instructions. There is at least one piece. */
struct trace_frame_entry trace_frame_ranges(const struct trace_frame *f);
/* Adds up the instructions of a block's pieces, without the rest of it. Returns false if it is damaged, or has another
 * CTA than its entry says. */
bool trace_frame_count(const struct trace_bytes *raw, const struct trace_frame_entry *entry, uint64_t *instructions);
/* Takes the contents of a block over. Pieces are sorted then. False: damaged, a piece is there twice, or no memory. */
bool trace_frame_take(struct trace_frame *f, struct trace_bytes *raw);
/* NULL: the frame, which was read, does not have it. */
const struct trace_piece *trace_frame_find(const struct trace_frame *f, uint64_t cta, uint32_t warp, uint32_t part);
/* Returns the index of the first piece for this CTA or a later one, of a frame that was read. */
uint32_t trace_frame_lower(const struct trace_frame *f, uint64_t cta);

#endif
