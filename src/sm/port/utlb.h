/* Translation of data addresses on the way to the L2: the L1 TLB of an SM, fully associative. The L1 cache is virtually
 * indexed and tagged, so that its hits need no translation (TLB study of an A30 and an RTX 3080, 2023). On an A100 the
 * same study finds the L1 TLB in the TPC, on an A30 in each SM. Here it is each SM's. Replacement is LRU (assumed). */
#ifndef SUBCORE_SM_UTLB_H
#define SUBCORE_SM_UTLB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"

struct utlb_entry {
    uint64_t page, used;
    uint64_t ready; /* cycle from which the translation is present */
};

struct utlb {
    const struct config_tlb *config;
    struct utlb_entry *entry; /* [config->entries] */
    uint32_t count;           /* used so far */
    uint32_t recent;          /* entry of the last access */
    unsigned shift;           /* of a page */
    uint64_t uses;
};

/* The order of accesses is that in which the port sends them: `when` never decreases. */
struct utlb_answer {
    uint64_t ready; /* cycle at which the request can leave */
    bool missed;    /* the page had no entry, or waits for its own: the next level has to be asked */
    bool fresh;     /* the first that missed */
};

bool utlb_init(struct utlb *t, const struct config_tlb *config, struct arena *arena);
/* Before a kernel: empty, but see tlb.keep, and time begins anew. */
void utlb_begin(struct utlb *t);

/* Other pages continue while one is being translated, and further accesses to that one wait with the first. */
struct utlb_answer utlb_translate(struct utlb *t, uint64_t address, uint64_t when);

#endif
