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

/* Whether command `a` is to be issued rather than `b`. */
static inline bool better(const struct dram_choice *c, const struct dram_command *a, const struct dram_command *b)
{
    return c->policy->ready_first ? before(a->ck, a->rank, b->ck, b->rank) : before(a->rank, a->ck, b->rank, b->ck);
}

static inline void consider(const struct dram_choice *c, struct dram_command *best, struct dram_command other)
{
    if (better(c, &other, best))
        *best = other;
}

static const struct dram_command none = {.ck = UINT64_MAX, .rank = UINT64_MAX};

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static struct dram_known find_first(const struct dram_choice *c, uint64_t banks)
{
    struct dram_known known = {.rank = UINT64_MAX};
    enum dram_direction d = c->memo->mode;
    for (uint64_t rest = banks; rest != 0; rest &= rest - 1) {
        const struct dram_bank *bank = &c->rules->bank[lowest_bit64(rest)];
        uint64_t rank = rank_of(c, bank->list[d].hit);
        known.all_open = latest(known.all_open, bank->next_col[d]);
        if (rank > known.rank)
            continue;
        known.rank = rank;
        known.bank = lowest_bit64(rest);
    }
    return known;
}

static inline struct dram_command column(const struct dram_choice *c, uint64_t ck, uint64_t rank, uint32_t bank)
{
    enum dram_op op = c->memo->mode == DRAM_READ ? DRAM_RD : DRAM_WR;
    return (struct dram_command){.ck = ck, .op = op, .bank = bank, .rank = rank};
}

/* Of a group in which rows have just been opened or a refresh is due: bank by bank. */
static void consider_banks(const struct dram_choice *c, uint64_t banks, uint64_t from, struct dram_command *best)
{
    enum dram_direction d = c->memo->mode;
    for (uint64_t rest = banks; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        uint64_t ck = dram_earliest_bank_column(c->rules, b, d, from);
        if ((ck <= best->ck || !c->policy->ready_first) && !dram_refused(c->rules, b, ck))
            consider(c, best, column(c, ck, rank_of(c, c->rules->bank[b].list[d].hit), b));
    }
}

/* Banks of a group go by one clock as soon as all their rows are open, so that the first by rank stands for all. */
struct dram_command dram_choose_column(const struct dram_choice *c)
{
    struct dram_memo *memo = c->memo;
    struct dram_command best = none;
    uint64_t from = dram_earliest_column(c->rules, memo->mode), left = memo->hits[memo->mode];
    for (uint32_t g; left != 0;) {
        g = c->rules->group_of[lowest_bit64(left)];
        struct dram_known *known = &memo->group[g];
        uint64_t banks = left & c->rules->group[g].banks;
        uint64_t ck = dram_earliest_group_column(c->rules, g, memo->mode, from);
        left &= ~banks;
        if (ck > best.ck && c->policy->ready_first)
            continue;
        if (!(memo->group_known >> g & 1)) {
            *known = find_first(c, banks);
            memo->group_known |= UINT64_C(1) << g;
        }
        if (ck >= known->all_open && ck < c->rules->refresh_due)
            consider(c, &best, column(c, ck, known->rank, known->bank));
        else
            consider_banks(c, banks, ck, &best);
    }
    return best;
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

static void consider_activations(const struct dram_choice *c, struct dram_command *best)
{
    enum dram_direction d = c->memo->mode;
    uint64_t from = dram_earliest_act(c->rules);
    for (uint64_t rest = c->memo->pending[d] & ~c->memo->open; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        uint64_t ck = dram_earliest_bank_act(c->rules, b, from);
        uint64_t rank = rank_of(c, c->rules->bank[b].list[d].oldest);
        if (!dram_refused(c->rules, b, ck))
            consider(c, best, (struct dram_command){.ck = ck, .op = DRAM_ACT, .bank = b, .rank = rank});
    }
}

static void consider_precharges(const struct dram_choice *c, struct dram_command *best)
{
    const struct dram_memo *memo = c->memo;
    enum dram_direction d = memo->mode;
    uint64_t conflicts = memo->open & memo->pending[d] & ~memo->hits[d];
    for (uint64_t rest = conflicts | memo->idle; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        bool conflict = conflicts >> b & 1;
        uint64_t ck = dram_earliest_pre(c->rules, b);
        uint64_t rank = conflict ? rank_of(c, c->rules->bank[b].list[d].oldest) : DRAM_IDLE_RANK;
        if (!conflict)
            ck = latest(ck, memo->close_at[b]);
        if (!dram_refused(c->rules, b, ck))
            consider(c, best, (struct dram_command){.ck = ck, .op = DRAM_PRE, .bank = b, .rank = rank});
    }
}

struct dram_command dram_choose_row(const struct dram_choice *c)
{
    struct dram_command best = none;
    consider_activations(c, &best);
    consider_precharges(c, &best);
    if (c->rules->refresh_due <= best.ck)
        consider_refresh(c, &best);
    if (best.op == DRAM_ACT && best.ck != UINT64_MAX)
        best.row = c->pool[c->rules->bank[best.bank].list[c->memo->mode].oldest].row;
    return best;
}
