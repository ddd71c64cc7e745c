/* The store log of a deferred core: for each 32-byte sector that an access in flight touches, an entry of that access.
 *
 * An entry of a store has the bytes that the store will write and has not yet written. Reductions and atomics in
 * flight have bytes of unknown value, which a load has to wait for. So have loads at the slice: a later load of the
 * same bytes must not read an older value (PTX ISA, causality: a thread's observations precede its next accesses). */
#ifndef SUBCORE_EXEC_STORE_LOG_H
#define SUBCORE_EXEC_STORE_LOG_H

#include "base/archive.h"
#include "base/host_line.h"
#include "exec/memory/pending.h"

enum { LOG_SECTOR = ISA_SECTOR, LOG_BUCKETS = 4096 };

/* The effect of one access on one sector. */
struct log_entry {
    _Alignas(HOST_LINE) uint64_t sector;
    uint32_t waiting;         /* lanes of the access that have not taken effect here */
    uint32_t mask;            /* bytes of the sector that wait for this */
    uint16_t token;           /* of the access */
    uint16_t older, younger;  /* neighbours in the bucket (0: none) */
    uint16_t more;            /* next of the same access, or next free entry */
    uint8_t kind;             /* enum pending_kind */
    uint8_t data[LOG_SECTOR]; /* the values that a store writes, or that a load has read */
};

_Static_assert(sizeof(struct log_entry) == HOST_LINE, "an entry touches one line of the host's cache");

struct exec_store_log {
    uint32_t writes, unknown;     /* entries in use that write. That have a value which the slice decides */
    uint32_t fresh, free;         /* first entry never used; list of returned ones */
    uint16_t bucket[LOG_BUCKETS]; /* youngest entry */
    /* up to here it is saved as it is */
    struct arena *arena;
    struct log_entry *entry;                    /* [room]; entry 0 is none */
    uint32_t room;                              /* doubled when it is full: few kernels have many stores in flight */
    uint64_t (*operand)[EXEC_LANES][EXEC_DATA]; /* of atomics, by token: 1 MiB, of which most is never touched */
};

/* Bytes of a sector that an access of `bytes` at `address` touches, a bit each. */
static inline uint32_t sector_bytes(uint64_t address, unsigned bytes)
{
    return (uint32_t)((UINT64_C(1) << bytes) - 1) << address % LOG_SECTOR;
}

/* Returns the bytes of a sector that a lane touches, a bit each, from `address` on. */
static inline uint32_t pending_bytes(const struct exec_pending *access, uint64_t address)
{
    enum { WORDS = 8, ALL = 255 };
    if (access->bytes != LOG_SECTOR || access->words == ALL)
        return sector_bytes(address, access->bytes);
    uint32_t bytes = 0;
    for (unsigned w = 0; w < WORDS; w++)
        bytes |= access->words >> w & 1 ? 0xfu << 4 * w : 0;
    return bytes;
}

/* Creates the log of a core. Returns false if out of memory. */
struct exec_store_log *store_log_create(struct arena *arena);
void store_log_free(struct exec_store_log *log);
/* Makes room for another access. Returns false if out of memory. */
bool store_log_reserve(struct exec_store_log *log);
/* Adds the entries of an access with this token, and removes them. */
void store_log_add(struct exec_store_log *log, struct exec_pending *access, uint32_t token,
                   const uint64_t address[EXEC_LANES]);
void store_log_remove(struct exec_store_log *log, struct exec_pending *access);

/* Tells whether no store of the core is in flight. */
bool store_log_empty(const struct exec_core *core);
/* Tells whether an access to the sector of this address may be in flight; to one of these lanes' sectors. */
bool store_log_holds(const struct exec_core *core, uint64_t address);
bool store_log_holds_any(const struct exec_core *core, const uint64_t *address, uint32_t lanes);
/* Tells whether accesses in flight have bytes of unknown value. */
bool store_log_undecided(const struct exec_core *core);
/* Tells whether some byte that these lanes read has an unknown value. */
bool store_log_unknown(const struct exec_core *core, const uint64_t *address, uint32_t lanes, unsigned bytes);
/* Lays the log's bytes over `data`, which was read from memory at `address`. */
void store_log_overlay(const struct exec_core *core, uint64_t address, unsigned bytes, void *data);

/* The log in an archive, after the accesses in flight (exec/launch/save.h). */
void store_log_archive(struct archive *a, struct exec_core *core);

#endif
