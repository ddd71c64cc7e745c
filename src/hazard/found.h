/* Hazards that were found, each pair of instructions once. */
#ifndef SUBCORE_HAZARD_FOUND_H
#define SUBCORE_HAZARD_FOUND_H

#include <stdbool.h>
#include <stdint.h>

enum hazard_kind {
    HAZARD_RAW, /* read before the result is there */
    HAZARD_WAW, /* overwrites a result that may come later */
    HAZARD_WAR, /* overwrites a value that has perhaps not been read */
    /* Of shared memory, between threads and asynchronous operations: */
    HAZARD_PROXY,   /* an asynchronous operation reads a thread's write without a fence */
    HAZARD_PHASE,   /* a transfer's write is read before the phase of its mbarrier has ended */
    HAZARD_OVERRUN, /* bytes of a transfer are overwritten before it is over */
    /* Of tensor memory: */
    HAZARD_TENSOR, /* a warp loads its own stores without a wait */
    HAZARD_LEAK,   /* a CTA ends and has not freed its columns */
    HAZARD_COMMIT  /* a product's result is loaded before the wait for its commit */
};

enum hazard_cause {
    HAZARD_DISTANCE,      /* too few cycles from issue to issue */
    HAZARD_NO_COUNTER,    /* the first instruction sets no counter that one could wait for */
    HAZARD_NO_WAIT,       /* the counter was not waited for */
    HAZARD_ESCAPES,       /* the wait came before the counter was up: the first instruction needs a stall count of 2 */
    HAZARD_DEPBAR,        /* DEPBAR needs a stall count of 4 to protect the next instructions */
    HAZARD_NO_GROUP_WAIT, /* the group of a matrix product was not waited for */
    HAZARD_NO_FENCE,      /* no fence between a write and a matrix product */
    HAZARD_MEMORY         /* a fence or a wait is missing, as the kind says */
};

static inline bool hazard_of_memory(unsigned kind) { return kind >= HAZARD_PROXY; }

/* One pair of instructions at one register, or in shared memory. */
struct hazard {
    uint32_t first, second;    /* pcs: of the producer or reader, and of the consumer or overwriter */
    uint16_t resource;         /* as in isa/resources.h; of shared memory 0 */
    uint32_t offset;           /* in shared memory, or the address in tensor memory, of an occurrence */
    uint8_t kind, cause;       /* enum hazard_kind, enum hazard_cause */
    uint8_t counter;           /* that would have to be waited for (ISA_NO_SB: none) */
    uint16_t distance, needed; /* cycles that the control bits guarantee and that the pair asks for; needed 0: no number
                                * of cycles is enough */
    uint32_t depbar;           /* HAZARD_DEPBAR: its pc */
    uint64_t count, happened;  /* occurrences; of these, too early by the cycles of this run */
    /* An occurrence: one that happened if there is one, of these the earliest. */
    uint16_t sm;
    uint32_t slot, warp, lanes;
    uint64_t cta;
    uint64_t first_cycle, second_cycle;
};

struct hazard_found {
    struct hazard *item;
    uint32_t count, room;
    uint32_t *bucket; /* [buckets]: index + 1 */
    uint32_t buckets;
    bool failed; /* the host had no memory for all */
};

/* Adds the finding `hazard` once, or `hazard->count` times. */
void hazard_found_add(struct hazard_found *found, const struct hazard *hazard);
/* In the order of second, first, resource. */
void hazard_found_sort(struct hazard_found *found);
void hazard_found_free(struct hazard_found *found);

#endif
