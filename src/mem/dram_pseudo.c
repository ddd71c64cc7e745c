#include "mem/dram_pseudo.h"

#include <string.h>

#include "base/bits.h"

enum { ROUNDS_KEPT = 2 };

/* Its share of the channel's watermarks, and such that a full queue is drained. */
static void set_watermarks(struct dram_pseudo *pc, const struct config_dram *c)
{
    uint32_t high = smaller(c->write_high, c->write_queue) / pc->rules.t.pseudo;
    uint32_t low = c->write_low / pc->rules.t.pseudo;
    pc->write_high = larger(high, 1);
    pc->write_low = smaller(low, pc->write_high - 1);
}

bool dram_pseudo_create(struct dram_pseudo *pc, const struct config *config, struct dram_entry *pool,
                        struct arena *arena)
{
    const struct config_dram *c = &config->dram;
    memset(pc, 0, sizeof *pc);
    dram_rules_init(&pc->rules, config);
    const struct dram_pick_policy *pick = dram_pick_policy(c->pick);
    pc->row = dram_row_policy(c->row_policy);
    pc->row_cap = pick->ready_first ? c->row_cap : 0;
    set_watermarks(pc, c);
    pc->pool = pool;
    pc->rules.bank = arena_take(arena, pc->rules.banks * sizeof *pc->rules.bank);
    pc->pick_state = arena_take(arena, pick->state_bytes);
    pc->choice = (struct dram_choice){&pc->rules, {pick, pc->pick_state, pool}, &pc->memo};
    pc->row_state = arena_take(arena, pc->rules.banks * pc->row->state_bytes);
    if (pc->rules.bank == NULL || pc->pick_state == NULL || pc->row_state == NULL)
        return false;
    dram_pseudo_reset(pc);
    return true;
}

void dram_pseudo_reset(struct dram_pseudo *pc)
{
    dram_rules_reset(&pc->rules);
    dram_memo_reset(&pc->memo);
    memset(pc->pick_state, 0, pc->choice.ranks.policy->state_bytes);
    memset(pc->row_state, 0, pc->rules.banks * pc->row->state_bytes);
    memset(&pc->n, 0, sizeof pc->n);
    pc->waiting[0] = pc->waiting[1] = 0;
    pc->drain = false;
}

/* ---- policies and memo ------------------------------------------------------------------------------------------- */

static inline void *row_state(struct dram_pseudo *pc, uint32_t b) { return pc->row_state + b * pc->row->state_bytes; }

static inline void tell_row(struct dram_pseudo *pc, uint32_t b, enum dram_row_event what)
{
    if (pc->row->event != NULL)
        pc->row->event(row_state(pc, b), what);
}

void dram_pseudo_rank(struct dram_pseudo *pc)
{
    for (uint32_t b = 0; b < pc->rules.banks; b++)
        dram_memo_rank(&pc->memo, &pc->choice.ranks, &pc->rules.bank[b], b, pc->row_cap);
    pc->memo.known = 0;
    pc->memo.planned = false;
}

static inline void tell_pick(struct dram_pseudo *pc, enum dram_pick_event what, uint16_t index)
{
    const struct dram_pick_policy *pick = pc->choice.ranks.policy;
    if (pick->event != NULL && pick->event(pc->pick_state, what, &pc->pool[index]))
        dram_pseudo_rank(pc);
}

/* Notes the new state of a bank. */
static void note_bank(struct dram_pseudo *pc, uint32_t b)
{
    const struct dram_bank *bank = &pc->rules.bank[b];
    bool idle = bank->open && bank->list[DRAM_READ].hit == DRAM_NONE && bank->list[DRAM_WRITE].hit == DRAM_NONE;
    uint64_t close_at = idle ? pc->row->close_at(row_state(pc, b), pc->rules.now) : DRAM_ROW_STAYS;
    dram_memo_bank(&pc->memo, &pc->choice.ranks, bank, b, pc->row_cap, close_at);
    dram_choose_again(&pc->choice, b);
}

static void choose_direction(struct dram_pseudo *pc)
{
    uint32_t writes = pc->waiting[DRAM_WRITE];
    if (writes >= pc->write_high)
        pc->drain = true;
    else if (writes <= pc->write_low)
        pc->drain = false;
    bool write = writes > 0 && (pc->drain || pc->waiting[DRAM_READ] == 0);
    dram_memo_turn(&pc->memo, write ? DRAM_WRITE : DRAM_READ);
}

void dram_pseudo_plan(struct dram_pseudo *pc)
{
    dram_choose(&pc->choice);
    pc->memo.planned = true;
}

void dram_pseudo_add(struct dram_pseudo *pc, uint64_t ck, uint16_t index)
{
    const struct dram_entry *entry = &pc->pool[index];
    pc->rules.now = latest(pc->rules.now, ck);
    dram_bank_add(&pc->rules.bank[entry->bank], pc->pool, index);
    pc->waiting[entry->write]++;
    tell_pick(pc, DRAM_PICK_ARRIVES, index);
    note_bank(pc, entry->bank);
    choose_direction(pc);
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static void activate(struct dram_pseudo *pc, const struct dram_command *command)
{
    uint32_t b = command->bank;
    struct dram_bank *bank = &pc->rules.bank[b];
    tell_row(pc, b, command->row == bank->row ? DRAM_ROW_REOPENED : DRAM_ROW_OPENED);
    dram_bank_activate(bank, pc->pool, &pc->rules.t, command->ck, command->row);
    dram_rules_activated(&pc->rules, b, command->ck);
    note_bank(pc, b);
    pc->n.activates++;
}

static void precharge(struct dram_pseudo *pc, uint64_t ck, uint32_t b)
{
    bool conflict = pc->memo.pending[pc->memo.mode] >> b & 1 && !dram_refused(&pc->rules, b, ck);
    if (conflict)
        tell_row(pc, b, DRAM_ROW_CONFLICT);
    dram_bank_precharge(&pc->rules.bank[b], &pc->rules.t, ck, conflict);
    note_bank(pc, b);
    pc->n.precharges++;
}

static void count_burst(struct dram_pseudo *pc, const struct dram_bank *bank, enum dram_direction d)
{
    pc->n.row_hits += !bank->fresh;
    pc->n.row_misses += bank->fresh;
    pc->n.row_conflicts += bank->fresh && bank->conflict;
    pc->n.turnarounds += d != pc->rules.last;
    pc->n.bursts++;
}

static uint16_t column(struct dram_pseudo *pc, uint64_t ck, uint32_t b, enum dram_direction d)
{
    struct dram_bank *bank = &pc->rules.bank[b];
    count_burst(pc, bank, d);
    dram_rules_burst(&pc->rules, b, ck, d);
    dram_bank_column(bank, &pc->rules.t, ck, d);
    uint16_t index = bank->list[d].hit;
    struct dram_entry *entry = &pc->pool[index];
    entry->rest &= (uint8_t)(entry->rest - 1);
    if (entry->rest != 0)
        return DRAM_NONE;
    bank->passed += bank->list[d].oldest != index;
    dram_bank_remove(bank, pc->pool, index);
    pc->waiting[d]--;
    tell_pick(pc, DRAM_PICK_SERVED, index);
    note_bank(pc, b);
    choose_direction(pc);
    return index;
}

static void precharge_all(struct dram_pseudo *pc, uint64_t ck)
{
    for (uint64_t rest = pc->memo.open; rest != 0; rest &= rest - 1)
        precharge(pc, ck, lowest_bit64(rest));
}

uint16_t dram_pseudo_issue(struct dram_pseudo *pc)
{
    struct dram_command command = *dram_pseudo_next(pc);
    uint16_t finished = DRAM_NONE;
    dram_memo_issued(&pc->memo, command.op);
    dram_rules_take_bus(&pc->rules, command.ck, command.op == DRAM_RD || command.op == DRAM_WR);
    switch (command.op) {
    case DRAM_ACT: activate(pc, &command); break;
    case DRAM_PRE: precharge(pc, command.ck, command.bank); break;
    case DRAM_RD: finished = column(pc, command.ck, command.bank, DRAM_READ); break;
    case DRAM_WR: finished = column(pc, command.ck, command.bank, DRAM_WRITE); break;
    case DRAM_PREAB: precharge_all(pc, command.ck); break;
    case DRAM_REFAB: dram_rules_refreshed_all(&pc->rules, command.ck); break;
    case DRAM_REFPB: dram_rules_refreshed(&pc->rules, command.bank, command.ck); break;
    case DRAM_OPS: break;
    }
    pc->n.refreshes += command.op == DRAM_REFAB || command.op == DRAM_REFPB;
    pc->memo.planned = false;
    return finished;
}

void dram_pseudo_skip(struct dram_pseudo *pc, uint64_t ck)
{
    struct dram_rules *r = &pc->rules;
    uint64_t round = r->refresh_interval * (r->refresh == CONFIG_REFRESH_PER_BANK ? r->banks : 1);
    if (pc->waiting[DRAM_READ] + pc->waiting[DRAM_WRITE] > 0 || r->refresh == CONFIG_REFRESH_OFF ||
        ck < r->refresh_due + (ROUNDS_KEPT + 1) * round)
        return;
    uint64_t rounds = (ck - r->refresh_due) / round - ROUNDS_KEPT;
    r->refresh_due += rounds * round;
    pc->n.refreshes += rounds * (round / r->refresh_interval);
    pc->memo.known = 0;
    pc->memo.planned = false;
}

uint64_t dram_pseudo_room(struct dram_pseudo *pc)
{
    const struct dram_memo *memo = &pc->memo;
    uint64_t next = dram_pseudo_next(pc)->ck;
    const struct dram_first *column = &memo->first[DRAM_COLUMN];
    uint64_t served = column->ck, after_row = memo->row_ck;
    if (served != UINT64_MAX) {
        uint8_t rest = pc->pool[pc->rules.bank[column->bank].list[memo->mode].hit].rest;
        if ((rest & (rest - 1)) != 0) /* the last of its sectors is asked for by a later column command */
            served += larger(smaller(pc->rules.t.tCCD_S, pc->rules.t.tRTW), 1);
    }
    if (after_row != UINT64_MAX)
        after_row++;
    return latest(next, earliest(served, after_row));
}

uint64_t dram_pseudo_soonest(const struct dram_pseudo *pc)
{
    uint64_t now = pc->rules.now;
    if (pc->waiting[DRAM_READ] == 0)
        return UINT64_MAX;
    uint64_t ck = pc->memo.planned ? latest(now, pc->memo.next.ck) : now;
    return ck + pc->rules.t.RL + DRAM_BURST;
}
