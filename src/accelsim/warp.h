/* Turns the lines of one warp into a stream of the native trace: its path, its live and waiting threads, and the places
 * of its accesses. */
#ifndef SUBCORE_ACCELSIM_WARP_H
#define SUBCORE_ACCELSIM_WARP_H

#include "accelsim/book.h"
#include "accelsim/hold.h"
#include "accelsim/objects.h"
#include "trace/writer.h"

/* A thread's local memory. A trace has offsets in its window. On a real GPU they lie at the window's end: then each KiB
 * that is touched gets a place, in the order of the first access, so that the memory stays small. */
enum { LOCAL_PAGE = 1024, LOCAL_PAGES = 1 << 14, LOCAL_WINDOW = LOCAL_PAGE * LOCAL_PAGES };

struct local_map {
    bool decided, paged;
    uint32_t bytes;             /* of a thread, so far */
    uint16_t page[LOCAL_PAGES]; /* number + 1 (0: not touched) */
    uint32_t pages;
};

struct spaces {
    uint64_t shared_base, local_base; /* of the generic windows (0: not known) */
    uint64_t shared_window;           /* bytes from shared_base on, for all CTAs of a cluster */
    uint32_t shared_bytes;            /* of a CTA, up to the last that was accessed so far */
    struct local_map local;
};

struct warp {
    struct trace_stream *stream;
    struct spaces *spaces;
    struct place_of_warp place;
    struct hold hold;
    uint64_t blind;   /* operations on barrier objects without the values of registers, in the kernel */
    uint64_t loose;   /* transfers whose places form no box, in the kernel */
    uint32_t targets; /* ranks of the CTAs that its transfers are for, of the kernel */
    bool old;         /* before Volta: a warp is at a barrier with all its threads */
    bool has_last;
    bool follows_plain;                 /* `last` is plain, and so is the instruction before it, with the same lanes */
    uint32_t live, waiting, arrived[2]; /* threads; arrived: at a barrier of the CTA, and at one of the cluster */
    uint32_t path;                      /* of the last instruction that had active lanes */
    struct book_entry *entry;           /* of `last` */
    struct issued last;                 /* waits until its next instruction is known */
    enum hold_kind kind;                /* of `last` */
    bool asks;                          /* `last` is a wait at an object whose end is open */
    uint8_t barrier;                    /* of `last`, as far as it is known */
    uint16_t barrier_warps;
};

void warp_begin(struct warp *w, struct trace_stream *stream, struct spaces *spaces, uint32_t threads, bool old);
/* `address` counts when the entry has addresses and the mask is not 0. `line`: the further fields of a version 6
 * line; NULL for older versions. Returns NULL, or its error. */
const char *warp_add(struct warp *w, struct book_entry *e, uint32_t mask, const uint64_t address[32],
                     struct line6 *line);
/* Adds the next `count` instructions of the book in the order of the native trace. The caller knows that they are plain
 * and follow plain ones, with the same lanes as the last instruction, and that nothing is held. */
void warp_add_run(struct warp *w, const struct book *book, uint32_t count);
/* Returns false if out of memory. */
bool warp_end(struct warp *w);

#endif
