#include "mem/dram_choice.h"

#include "base/bits.h"

static const struct dram_first none = {.ck = UINT64_MAX, .rank = UINT64_MAX};

static inline bool before(uint64_t a, uint64_t a_tie, uint64_t b, uint64_t b_tie)
{
    return a < b || (a == b && a_tie < b_tie);
}

/* Returns whether candidate `a` goes before `b`. With equal clock and rank, the lower bank goes first. */
static inline bool precedes(bool ready_first, struct dram_first a, struct dram_first b)
{
    if (a.ck == b.ck && a.rank == b.rank)
        return a.bank < b.bank;
    return ready_first ? before(a.ck, a.rank, b.ck, b.rank) : before(a.rank, a.ck, b.rank, b.ck);
}

/* Compares a bank that can get a command at clock `ck` with the first. `index` is the access, or DRAM_NONE. Returns
 * whether the bank is the first now, as do the functions for each sort. */
static inline bool consider(struct dram_choice c, struct dram_first *first, uint32_t b, uint64_t ck, uint16_t index)
{
    bool ready_first = c.ranks.policy->ready_first;
    if ((ck > first->ck && ready_first) || dram_refused(c.rules, b, ck))
        return false;
    uint64_t rank = index == DRAM_NONE ? DRAM_IDLE_RANK : dram_rank(&c.ranks, index);
    const struct dram_first a = {.ck = ck, .rank = rank, .bank = b};
    if (!precedes(ready_first, a, *first))
        return false;
    *first = a;
    return true;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Walks the banks by rank up to the first that no other can precede. */
static struct dram_first first_column(struct dram_choice c)
{
    struct dram_first first = none;
    enum dram_direction d = c.memo->mode;
    const struct dram_order *order = &c.memo->columns[d];
    uint64_t from = dram_earliest_column(c.rules, d);
    for (uint32_t i = 0; i < order->count; i++) {
        uint32_t b = order->bank[i];
        uint64_t ck = dram_earliest_bank_column(c.rules, b, d, from);
        if (ck >= first.ck || dram_refused(c.rules, b, ck))
            continue;
        first = (struct dram_first){.ck = ck, .rank = order->rank[b], .bank = b};
        if (ck == from || !c.ranks.policy->ready_first)
            break;
    }
    return first;
}

static inline bool consider_column(struct dram_choice c, uint32_t b, struct dram_first *first)
{
    enum dram_direction d = c.memo->mode;
    uint64_t ck = dram_earliest_bank_column(c.rules, b, d, dram_earliest_column(c.rules, d));
    return consider(c, first, b, ck, c.rules->bank[b].list[d].hit);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static inline bool consider_activation(struct dram_choice c, uint32_t b, uint64_t from, struct dram_first *first)
{
    return consider(c, first, b, dram_earliest_bank_act(c.rules, b, from), c.rules->bank[b].list[c.memo->mode].oldest);
}

static struct dram_first first_activation(struct dram_choice c)
{
    struct dram_first first = none;
    uint64_t from = dram_earliest_act(c.rules);
    for (uint64_t rest = dram_memo_closed(c.memo); rest != 0; rest &= rest - 1)
        consider_activation(c, lowest_bit64(rest), from, &first);
    return first;
}

/* The row makes room for another one, or nothing needs it. */
static inline bool consider_precharge(struct dram_choice c, uint32_t b, uint64_t from, struct dram_first *first)
{
    uint16_t conflict = c.rules->bank[b].list[c.memo->mode].oldest;
    uint64_t ck = dram_earliest_bank_pre(c.rules, b, from);
    return consider(c, first, b, conflict == DRAM_NONE ? latest(ck, c.memo->close_at[b]) : ck, conflict);
}

static struct dram_first first_precharge(struct dram_choice c)
{
    struct dram_first first = none;
    uint64_t from = dram_earliest_row(c.rules);
    for (uint64_t rest = dram_memo_unwanted(c.memo); rest != 0; rest &= rest - 1)
        consider_precharge(c, lowest_bit64(rest), from, &first);
    return first;
}

/* Refreshes are not the policy's: they come as soon as they can. */
static void consider_refresh(struct dram_choice c, struct dram_command *best)
{
    const struct dram_rules *r = c.rules;
    uint64_t open = c.memo->open;
    struct dram_command refresh = {.rank = DRAM_REFRESH_RANK};
    if (r->refresh == CONFIG_REFRESH_PER_BANK) {
        bool is_open = r->bank[r->refresh_bank].open;
        refresh.bank = r->refresh_bank;
        refresh.op = is_open ? DRAM_PRE : DRAM_REFPB;
        refresh.ck = is_open ? latest(r->refresh_due, dram_earliest_pre(r, refresh.bank))
                             : dram_earliest_refresh(r, refresh.bank);
    } else {
        refresh.op = open == 0 ? DRAM_REFAB : DRAM_PREAB;
        refresh.ck = dram_earliest_all(r, open);
    }
    if (before(refresh.ck, refresh.rank, best->ck, best->rank))
        *best = refresh;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static inline struct dram_command command_of(struct dram_first first, enum dram_op op)
{
    return (struct dram_command){.ck = first.ck, .op = op, .bank = first.bank, .rank = first.rank};
}

static inline struct dram_command row_command(struct dram_choice c)
{
    const struct dram_memo *memo = c.memo;
    struct dram_first activation = memo->first[DRAM_ACTIVATION], precharge = memo->first[DRAM_PRECHARGE];
    bool precharges = precedes(c.ranks.policy->ready_first, precharge, activation);
    struct dram_command row = command_of(precharges ? precharge : activation, precharges ? DRAM_PRE : DRAM_ACT);
    if (row.op == DRAM_ACT && row.ck != UINT64_MAX)
        row.row = c.ranks.pool[c.rules->bank[row.bank].list[memo->mode].oldest].row;
    if (c.rules->refresh_due <= row.ck)
        consider_refresh(c, &row);
    return row;
}

/* Returns whether the row command is issued before the column command. */
static inline bool row_first(struct dram_choice c, const struct dram_command *row, struct dram_first column)
{
    if (!c.ranks.policy->ready_first && row->rank != DRAM_REFRESH_RANK && row->ck != UINT64_MAX &&
        column.ck != UINT64_MAX)
        return row->rank < column.rank;
    /* with one command bus a column command goes before a row command of the same clock */
    return row->ck < column.ck || (row->ck == column.ck && c.rules->t.row_bus);
}

/* Returns whether a first candidate has to be found anew: another command has taken its clock, or it is not known. */
static inline bool unknown(const struct dram_memo *memo, enum dram_sort sort, uint64_t from)
{
    return !(memo->known >> sort & 1) || memo->first[sort].ck < from;
}

void dram_choose(const struct dram_choice *choice)
{
    const struct dram_choice c = *choice;
    struct dram_memo *memo = c.memo;
    struct dram_first *first = memo->first;
    if (unknown(memo, DRAM_COLUMN, latest(c.rules->now, c.rules->col_free)))
        first[DRAM_COLUMN] = first_column(c);
    if (unknown(memo, DRAM_ACTIVATION, dram_earliest_row(c.rules)))
        first[DRAM_ACTIVATION] = first_activation(c);
    if (unknown(memo, DRAM_PRECHARGE, dram_earliest_row(c.rules)))
        first[DRAM_PRECHARGE] = first_precharge(c);
    memo->known = DRAM_ALL_KNOWN;
    struct dram_command row = row_command(c);
    memo->row_ck = row.ck;
    if (row_first(c, &row, first[DRAM_COLUMN]))
        memo->next = row;
    else
        memo->next = command_of(first[DRAM_COLUMN], memo->mode == DRAM_READ ? DRAM_RD : DRAM_WR);
}

void dram_choose_again(const struct dram_choice *choice, uint32_t bank)
{
    const struct dram_choice c = *choice;
    struct dram_memo *memo = c.memo;
    struct dram_first *first = memo->first;
    unsigned known = c.ranks.policy->ready_first ? memo->known : 0;
    for (unsigned sort = 0; sort < DRAM_SORTS; sort++)
        known &= ~((unsigned)(first[sort].bank == bank) << sort);
    bool changed = known != memo->known;
    memo->known = (uint8_t)known;
    if (!(memo->open >> bank & 1)) {
        if (known >> DRAM_ACTIVATION & dram_memo_closed(memo) >> bank & 1)
            changed |= consider_activation(c, bank, dram_earliest_act(c.rules), &first[DRAM_ACTIVATION]);
    } else if (memo->hits[memo->mode] >> bank & 1) {
        if (known >> DRAM_COLUMN & 1)
            changed |= consider_column(c, bank, &first[DRAM_COLUMN]);
    } else if (known >> DRAM_PRECHARGE & dram_memo_unwanted(memo) >> bank & 1) {
        changed |= consider_precharge(c, bank, dram_earliest_row(c.rules), &first[DRAM_PRECHARGE]);
    }
    memo->planned &= !changed;
}
