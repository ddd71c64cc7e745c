/* Device memory: one range of addresses, cut into blocks, every access checked against them.
 *
 * The simulator sees it at `host`. Memory made with memory_create_visible also takes the addresses themselves from
 * the process, so that a host program which holds a device address cannot have anything else there: nothing is
 * accessible at them, except for visible blocks (pinned and managed memory), whose pages are in both places. Host
 * memory of the program that the device may use where it is, is a window (exec/memory/window.h). */
#ifndef SUBCORE_EXEC_MEMORY_H
#define SUBCORE_EXEC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define MEMORY_BASE UINT64_C(0x0000700000000000) /* address of the first byte, where it is free to choose */
enum {
    MEMORY_GRANULE = 256, /* allocations start on multiples of it */
    MEMORY_PAGE = 4096    /* visible blocks, windows and reserved ranges do */
};

struct heap;
struct memory_window;
struct textures;

struct memory {
    uint8_t *host;               /* reserved for `limit` bytes; host pages appear on first touch */
    uint64_t base;               /* address of the first byte */
    uint8_t *valid;              /* per granule: bytes that are allocated, minus one; see `used` */
    uint8_t *used;               /* per granule: 1 when any byte of it is allocated */
    uint64_t limit;              /* bytes of addresses, in whole granules */
    uint64_t top;                /* first never-allocated offset */
    uint64_t capacity;           /* bytes of device memory that there are */
    uint64_t allocated;          /* of these; visible blocks are host memory and do not count */
    struct memory_block *blocks; /* ascending */
    size_t block_count, block_room;
    struct heap *heap;             /* of malloc in device code (NULL: no program has needed it) */
    uint64_t heap_bytes;           /* the memory that it has, or will have */
    struct memory_window *windows; /* NULL: none */
    struct textures *textures;     /* texture and surface objects (exec/memory/textures.h) (NULL: none yet) */
    int file;                      /* pages of visible blocks, at their offsets (-1: the addresses are not taken) */
    uint64_t ready;                /* bytes of `host` that can be accessed */
    uint8_t *undefined;            /* a bit for each byte (exec/memory/undefined.h) (NULL: not kept) */
};

enum memory_kind {
    MEMORY_FREE,
    MEMORY_PLAIN,   /* of the device alone */
    MEMORY_VISIBLE, /* of device and host, at the same address */
    MEMORY_RESERVED /* addresses; memory is put there and taken away page by page */
};

struct memory_block {
    uint64_t address, bytes;
    uint64_t extent; /* bytes of the range that it takes, with the guard behind it */
    enum memory_kind kind;
};

/* Reserves address space only. The addresses begin at MEMORY_BASE, and nothing of the process is there. */
struct memory *memory_create(uint64_t limit, struct status *status);
/* The same for a driver: takes the addresses from the process too, at MEMORY_BASE or, where something is there
 * already (as under Valgrind), at another base of a short list. Where the process has too few addresses for
 * `capacity` they are fewer, and so is memory to allocate. */
struct memory *memory_create_visible(uint64_t capacity, struct status *status);
void memory_destroy(struct memory *memory);

/* 256-byte aligned, zero-filled; 0 when nothing is left. Never hands out the same addresses for two live
 * allocations, and the sequence of addresses depends only on the sequence of calls. */
uint64_t memory_alloc(struct memory *memory, uint64_t bytes);
/* The same, aligned to `alignment`, a power of two. */
uint64_t memory_alloc_aligned(struct memory *memory, uint64_t bytes, uint64_t alignment);
/* Zero-filled pages that the host can access, too, at the same address; of memory_create_visible only. */
uint64_t memory_alloc_visible(struct memory *memory, uint64_t bytes);
/* For all kinds of blocks. False: no block begins there. */
bool memory_free(struct memory *memory, uint64_t address);

/* Takes addresses, a multiple of pages, without memory behind them: every access is a fault. memory_free gives them
 * back, with their mappings. 0: no room. */
uint64_t memory_reserve(struct memory *memory, uint64_t bytes, uint64_t alignment);
/* Device memory without an address, zero-filled: a file descriptor (-1: no room). */
int memory_backing(struct memory *memory, uint64_t bytes);
/* Gives it up. Its pages go when they are mapped nowhere. */
void memory_backing_close(struct memory *memory, int backing, uint64_t bytes);
/* Puts bytes of a backing, from `offset` on, at pages of a reserved range. The device cannot access them yet. One
 * backing can be at several places. */
bool memory_map(struct memory *memory, uint64_t address, uint64_t bytes, int backing, uint64_t offset);
/* Takes it away again. False, as above: the pages are not inside of one reserved range. */
bool memory_unmap(struct memory *memory, uint64_t address, uint64_t bytes);
/* Whether the device can access pages of a reserved range. Those without memory become zero-filled. */
bool memory_allow(struct memory *memory, uint64_t address, uint64_t bytes, bool access);

/* Host copies in and out; false when the range is not inside one allocation. */
bool memory_write(struct memory *memory, uint64_t to, const void *from, uint64_t bytes);
bool memory_read(const struct memory *memory, void *to, uint64_t from, uint64_t bytes);
/* Returns true if all bytes (0: none needed) lie inside one allocation, and in a reserved range on pages that can be
 * accessed. */
bool memory_inside(const struct memory *memory, uint64_t address, uint64_t bytes);

/* Returns true if `bytes` (1..32, naturally aligned) at `address` are allocated. */
static inline bool memory_ok(const struct memory *m, uint64_t address, unsigned bytes)
{
    uint64_t offset = address - m->base;
    uint64_t granule = offset / MEMORY_GRANULE;
    return offset < m->limit && m->used[granule] && offset % MEMORY_GRANULE + bytes <= (unsigned)m->valid[granule] + 1u;
}

/* Host pointer to an address inside the range; unchecked. */
static inline uint8_t *memory_at(const struct memory *m, uint64_t address) { return m->host + (address - m->base); }

/* "0x... is 12 bytes past the end of the allocation 0x...-0x... (4096 bytes)". */
void memory_describe(const struct memory *memory, uint64_t address, char *text, size_t size);
/* The same without "0x... is ". */
void memory_place(const struct memory *memory, uint64_t address, char *text, size_t size);

/* Digest of all live allocations' contents. */
uint64_t memory_digest(const struct memory *memory);

#endif
