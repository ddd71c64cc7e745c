#include "mem/dram_memo.h"

#include <string.h>

void dram_memo_reset(struct dram_memo *memo) { *memo = (struct dram_memo){.mode = DRAM_READ}; }

void dram_memo_bank(struct dram_memo *memo, const struct dram_rules *rules, uint32_t b, uint32_t row_cap,
                    uint64_t close_at)
{
    const struct dram_bank *bank = &rules->bank[b];
    bool used = false;
    for (int d = DRAM_READ; d <= DRAM_WRITE; d++) {
        const struct dram_list *list = &bank->list[d];
        bool pending = list->oldest != DRAM_NONE, hit = list->hit != DRAM_NONE;
        used |= hit;
        bool capped = list->hit != list->oldest && bank->passed >= row_cap;
        dram_memo_set(memo, &memo->pending[d], b, pending);
        dram_memo_set(memo, &memo->hits[d], b, hit && !capped);
    }
    bool idle = bank->open && !used && close_at != DRAM_ROW_STAYS;
    dram_memo_set(memo, &memo->open, b, bank->open);
    dram_memo_set(memo, &memo->idle, b, idle);
    if (idle && memo->close_at[b] != close_at) {
        memo->close_at[b] = close_at;
        memo->row_known = false;
    }
    memo->group_known &= ~(UINT64_C(1) << rules->group_of[b]);
}

void dram_memo_turn(struct dram_memo *memo, enum dram_direction mode)
{
    if (mode == memo->mode)
        return;
    dram_memo_forget_ranks(memo);
    memo->mode = mode;
}

void dram_memo_forget_ranks(struct dram_memo *memo)
{
    memo->row_known = memo->column_known = false;
    memo->group_known = 0;
}

/* The row command known is a part of a refresh that has to wait for the bank. */
static bool closes(const struct dram_memo *memo, uint32_t bank, bool one_bank_refresh)
{
    return memo->row.rank == DRAM_REFRESH_RANK && (!one_bank_refresh || memo->row.bank == bank);
}

void dram_memo_issued(struct dram_memo *memo, const struct dram_command *command, bool one_bank_refresh)
{
    bool column = command->op == DRAM_RD || command->op == DRAM_WR;
    memo->column_known = false;
    memo->row_known = memo->row_known && column && !closes(memo, command->bank, one_bank_refresh);
}
