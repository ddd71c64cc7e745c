/* Stream buffer: the instruction prefetcher of a sub-core, beside its L0.
 *
 * After a miss of L0 and buffer a new stream starts at the line after the missing one. A hit in the buffer moves the
 * line into the L0, and the stream continues behind its last line. Source: MICRO 2025 paper, instruction prefetching,
 * which finds 8 lines to fit best. The paper's artifact compares the first line only, and passes at most one prefetch
 * per cycle. The artifact leaves out lines that the L0 has. Here they are prefetched like others, and leave the buffer
 * when they are fetched: in code a little larger than the L0 such a line is often replaced before its turn, and a GA106
 * runs code of all sizes up to 64 KiB at full rate. */
#ifndef SUBCORE_SM_STREAM_BUFFER_H
#define SUBCORE_SM_STREAM_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

enum { STREAM_MAX = 32 };
#define STREAM_NOTHING UINT64_MAX

struct stream_line {
    uint64_t line, ready; /* cycle from which it is present */
};

struct stream_buffer {
    struct stream_line line[STREAM_MAX]; /* a ring, oldest first */
    uint32_t size;                       /* lines it may hold (0: no prefetcher) */
    uint32_t first, count;
    uint64_t head; /* line of the first, STREAM_NOTHING when it is empty */
    uint64_t next; /* line that is prefetched next */
    uint64_t end;  /* lines from here on are not prefetched */
};

/* Empty and without a stream. */
void stream_buffer_clear(struct stream_buffer *s, uint32_t size);
/* Drops the contents. A stream starts at this line, of code that ends before line `end`. */
void stream_buffer_start(struct stream_buffer *s, uint64_t line, uint64_t end);
/* The first line leaves. */
void stream_buffer_pop(struct stream_buffer *s);
/* Returns true if it has room for s->next and that line exists. */
bool stream_buffer_wants(const struct stream_buffer *s);
/* s->next has been asked for and is there from cycle `ready` on, which may be TAGS_COMING. */
void stream_buffer_push(struct stream_buffer *s, uint64_t ready);
/* A line that was coming is there from cycle `ready` on. */
void stream_buffer_arrive(struct stream_buffer *s, uint64_t line, uint64_t ready);

#endif
