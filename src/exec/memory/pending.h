/* Accesses to device memory that take effect at the L2 slice: how they begin and end. The store log (store_log.h) has
 * their values, and shows stores in flight to the core's own loads; effect.c changes memory. */
#ifndef SUBCORE_EXEC_PENDING_H
#define SUBCORE_EXEC_PENDING_H

#include "exec/core.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"
#include "isa/issued.h"

enum pending_kind {
    PENDING_LOAD,
    PENDING_STORE,
    PENDING_ATOMIC,
    PENDING_REDUCTION,
    PENDING_WAIT,   /* at barrier objects, for the end of a phase (exec/memory/syncs.h) */
    PENDING_ARRIVAL /* of copies at barrier objects */
};

/* An access of a deferred core. Its values stand in the store log, by sector: its stores, or its loaded values.
 * Those of atomics, which several lanes may do to the same bytes, with pending_operands(). */
struct exec_pending {
    struct exec_warp *warp;
    uint64_t generation; /* of the warp's storage: a result for threads that are gone is dropped */
    uint32_t lanes;
    uint32_t entries;           /* first of its entries in the store log (0: none) */
    uint8_t kind;               /* enum pending_kind */
    uint8_t bytes;              /* a lane accesses: 1, 2, 4, 8, 16, 32 */
    bool sign;                  /* a load of 1 or 2 bytes extends the sign */
    uint8_t function, type;     /* enum atomic_function, enum atomic_type */
    uint8_t destination;        /* first register of the result; of a wait the predicate */
    uint8_t upper;              /* of 32 bytes: first register of the upper 16 */
    uint8_t words;              /* of 32 bytes: which 32-bit words, a bit each; the others are not touched */
    uint8_t offset[EXEC_LANES]; /* within the sector */
    uint32_t parity, ended;     /* a wait: the phase of each lane that has to end; lanes that have seen it ended */
    uint16_t entry[EXEC_LANES]; /* of the store log; of waits and arrivals the offset of the object, by 8 bytes */
};

/* The access of the instruction that executes goes on its way, under the core's token. The caller fills in the fields
 * that its kind has beside lanes, bytes and out->address. */
struct exec_pending *pending_begin(struct exec_core *core, struct exec_warp *warp, enum pending_kind kind,
                                   uint32_t lanes, unsigned bytes, struct issued *out);

/* The same for the 32-bit words of 32 bytes that `words` names, a bit each. */
struct exec_pending *pending_begin_words(struct exec_core *core, struct exec_warp *warp, enum pending_kind kind,
                                         uint32_t lanes, uint8_t words, struct issued *out);

/* The same without values, for a core without memory: which bytes the lanes of an access by the core's token wait for.
 * exec_apply and exec_complete then follow it as any other. */
void pending_note(struct exec_core *core, enum pending_kind kind, uint32_t lanes, unsigned bytes,
                  const uint64_t address[EXEC_LANES]);

/* The values of a store, from register rows: one for each 32-bit word of a lane. */
void pending_put(struct exec_core *core, const struct exec_pending *access, const uint32_t *const row[]);

/* Operands of an atomic, then the old values. Of a compare-and-swap: the compared value in words 0 and 1, the new
 * value in words 2 and 3. */
uint64_t (*pending_operands(struct exec_core *core))[EXEC_DATA];

/* Writes the result of a load or an atomic to the registers. */
void pending_write(struct exec_core *core, uint32_t token);

/* All that the core has in flight takes effect now. No access of it is being applied meanwhile. */
void pending_settle(struct exec_core *core);

bool pending_init(struct exec_core *core, struct arena *arena, struct status *status);
void pending_free(struct exec_core *core);

#endif
