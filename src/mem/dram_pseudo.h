/* A pseudo-channel: banks behind one data bus, and the scheduler that gives them commands.
 *
 *   reads --> [per bank, oldest first] --\
 *                                         >-- first ready, then oldest --> ACT, PRE, RD, WR, REF
 *   writes -> [per bank, oldest first] --/
 *
 * FR-FCFS (Rixner et al., ISCA 2000): of the commands that can come soonest, that of the oldest access; a row stays
 * open as long as accesses to it wait, but no more than `row_cap` of them pass an older access to another row of the
 * bank (the cap of Mutlu and Moscibroda, MICRO 2007). Reads go first; writes are drained when there are `write_high`
 * of them, until `write_low` are left, or while no read waits. A refresh comes when it is due: from then on its banks
 * take no other command.
 *
 * The next command is found when it is asked for (dram_pseudo_next), so nothing is polled: work is in proportion to
 * commands, and each looks at no more than the bank groups for which something waits. Times are command clocks.
 * Commands of the pseudo-channels of a channel do not get into each other's way: the standards give the command bus a
 * slot for each. */
#ifndef SUBCORE_MEM_DRAM_PSEUDO_H
#define SUBCORE_MEM_DRAM_PSEUDO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"
#include "mem/dram_bank.h"
#include "mem/dram_timing.h"

enum dram_op { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_PREAB, DRAM_REFAB, DRAM_REFPB, DRAM_OPS };

struct dram_command {
    uint64_t ck; /* UINT64_MAX: none */
    enum dram_op op;
    uint32_t bank;
    uint64_t row;
    uint64_t age; /* of the access that it is for; refreshes are older than all */
};

struct dram_counts {
    uint64_t row_hits, row_misses, row_conflicts, activates, precharges, refreshes, turnarounds, bursts;
};

struct dram_pseudo {
    struct dram_timing t;
    enum config_row_policy policy;
    enum config_refresh refresh;
    uint32_t banks, groups, row_cap, write_high, write_low;
    struct dram_entry *pool; /* of the channel */
    struct dram_bank *bank;
    struct dram_group {
        uint64_t next_act, next_col[2];
        uint64_t banks;    /* bits */
        uint64_t age;      /* least of the accesses that may be served from an open row in direction `mode` */
        uint64_t all_open; /* clock from which none of these waits for its row */
        uint32_t oldest;   /* bank of that access */
    } group[DRAM_BANKS];
    uint64_t group_known;                          /* bits of groups of which the last three are right */
    uint8_t group_of[DRAM_BANKS];                  /* of each bank */
    uint64_t pending[2], hits[2], open, idle_rows; /* bits of banks: something waits; may be served from the open row */
    uint32_t waiting[2];                           /* entries */
    bool drain;
    enum dram_direction mode, last;
    uint64_t next_act, next_col[2], row_free, col_free;
    uint64_t now;    /* of the last command or access that came in */
    uint64_t act[4]; /* the last four activations, + tFAW */
    uint32_t act_oldest;
    uint64_t refresh_due, refresh_interval;
    uint32_t refresh_bank;
    struct dram_command row, column; /* the next of each sort */
    bool row_known, column_known;    /* false: to be found anew */
    bool planned;                    /* both can be relied on */
    struct dram_counts n;
};

/* `pool` belongs to the channel. False when the host is out of memory. */
bool dram_pseudo_create(struct dram_pseudo *pc, const struct config *config, struct dram_entry *pool,
                        struct arena *arena);
void dram_pseudo_reset(struct dram_pseudo *pc);

/* An entry comes in before clock `ck` and after all commands before it. */
void dram_pseudo_add(struct dram_pseudo *pc, uint64_t ck, uint16_t index);

/* Finds the next commands. */
void dram_pseudo_plan(struct dram_pseudo *pc);

/* The next command, if no more accesses come. */
static inline const struct dram_command *dram_pseudo_next(struct dram_pseudo *pc)
{
    if (!pc->planned)
        dram_pseudo_plan(pc);
    /* with one command bus a column command goes before a row command of the same clock */
    bool row_first = pc->row.ck < pc->column.ck || (pc->row.ck == pc->column.ck && pc->t.row_bus);
    return row_first ? &pc->row : &pc->column;
}

/* Issues it. Returns the entry whose last sector it asked for, or DRAM_NONE; the entry is out of the lists then. */
uint16_t dram_pseudo_issue(struct dram_pseudo *pc);

/* Leaves out whole rounds of refreshes before clock `ck` of a pseudo-channel for which nothing waits. */
void dram_pseudo_skip(struct dram_pseudo *pc, uint64_t ck);

/* A clock before which no data of a read that waits can be complete. UINT64_MAX: none waits. */
uint64_t dram_pseudo_soonest(const struct dram_pseudo *pc);

#endif
