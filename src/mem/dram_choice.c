#include "mem/dram_choice.h"

#include "base/bits.h"

static inline uint64_t rank_of(const struct dram_choice *c, uint16_t index)
{
    const struct dram_entry *access = &c->pool[index];
    return c->policy->rank == NULL ? access->age : c->policy->rank(c->state, access);
}

static inline bool before(uint64_t a, uint64_t a_tie, uint64_t b, uint64_t b_tie)
{
    return a < b || (a == b && a_tie < b_tie);
}

/* The first command among those that have been looked at. */
struct first {
    uint64_t ck, rank;
    uint32_t bank;
};

static const struct first none = {.ck = UINT64_MAX, .rank = UINT64_MAX};

/* Returns whether the command goes before all others so far. */
static inline bool consider(bool ready_first, struct first *first, uint64_t ck, uint64_t rank, uint32_t bank)
{
    bool comes = ready_first ? before(ck, rank, first->ck, first->rank) : before(rank, ck, first->rank, first->ck);
    if (comes)
        *first = (struct first){ck, rank, bank};
    return comes;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* The first by rank of the banks whose rows can be read or written at clock `ck`. Nothing is known from the clock on at
 * which another row can be, or a refresh is due. */
static struct dram_known find_first(const struct dram_choice *c, uint64_t banks, uint64_t ck)
{
    struct dram_known known = {.rank = UINT64_MAX, .until = c->rules->refresh_due};
    enum dram_direction d = c->memo->mode;
    for (uint64_t rest = banks; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        const struct dram_bank *bank = &c->rules->bank[b];
        if (bank->next_col[d] > ck) {
            known.until = earliest(known.until, bank->next_col[d]);
            continue;
        }
        uint64_t rank = rank_of(c, bank->list[d].hit);
        known.from = latest(known.from, bank->next_col[d]);
        if (rank > known.rank)
            continue;
        known.rank = rank;
        known.bank = b;
    }
    if (known.rank == UINT64_MAX || known.until <= ck)
        known.until = 0;
    return known;
}

/* Bank by bank: of a group in which no row can be read or written yet, or when a refresh is due. */
static void consider_banks(const struct dram_choice *c, uint64_t banks, uint64_t from, struct first *first)
{
    enum dram_direction d = c->memo->mode;
    bool ready_first = c->policy->ready_first;
    for (uint64_t rest = banks; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        uint64_t ck = dram_earliest_bank_column(c->rules, b, d, from);
        if ((ck <= first->ck || !ready_first) && !dram_refused(c->rules, b, ck))
            consider(ready_first, first, ck, rank_of(c, c->rules->bank[b].list[d].hit), b);
    }
}

/* A group in which something can be served at clock `ck` is known by its first access. */
static bool know(const struct dram_choice *c, struct dram_known *known, uint64_t banks, uint64_t ck)
{
    *known = find_first(c, banks, ck);
    return known->until > 0;
}

/* Banks of a group go by one clock as soon as their rows are open, so that the first by rank stands for all. */
static struct first first_ready(const struct dram_choice *c)
{
    const struct dram_rules *rules = c->rules;
    enum dram_direction d = c->memo->mode;
    struct first first = none;
    uint64_t from = dram_earliest_column(rules, d), left = c->memo->hits[d];
    while (left != 0) {
        uint32_t g = rules->group_of[lowest_bit64(left)];
        uint64_t banks = left & rules->group[g].banks;
        uint64_t ck = dram_earliest_group_column(rules, g, d, from);
        struct dram_known *known = &c->memo->group[d][g];
        left &= ~banks;
        if (ck > first.ck)
            continue;
        if ((ck < known->until && ck >= known->from) || know(c, known, banks, ck))
            consider(true, &first, ck, known->rank, known->bank);
        else
            consider_banks(c, banks, ck, &first);
    }
    return first;
}

/* The first by rank, whenever its row can be read or written. */
static struct first first_in_rank(const struct dram_choice *c)
{
    const struct dram_rules *rules = c->rules;
    enum dram_direction d = c->memo->mode;
    struct first first = none;
    uint64_t from = dram_earliest_column(rules, d), left = c->memo->hits[d];
    while (left != 0) {
        uint32_t g = rules->group_of[lowest_bit64(left)];
        uint64_t banks = left & rules->group[g].banks;
        left &= ~banks;
        consider_banks(c, banks, dram_earliest_group_column(rules, g, d, from), &first);
    }
    return first;
}

struct dram_command dram_choose_column(const struct dram_choice *c)
{
    struct first first = c->policy->ready_first ? first_ready(c) : first_in_rank(c);
    enum dram_op op = c->memo->mode == DRAM_READ ? DRAM_RD : DRAM_WR;
    return (struct dram_command){.ck = first.ck, .op = op, .bank = first.bank, .rank = first.rank};
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Refreshes are not the policy's: they come as soon as they can. */
static void consider_refresh(const struct dram_choice *c, struct dram_command *best)
{
    const struct dram_rules *r = c->rules;
    uint64_t open = c->memo->open;
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

static void consider_activations(const struct dram_choice *c, struct first *first)
{
    enum dram_direction d = c->memo->mode;
    bool ready_first = c->policy->ready_first;
    uint64_t from = dram_earliest_act(c->rules);
    for (uint64_t rest = c->memo->pending[d] & ~c->memo->open; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        uint64_t ck = dram_earliest_bank_act(c->rules, b, from);
        if ((ck <= first->ck || !ready_first) && !dram_refused(c->rules, b, ck))
            consider(ready_first, first, ck, rank_of(c, c->rules->bank[b].list[d].oldest), b);
    }
}

/* Returns whether a precharge goes before all activations. */
static bool consider_precharges(const struct dram_choice *c, struct first *first)
{
    const struct dram_memo *memo = c->memo;
    enum dram_direction d = memo->mode;
    bool ready_first = c->policy->ready_first, found = false;
    uint64_t conflicts = memo->open & memo->pending[d] & ~memo->hits[d];
    for (uint64_t rest = conflicts | memo->idle; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        bool conflict = conflicts >> b & 1;
        uint64_t ck = dram_earliest_pre(c->rules, b);
        if (!conflict)
            ck = latest(ck, memo->close_at[b]);
        if ((ck > first->ck && ready_first) || dram_refused(c->rules, b, ck))
            continue;
        uint64_t rank = conflict ? rank_of(c, c->rules->bank[b].list[d].oldest) : DRAM_IDLE_RANK;
        found |= consider(ready_first, first, ck, rank, b);
    }
    return found;
}

struct dram_command dram_choose_row(const struct dram_choice *c)
{
    struct first first = none;
    consider_activations(c, &first);
    enum dram_op op = consider_precharges(c, &first) ? DRAM_PRE : DRAM_ACT;
    struct dram_command best = {.ck = first.ck, .op = op, .bank = first.bank, .rank = first.rank};
    if (c->rules->refresh_due <= best.ck)
        consider_refresh(c, &best);
    if (best.op == DRAM_ACT && best.ck != UINT64_MAX)
        best.row = c->pool[c->rules->bank[best.bank].list[c->memo->mode].oldest].row;
    return best;
}
