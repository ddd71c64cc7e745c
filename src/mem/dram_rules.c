#include "mem/dram_rules.h"

#include <string.h>

enum { LEAST_INTERVAL = 64 /* clocks between refreshes; only clocks far slower than any real part's come to it */ };

static uint32_t largest_divisor(uint32_t number, uint32_t most)
{
    uint32_t divisor = smaller(number, most);
    while (number % divisor != 0)
        divisor--;
    return divisor;
}

void dram_rules_init(struct dram_rules *r, const struct config *config)
{
    const struct config_dram *c = &config->dram;
    memset(r, 0, sizeof *r);
    dram_timing_init(&r->t, config);
    r->banks = larger(c->banks / r->t.pseudo, 1);
    r->groups = largest_divisor(r->banks, r->t.groups);
    for (uint32_t b = 0; b < r->banks; b++)
        r->group_of[b] = (uint8_t)(b % r->groups);
    r->refresh = c->refresh;
    r->refresh_interval = r->refresh == CONFIG_REFRESH_PER_BANK ? r->t.tREFI / r->banks : r->t.tREFI;
    if (r->refresh_interval < LEAST_INTERVAL)
        r->refresh_interval = LEAST_INTERVAL;
    r->refresh_first = r->refresh_interval;
}

void dram_rules_stagger(struct dram_rules *r, uint32_t index, uint32_t count)
{
    if (r->refresh == CONFIG_REFRESH_ALL_BANK)
        r->refresh_first = latest(1, r->refresh_interval * (index + UINT64_C(1)) / count);
}

void dram_rules_reset(struct dram_rules *r)
{
    memset(r->group, 0, sizeof r->group);
    for (uint32_t b = 0; b < r->banks; b++)
        dram_bank_reset(&r->bank[b]);
    memset(r->act, 0, sizeof r->act);
    r->last = DRAM_READ;
    r->next_act = r->next_col[0] = r->next_col[1] = r->row_free = r->col_free = r->now = 0;
    r->act_oldest = r->refresh_bank = 0;
    r->refresh_due = r->refresh == CONFIG_REFRESH_OFF ? UINT64_MAX : r->refresh_first;
}

uint64_t dram_earliest_all(const struct dram_rules *r, uint64_t open)
{
    uint64_t ck = latest(r->refresh_due, latest(r->now, r->row_free));
    for (uint32_t b = 0; b < r->banks; b++)
        ck = latest(ck, open == 0 ? r->bank[b].next_act : open >> b & 1 ? r->bank[b].next_pre : 0);
    return ck;
}

uint64_t dram_earliest_refresh(const struct dram_rules *r, uint32_t bank)
{
    return latest(latest(r->refresh_due, dram_earliest_act(r)), r->bank[bank].next_act);
}

void dram_rules_take_bus(struct dram_rules *r, uint64_t ck, bool column)
{
    r->now = ck;
    if (column || !r->t.row_bus)
        r->col_free = ck + 1;
    if (!column || !r->t.row_bus)
        r->row_free = ck + 1;
}

/* Activations of any banks are tRRD or tRREFD apart, and no more than four come within tFAW. */
static void count_activation(struct dram_rules *r, uint64_t ck, uint32_t between)
{
    r->next_act = ck + between;
    r->act[r->act_oldest] = ck + r->t.tFAW;
    r->act_oldest = (r->act_oldest + 1) % 4;
}

void dram_rules_activated(struct dram_rules *r, uint32_t bank, uint64_t ck)
{
    r->group[r->group_of[bank]].next_act = ck + r->t.tRRD_L;
    count_activation(r, ck, r->t.tRRD_S);
}

/* The bus is turned round by tRTW, or by tWTR after the last data of a write. */
void dram_rules_burst(struct dram_rules *r, uint32_t bank, uint64_t ck, enum dram_direction d)
{
    const struct dram_timing *t = &r->t;
    struct dram_group *group = &r->group[r->group_of[bank]];
    r->next_col[d] = ck + t->tCCD_S;
    group->next_col[d] = ck + t->tCCD_L;
    if (d == DRAM_READ) {
        r->next_col[DRAM_WRITE] = ck + t->tRTW;
    } else {
        uint64_t written = ck + t->WL + DRAM_BURST;
        r->next_col[DRAM_READ] = written + t->tWTR_S;
        group->next_col[DRAM_READ] = latest(group->next_col[DRAM_READ], written + t->tWTR_L);
    }
    r->last = d;
}

/* The refresh of a bank counts as an activation in tRRD and tFAW. */
void dram_rules_refreshed(struct dram_rules *r, uint32_t bank, uint64_t ck)
{
    r->refresh_due += r->refresh_interval;
    r->bank[bank].next_act = ck + r->t.tRFCpb;
    count_activation(r, ck, r->t.tRREFD);
    r->refresh_bank = (r->refresh_bank + 1) % r->banks;
}

void dram_rules_refreshed_all(struct dram_rules *r, uint64_t ck)
{
    r->refresh_due += r->refresh_interval;
    for (uint32_t b = 0; b < r->banks; b++)
        r->bank[b].next_act = ck + r->t.tRFCab;
}
