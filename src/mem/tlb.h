/* The second-level TLB of a GPC: set-associative, LRU, shared by its SMs, on the way of requests whose page the SM's
 * own TLB did not have. The next steps, a third level and the page walk, are one latency. Pages that are being
 * translated have their entry already: further requests for one wait for it, others continue. */
#ifndef SUBCORE_MEM_TLB_H
#define SUBCORE_MEM_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"

struct tlb_entry {
    uint64_t page;  /* its number + 1 (0: empty) */
    uint64_t used;  /* greatest: most recent */
    uint64_t ready; /* cycle at which the translation is present */
};

struct tlb {
    struct tlb_entry *entry; /* [set][way] */
    uint32_t sets, ways, page_bits, latency;
    bool keep;     /* translations stay from one kernel to the next */
    uint64_t uses; /* so far */
    uint64_t lookups, misses;
};

/* Returns false if the host is out of memory. */
bool tlb_create(struct tlb *tlb, const struct config_tlb *config, struct arena *arena);
/* Time and counters begin anew. */
void tlb_reset(struct tlb *tlb);

/* The cycle, `when` or later, at which the translation of `address` is known. */
uint64_t tlb_translate(struct tlb *tlb, uint64_t address, uint64_t when);

#endif
