#include "mem/dram_bank.h"

void dram_bank_reset(struct dram_bank *bank)
{
    const struct dram_list empty = {DRAM_NONE, DRAM_NONE, DRAM_NONE};
    *bank = (struct dram_bank){.list = {empty, empty}, .row = UINT64_MAX};
}

void dram_bank_add(struct dram_bank *bank, struct dram_entry *pool, uint16_t index)
{
    struct dram_entry *entry = &pool[index];
    struct dram_list *list = &bank->list[entry->write];
    entry->older = list->newest;
    entry->newer = DRAM_NONE;
    if (list->newest == DRAM_NONE)
        list->oldest = index;
    else
        pool[list->newest].newer = index;
    list->newest = index;
    if (bank->open && list->hit == DRAM_NONE && entry->row == bank->row)
        list->hit = index;
}

/* The oldest from `index` on that wants the open row. */
static uint16_t find_hit(const struct dram_bank *bank, const struct dram_entry *pool, uint16_t index)
{
    while (index != DRAM_NONE && pool[index].row != bank->row)
        index = pool[index].newer;
    return index;
}

void dram_bank_remove(struct dram_bank *bank, struct dram_entry *pool, uint16_t index)
{
    struct dram_entry *entry = &pool[index];
    struct dram_list *list = &bank->list[entry->write];
    if (list->hit == index)
        list->hit = find_hit(bank, pool, entry->newer);
    if (entry->older == DRAM_NONE)
        list->oldest = entry->newer;
    else
        pool[entry->older].newer = entry->newer;
    if (entry->newer == DRAM_NONE)
        list->newest = entry->older;
    else
        pool[entry->newer].older = entry->older;
}

static inline void no_sooner(uint64_t *next, uint64_t ck)
{
    if (*next < ck)
        *next = ck;
}

void dram_bank_activate(struct dram_bank *bank, const struct dram_entry *pool, const struct dram_timing *t, uint64_t ck,
                        uint64_t row)
{
    bank->open = bank->fresh = true;
    bank->row = row;
    bank->passed = 0;
    bank->next_col[DRAM_READ] = ck + t->tRCDRD;
    bank->next_col[DRAM_WRITE] = ck + t->tRCDWR;
    bank->next_pre = ck + t->tRAS;
    for (int d = DRAM_READ; d <= DRAM_WRITE; d++)
        bank->list[d].hit = find_hit(bank, pool, bank->list[d].oldest);
}

void dram_bank_column(struct dram_bank *bank, const struct dram_timing *t, uint64_t ck, enum dram_direction direction)
{
    bank->fresh = false;
    no_sooner(&bank->next_pre, direction == DRAM_READ ? ck + t->tRTP : ck + t->WL + DRAM_BURST + t->tWR);
}

void dram_bank_precharge(struct dram_bank *bank, const struct dram_timing *t, uint64_t ck, bool conflict)
{
    bank->open = false;
    bank->conflict = conflict;
    bank->list[DRAM_READ].hit = bank->list[DRAM_WRITE].hit = DRAM_NONE;
    no_sooner(&bank->next_act, ck + t->tRP);
}
