/* Accesses to device memory that take effect at the L2 slice, and the stores among them that the core's own loads
 * already see.
 *
 * An access is described once, as a struct exec_pending, whether it takes effect at once or later: an immediate
 * core uses one on the stack. The store log holds, for each 32-byte sector that a store in flight touches, the
 * bytes it will write and has not yet written; reductions and atomics in flight stand in it as bytes of unknown
 * value, which a load has to wait for. So do loads at the slice: a later one of the same bytes must not read what is
 * older (PTX ISA, causality: what a thread has observed precedes what it does next). */
#ifndef SUBCORE_EXEC_PENDING_H
#define SUBCORE_EXEC_PENDING_H

#include "exec/exec.h"

enum pending_kind { PENDING_LOAD, PENDING_STORE, PENDING_ATOMIC, PENDING_REDUCTION };

struct exec_pending {
    struct exec_warp *warp;
    uint64_t generation; /* of the warp's storage: a result for threads that are gone is dropped */
    uint32_t lanes;
    uint32_t entries;           /* first of its entries in the store log; 0: none */
    uint8_t kind;               /* enum pending_kind */
    uint8_t bytes;              /* a lane accesses: 1, 2, 4, 8, 16, 32 */
    bool sign;                  /* a load of 1 or 2 bytes extends the sign */
    uint8_t function, type;     /* enum atomic_function, enum atomic_type */
    uint8_t destination;        /* first register of the result */
    uint8_t upper;              /* of 32 bytes: first register of the upper 16 */
    uint16_t entry[EXEC_LANES]; /* of the store log */
    uint64_t address[EXEC_LANES];
    /* Stored value, operand, then the result. Of a compare-and-swap: what is compared in words 0 and 1, the new value
     * in words 2 and 3. */
    uint64_t data[EXEC_LANES][EXEC_DATA];
};

/* Where an instruction describes its access: the token's place in a deferred core, `here` in an immediate one. */
struct exec_pending *pending_begin(struct exec_core *core, struct exec_warp *warp, uint32_t lanes,
                                   struct exec_pending *here);
/* The description is complete: takes effect now, or goes on its way. */
void pending_issue(struct exec_core *core, struct exec_pending *access, struct issued *out);

/* The same without values, for a core without memory: which bytes the lanes of an access by the core's token wait for.
 * exec_apply and exec_complete then follow it as any other. */
void pending_note(struct exec_core *core, enum pending_kind kind, uint32_t lanes, unsigned bytes,
                  const uint64_t address[EXEC_LANES]);

/* Lays the log's bytes over `data`, which was read from memory at `address`. */
void pending_overlay(const struct exec_core *core, uint64_t address, unsigned bytes, void *data);
/* No store of the core is in flight; one to the sector of this address may be. */
bool pending_log_empty(const struct exec_core *core);
bool pending_holds(const struct exec_core *core, uint64_t address);
/* Accesses in flight have bytes of unknown value. */
bool pending_undecided(const struct exec_core *core);
/* Some byte that these lanes read has an unknown value. */
bool pending_unknown(const struct exec_core *core, const uint64_t *address, uint32_t lanes, unsigned bytes);

/* Writes values of `bytes` a lane, little-endian in `data`, to a range of registers. */
void pending_write_registers(struct exec_warp *warp, unsigned destination, uint32_t lanes, unsigned bytes, bool sign,
                             uint64_t data[EXEC_LANES][EXEC_DATA]);

/* Copies `words` registers from `index` on into the lanes' data, from 32-bit word `to` on. */
void pending_gather(const struct exec_warp *warp, unsigned index, unsigned words, uint32_t lanes, unsigned to,
                    uint64_t data[EXEC_LANES][EXEC_DATA]);

/* All that the core has in flight takes effect now; no access of it is being applied meanwhile. */
void pending_settle(struct exec_core *core);

bool pending_init(struct exec_core *core, struct status *status);
void pending_free(struct exec_core *core);

#endif
