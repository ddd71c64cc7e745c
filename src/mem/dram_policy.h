/* The choices that a DRAM controller is free to make. Each policy is a file of src/mem/policy. The rules of the
 * standard (dram_rules.h) bind all of them alike, so that no policy can give an illegal command.
 *
 * A policy's own state is `state_bytes` zeroed bytes without pointers. It is saved with the run. */
#ifndef SUBCORE_MEM_DRAM_POLICY_H
#define SUBCORE_MEM_DRAM_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "mem/dram_bank.h"

enum dram_pick_event { DRAM_PICK_ARRIVES, DRAM_PICK_SERVED };

/* Which access goes next, among those of the direction that is served. The state belongs to a pseudo-channel. */
struct dram_pick_policy {
    const char *name, *summary;
    size_t state_bytes;
    /* true: the command that can come soonest goes first, and among several the one with the least rank; accesses to an
     * open row pass older ones to another row, up to dram.row_cap. false: the access of the least rank goes first, and
     * none to an open row passes an older one of its bank. */
    bool ready_first;
    /* Returns the rank of an access, at most DRAM_RANK_MOST, and not 0. NULL: its age. */
    uint64_t (*rank)(const void *state, const struct dram_entry *access);
    /* Takes note of an access. Returns true if ranks of other accesses have changed. NULL: nothing to note. */
    bool (*event)(void *state, enum dram_pick_event what, const struct dram_entry *access);
};

#define DRAM_RANK_MOST (UINT64_MAX - 2)

/* The accesses of a pseudo-channel with their ranks. */
struct dram_ranks {
    const struct dram_pick_policy *policy;
    const void *state;
    const struct dram_entry *pool;
};

static inline uint64_t dram_rank(const struct dram_ranks *ranks, uint16_t index)
{
    const struct dram_entry *access = &ranks->pool[index];
    return ranks->policy->rank == NULL ? access->age : ranks->policy->rank(ranks->state, access);
}

enum dram_row_event {
    DRAM_ROW_REOPENED, /* the row that was open last is opened */
    DRAM_ROW_OPENED,   /* another row is */
    DRAM_ROW_CONFLICT, /* the row is closed for an access to another one */
};

#define DRAM_ROW_STAYS UINT64_MAX

/* When a row is closed for which nothing waits. The state belongs to a bank. */
struct dram_row_policy {
    const char *name, *summary;
    size_t state_bytes;
    /* Returns the command clock from which the row may be closed, if nothing comes for it, or DRAM_ROW_STAYS. Asked at
     * clock `now`, when the bank has got a command or an access. */
    uint64_t (*close_at)(const void *state, uint64_t now);
    void (*event)(void *state, enum dram_row_event what); /* NULL: nothing to note */
};

const struct dram_pick_policy *dram_pick_policy(enum config_dram_pick pick);
const struct dram_row_policy *dram_row_policy(enum config_dram_row row);

#define DRAM_DECLARE_PICK(constant, word, summary, policy) extern const struct dram_pick_policy policy;
#define DRAM_DECLARE_ROW(constant, word, summary, policy) extern const struct dram_row_policy policy;
POLICIES_DRAM_PICK(DRAM_DECLARE_PICK)
POLICIES_DRAM_ROW(DRAM_DECLARE_ROW)

#endif
