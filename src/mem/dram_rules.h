/* The rules of a pseudo-channel: the earliest clock at which each command may come, given the commands before it.
 *
 * dram_timing.h names the parameters of the standard. A command is legal from the latest clock that its bank, its
 * bank group, its pseudo-channel and its command bus ask for. Rules know nothing of accesses: which command is given
 * is a choice (dram_choice.h). Times are command clocks. */
#ifndef SUBCORE_MEM_DRAM_RULES_H
#define SUBCORE_MEM_DRAM_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/order.h"
#include "mem/dram_bank.h"

struct dram_rules {
    struct dram_timing t;
    uint32_t banks, groups;
    uint8_t group_of[DRAM_BANKS]; /* of each bank */
    struct dram_bank *bank;
    struct dram_group {
        uint64_t next_act, next_col[2];
    } group[DRAM_BANKS];
    uint64_t now; /* of the last command or access that came in: nothing comes before */
    uint64_t next_act, next_col[2];
    uint64_t row_free, col_free; /* command buses */
    uint64_t act[4];             /* the last four activations, + tFAW */
    uint32_t act_oldest;
    enum dram_direction last; /* of the last burst */
    enum config_refresh refresh;
    uint64_t refresh_due, refresh_interval; /* refresh_due: UINT64_MAX without refreshes */
    uint64_t refresh_first;                 /* refresh_due after a reset, at most the interval */
    uint32_t refresh_bank;                  /* with refreshes of one bank, the next */
};

/* `bank` is the array with the pseudo-channel's `rules->banks` banks; dram_rules_reset fills it. */
void dram_rules_init(struct dram_rules *rules, const struct config *config);
void dram_rules_reset(struct dram_rules *rules);
/* Spreads first refreshes over the interval, from the next reset on: this channel is number `index` among `count`.
 * Single-bank refreshes, one of which is always under way, keep their times. */
void dram_rules_stagger(struct dram_rules *rules, uint32_t index, uint32_t count);

/* Returns whether a refresh keeps a bank from commands at clock `ck`: once due, it comes first. */
static inline bool dram_refused(const struct dram_rules *r, uint32_t bank, uint64_t ck)
{
    return ck >= r->refresh_due && (r->refresh == CONFIG_REFRESH_ALL_BANK || bank == r->refresh_bank);
}

/* Earliest clock of a read or write in any bank, and in this one. */
static inline uint64_t dram_earliest_column(const struct dram_rules *r, enum dram_direction d)
{
    return latest(latest(r->now, r->col_free), r->next_col[d]);
}

static inline uint64_t dram_earliest_bank_column(const struct dram_rules *r, uint32_t bank, enum dram_direction d,
                                                 uint64_t from)
{
    return latest(latest(from, r->bank[bank].next_col[d]), r->group[r->group_of[bank]].next_col[d]);
}

/* Earliest clock of an activation in any bank, and in this one. */
static inline uint64_t dram_earliest_act(const struct dram_rules *r)
{
    return latest(latest(r->now, r->row_free), latest(r->next_act, r->act[r->act_oldest]));
}

static inline uint64_t dram_earliest_bank_act(const struct dram_rules *r, uint32_t bank, uint64_t from)
{
    return latest(latest(from, r->bank[bank].next_act), r->group[r->group_of[bank]].next_act);
}

/* Earliest clock for any row command, and for this bank to be precharged. */
static inline uint64_t dram_earliest_row(const struct dram_rules *r) { return latest(r->now, r->row_free); }

static inline uint64_t dram_earliest_bank_pre(const struct dram_rules *r, uint32_t bank, uint64_t from)
{
    return latest(from, r->bank[bank].next_pre);
}

static inline uint64_t dram_earliest_pre(const struct dram_rules *r, uint32_t bank)
{
    return dram_earliest_bank_pre(r, bank, dram_earliest_row(r));
}

/* Earliest clock for the precharge of all banks in `open`, or for the refresh of all banks when none is open. */
uint64_t dram_earliest_all(const struct dram_rules *r, uint64_t open);

/* Earliest clock for the refresh of one closed bank. */
uint64_t dram_earliest_refresh(const struct dram_rules *r, uint32_t bank);

/* A command takes its bus at clock `ck`. */
void dram_rules_take_bus(struct dram_rules *r, uint64_t ck, bool column);

/* Applies the effects of a command at clock `ck`. */
void dram_rules_activated(struct dram_rules *r, uint32_t bank, uint64_t ck);
void dram_rules_burst(struct dram_rules *r, uint32_t bank, uint64_t ck, enum dram_direction d);
void dram_rules_refreshed(struct dram_rules *r, uint32_t bank, uint64_t ck);
void dram_rules_refreshed_all(struct dram_rules *r, uint64_t ck);

#endif
