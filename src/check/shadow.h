/* Shadows of memory: for each word the last accesses, and for each byte whether it has been written. A page has a
 * cell for each word until something smaller than a word is accessed in it. Then it has one for each byte. */
#ifndef SUBCORE_CHECK_SHADOW_H
#define SUBCORE_CHECK_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SHADOW_PAGE = 1024, /* bytes of memory */
    SHADOW_READS = 2
};

/* Flags of an access, beside its pc, whose lowest four bits are 0. */
enum {
    SHADOW_SCOPE = 3,  /* enum order_scope of a strong access (0: weak) */
    SHADOW_ATOMIC = 4, /* reads and writes */
    SHADOW_COPY = 8    /* LDGSTS: complete when its group has been waited for */
};

struct shadow_write {
    uint32_t stamp; /* 0: never written */
    uint32_t warp;  /* number in the launch */
    uint32_t pc;    /* and flags */
    uint32_t value; /* of a copy its group */
    uint8_t lane;
};

/* The last instruction of a warp that reads, with its lanes. */
struct shadow_read {
    uint32_t stamp, warp, pc, lanes;
};

struct shadow_cell {
    struct shadow_write write;             /* the last weak one */
    struct shadow_write strong;            /* the last strong one since then; those need no order among themselves */
    struct shadow_read read[SHADOW_READS]; /* since the last weak write; [1] is another warp's where there is one */
};

struct shadow_page {
    struct shadow_cell *cell; /* NULL: nothing accessed yet */
    uint8_t shift;            /* bytes of a cell: 1 << shift */
    uint8_t written[SHADOW_PAGE / 8];
};

/* Pages by number. */
struct shadow {
    struct shadow_page **page; /* a hash table with `room` entries, a power of two or 0 */
    uint64_t *number;
    uint32_t pages, room;
    struct shadow_page *last;
    uint64_t last_number;
};

/* Frees all pages. */
void shadow_clear(struct shadow *shadow);
/* Returns the page of an address, made when it is first asked for (NULL: the host has no memory). */
struct shadow_page *shadow_page(struct shadow *shadow, uint64_t address);
/* Makes the page's cells ready for accesses of so many bytes (false: the host has no memory). */
bool shadow_cells(struct shadow_page *page, unsigned bytes);
/* Forgets the accesses to these bytes, and notes that they are written. */
void shadow_renew(struct shadow *shadow, uint64_t address, uint64_t bytes);

/* Bytes of a page, within it, that are written. */
void shadow_write(struct shadow_page *page, uint32_t offset, uint32_t bytes);
bool shadow_written(const struct shadow_page *page, uint32_t offset, uint32_t bytes);

#endif
