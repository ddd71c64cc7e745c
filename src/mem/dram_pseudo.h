/* A pseudo-channel: banks behind one data bus, and the scheduler that gives them commands.
 *
 *   reads --> [per bank, oldest first] --\
 *                                         >-- first by the policy ----> ACT, PRE, RD, WR, REF
 *   writes -> [per bank, oldest first] --/
 *
 * The policies of dram.pick and dram.row_policy choose (dram_choice.h), the standard's rules bind (dram_rules.h), and
 * notes on waiting accesses are kept (dram_memo.h). Reads go first. Writes are drained when there are `write_high` of
 * them, until `write_low` are left, or while no read waits. A refresh comes when it is due: from then on its banks take
 * no other command.
 *
 * The next command is found when it is asked for (dram_pseudo_next), so nothing is polled: work is in proportion to
 * commands, and each looks at no more than the bank groups for which something waits. Times are command clocks.
 * A channel's pseudo-channels do not get into each other's way: the standards give the command bus
 * a slot for each. */
#ifndef SUBCORE_MEM_DRAM_PSEUDO_H
#define SUBCORE_MEM_DRAM_PSEUDO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"
#include "mem/dram_choice.h"

struct dram_counts {
    uint64_t row_hits, row_misses, row_conflicts, activates, precharges, refreshes, turnarounds, bursts;
};

struct dram_pseudo {
    struct dram_rules rules;
    struct dram_memo memo;
    struct dram_choice choice; /* its inputs: the above, the policy of dram.pick and the channel's pool */
    const struct dram_row_policy *row;
    uint8_t *pick_state; /* the state_bytes of the policy */
    uint8_t *row_state;  /* row->state_bytes of each bank */
    uint32_t row_cap, write_high, write_low;
    struct dram_entry *pool; /* of the channel */
    uint32_t waiting[2];     /* entries, by direction */
    bool drain;
    struct dram_counts n;
};

/* `pool` belongs to the channel. Returns false if out of memory. */
bool dram_pseudo_create(struct dram_pseudo *pc, const struct config *config, struct dram_entry *pool,
                        struct arena *arena);
void dram_pseudo_reset(struct dram_pseudo *pc);

/* An entry comes in before clock `ck` and after all commands before it. */
void dram_pseudo_add(struct dram_pseudo *pc, uint64_t ck, uint16_t index);

/* Ranks all accesses anew and forgets the commands that are known, after a change of ranks. */
void dram_pseudo_rank(struct dram_pseudo *pc);

/* Finds the next command. */
void dram_pseudo_plan(struct dram_pseudo *pc);

/* Returns the next command, if no more accesses come. */
static inline const struct dram_command *dram_pseudo_next(struct dram_pseudo *pc)
{
    if (!pc->memo.planned)
        dram_pseudo_plan(pc);
    return &pc->memo.next;
}

/* Returns a clock before which no access that waits can be served. Something waits. */
uint64_t dram_pseudo_room(struct dram_pseudo *pc);

/* Issues the next command. Returns the entry whose last sector it asked for, which is out of the lists then, or
 * DRAM_NONE. */
uint16_t dram_pseudo_issue(struct dram_pseudo *pc);

/* Skips whole refresh rounds before clock `ck` for a pseudo-channel for which nothing waits. */
void dram_pseudo_skip(struct dram_pseudo *pc, uint64_t ck);

/* Returns a clock before which no data of a read that waits can be complete; UINT64_MAX if none waits. */
uint64_t dram_pseudo_soonest(const struct dram_pseudo *pc);

#endif
