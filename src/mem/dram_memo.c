#include "mem/dram_memo.h"

#include <string.h>

void dram_memo_reset(struct dram_memo *memo) { *memo = (struct dram_memo){.mode = DRAM_READ}; }

/* Returns the banks that may get a row command: their row is closed, or no waiting access needs it. */
static inline uint64_t row_banks(const struct dram_memo *memo)
{
    return memo->pending[memo->mode] & ~(memo->open & memo->hits[memo->mode]);
}

static inline void put(uint64_t *bits, uint64_t bit, bool value) { *bits = (*bits & ~bit) | (value ? bit : 0); }

static inline void note_list(struct dram_memo *memo, const struct dram_rules *rules, uint32_t b, enum dram_direction d,
                             uint32_t row_cap)
{
    const struct dram_bank *bank = &rules->bank[b];
    const struct dram_list *list = &bank->list[d];
    uint64_t bit = UINT64_C(1) << b, before = memo->hits[d];
    bool capped = list->hit != list->oldest && bank->passed >= row_cap;
    put(&memo->pending[d], bit, list->oldest != DRAM_NONE);
    put(&memo->hits[d], bit, list->hit != DRAM_NONE && !capped);
    if (memo->hits[d] == before)
        return;
    dram_memo_served(memo, rules->group_of[b], d);
    memo->column_known &= d != memo->mode;
}

void dram_memo_bank(struct dram_memo *memo, const struct dram_rules *rules, uint32_t b, uint32_t row_cap,
                    uint64_t close_at)
{
    const struct dram_bank *bank = &rules->bank[b];
    uint64_t bit = UINT64_C(1) << b, rows = row_banks(memo), open = memo->open, were_idle = memo->idle;
    note_list(memo, rules, b, DRAM_READ, row_cap);
    note_list(memo, rules, b, DRAM_WRITE, row_cap);
    bool used = bank->list[DRAM_READ].hit != DRAM_NONE || bank->list[DRAM_WRITE].hit != DRAM_NONE;
    bool idle = bank->open && !used && close_at != DRAM_ROW_STAYS;
    put(&memo->open, bit, bank->open);
    put(&memo->idle, bit, idle);
    if (rows != row_banks(memo) || open != memo->open || were_idle != memo->idle)
        memo->row_known = false;
    if (idle && memo->close_at[b] != close_at) {
        memo->close_at[b] = close_at;
        memo->row_known = false;
    }
}

void dram_memo_turn(struct dram_memo *memo, enum dram_direction mode)
{
    if (mode == memo->mode)
        return;
    memo->row_known = memo->column_known = false;
    memo->mode = mode;
}

void dram_memo_forget_ranks(struct dram_memo *memo)
{
    memo->row_known = memo->column_known = false;
    for (uint32_t g = 0; g < DRAM_BANKS; g++)
        memo->group[DRAM_READ][g].until = memo->group[DRAM_WRITE][g].until = 0;
}

/* The row command known is a part of a refresh that has to wait for the bank. */
static bool closes(const struct dram_memo *memo, uint32_t bank, bool one_bank_refresh)
{
    return memo->row.rank == DRAM_REFRESH_RANK && (!one_bank_refresh || memo->row.bank == bank);
}

void dram_memo_issued(struct dram_memo *memo, const struct dram_command *command, bool one_bank_refresh)
{
    bool column = command->op == DRAM_RD || command->op == DRAM_WR;
    memo->column_known = memo->column_known && (command->op == DRAM_ACT || command->op == DRAM_PRE);
    memo->row_known = memo->row_known && column && !closes(memo, command->bank, one_bank_refresh);
}
