/* Device memory: one range of addresses, cut into allocations, every access checked against them. */
#ifndef SUBCORE_EXEC_MEMORY_H
#define SUBCORE_EXEC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define MEMORY_BASE UINT64_C(0x0000700000000000) /* address of the first byte */
enum { MEMORY_GRANULE = 256 };                   /* allocations start on multiples of it */

struct heap;

struct memory {
    uint8_t *host;               /* reserved for `limit` bytes; host pages appear on first touch */
    uint8_t *valid;              /* per granule: bytes that are allocated, minus one; see `used` */
    uint8_t *used;               /* per granule: 1 when any byte of it is allocated */
    uint64_t limit;              /* bytes of device memory, a multiple of the granule */
    uint64_t top;                /* first never-allocated offset */
    struct memory_block *blocks; /* allocations, ascending */
    size_t block_count, block_room;
    struct heap *heap; /* of malloc in device code; NULL: no program has needed it */
};

struct memory_block {
    uint64_t address, bytes;
    bool free;
};

/* Reserves address space only. */
struct memory *memory_create(uint64_t limit, struct status *status);
void memory_destroy(struct memory *memory);

/* 256-byte aligned, zero-filled; 0 when nothing is left. Never hands out the same addresses for two live
 * allocations, and the sequence of addresses depends only on the sequence of calls. */
uint64_t memory_alloc(struct memory *memory, uint64_t bytes);
bool memory_free(struct memory *memory, uint64_t address);

/* Host copies in and out; false when the range is not inside one allocation. */
bool memory_write(struct memory *memory, uint64_t to, const void *from, uint64_t bytes);
bool memory_read(const struct memory *memory, void *to, uint64_t from, uint64_t bytes);

/* True when `bytes` (1..32, naturally aligned) at `address` are allocated. */
static inline bool memory_ok(const struct memory *m, uint64_t address, unsigned bytes)
{
    uint64_t offset = address - MEMORY_BASE;
    uint64_t granule = offset / MEMORY_GRANULE;
    return offset < m->limit && m->used[granule] && offset % MEMORY_GRANULE + bytes <= (unsigned)m->valid[granule] + 1u;
}

/* Host pointer to an address inside the range; unchecked. */
static inline uint8_t *memory_at(const struct memory *m, uint64_t address) { return m->host + (address - MEMORY_BASE); }

/* "0x... is 12 bytes past the end of the allocation 0x...-0x... (4096 bytes)". */
void memory_describe(const struct memory *memory, uint64_t address, char *text, size_t size);
/* The same without "0x... is ". */
void memory_place(const struct memory *memory, uint64_t address, char *text, size_t size);

/* Digest of the contents of all live allocations. */
uint64_t memory_digest(const struct memory *memory);

#endif
