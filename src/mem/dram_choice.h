/* The choice of a pseudo-channel's next command: among the legal commands (dram_rules.h) for which an access waits
 * (dram_memo.h), the policy (dram_policy.h) takes one. Row commands and column commands are chosen apart, since
 * standards with two command buses issue both in one clock. */
#ifndef SUBCORE_MEM_DRAM_CHOICE_H
#define SUBCORE_MEM_DRAM_CHOICE_H

#include "mem/dram_memo.h"

/* The inputs of a choice. */
struct dram_choice {
    const struct dram_rules *rules;
    const struct dram_pick_policy *policy;
    const void *state; /* of the policy */
    const struct dram_entry *pool;
    struct dram_memo *memo;
};

/* Find the next activation, precharge or refresh, and the next read or write; .ck is UINT64_MAX if there is none. */
struct dram_command dram_choose_row(const struct dram_choice *c);
struct dram_command dram_choose_column(const struct dram_choice *c);

/* Returns whether the row command is issued before the column command. */
static inline bool dram_row_first(const struct dram_memo *memo, const struct dram_pick_policy *policy, bool row_bus)
{
    const struct dram_command *row = &memo->row, *column = &memo->column;
    if (!policy->ready_first && row->rank != DRAM_REFRESH_RANK && row->ck != UINT64_MAX && column->ck != UINT64_MAX)
        return row->rank < column->rank;
    /* with one command bus a column command goes before a row command of the same clock */
    return row->ck < column->ck || (row->ck == column->ck && row_bus);
}

#endif
