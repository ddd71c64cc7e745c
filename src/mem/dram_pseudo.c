#include "mem/dram_pseudo.h"

#include <string.h>

#include "base/bits.h"

enum {
    NEVER_OLDER = 0,
    LEAST_INTERVAL = 64, /* clocks between refreshes; only clocks far slower than any real part's come to it */
    ROUNDS_KEPT = 2,
};

static uint32_t largest_divisor(uint32_t number, uint32_t most)
{
    uint32_t divisor = number < most ? number : most;
    while (number % divisor != 0)
        divisor--;
    return divisor;
}

/* Its share of the channel's watermarks, and such that a full queue is drained. */
static void set_watermarks(struct dram_pseudo *pc, const struct config_dram *c)
{
    uint32_t high = (c->write_high < c->write_queue ? c->write_high : c->write_queue) / pc->t.pseudo;
    uint32_t low = c->write_low / pc->t.pseudo;
    pc->write_high = high > 0 ? high : 1;
    pc->write_low = low < pc->write_high ? low : pc->write_high - 1;
}

bool dram_pseudo_create(struct dram_pseudo *pc, const struct config *config, struct dram_entry *pool,
                        struct arena *arena)
{
    const struct config_dram *c = &config->dram;
    memset(pc, 0, sizeof *pc);
    dram_timing_init(&pc->t, config);
    pc->policy = c->row_policy;
    pc->refresh = c->refresh;
    pc->banks = c->banks > pc->t.pseudo ? c->banks / pc->t.pseudo : 1;
    pc->groups = largest_divisor(pc->banks, pc->t.groups);
    for (uint32_t b = 0; b < pc->banks; b++)
        pc->group_of[b] = (uint8_t)(b % pc->groups);
    pc->row_cap = c->row_cap;
    set_watermarks(pc, c);
    pc->refresh_interval = pc->refresh == CONFIG_REFRESH_PER_BANK ? pc->t.tREFI / pc->banks : pc->t.tREFI;
    if (pc->refresh_interval < LEAST_INTERVAL)
        pc->refresh_interval = LEAST_INTERVAL;
    pc->pool = pool;
    pc->bank = arena_take(arena, pc->banks * sizeof *pc->bank);
    if (pc->bank == NULL)
        return false;
    dram_pseudo_reset(pc);
    return true;
}

void dram_pseudo_reset(struct dram_pseudo *pc)
{
    memset(pc->group, 0, sizeof pc->group);
    for (uint32_t b = 0; b < pc->banks; b++) {
        dram_bank_reset(&pc->bank[b]);
        pc->group[pc->group_of[b]].banks |= UINT64_C(1) << b;
    }
    pc->group_known = 0;
    memset(pc->act, 0, sizeof pc->act);
    memset(&pc->n, 0, sizeof pc->n);
    pc->pending[0] = pc->pending[1] = pc->hits[0] = pc->hits[1] = pc->open = pc->idle_rows = 0;
    pc->waiting[0] = pc->waiting[1] = 0;
    pc->drain = false;
    pc->mode = pc->last = DRAM_READ;
    pc->next_act = pc->next_col[0] = pc->next_col[1] = pc->row_free = pc->col_free = pc->now = 0;
    pc->act_oldest = pc->refresh_bank = 0;
    pc->refresh_due = pc->refresh == CONFIG_REFRESH_OFF ? UINT64_MAX : pc->refresh_interval;
    pc->row_known = pc->column_known = pc->planned = false;
}

static inline void set_bit(struct dram_pseudo *pc, uint64_t *bits, uint64_t bit, bool value)
{
    uint64_t set = value ? *bits | bit : *bits & ~bit;
    if (set != *bits)
        pc->row_known = pc->column_known = false;
    *bits = set;
}

/* Brings the bits of a bank up to date. */
static void classify(struct dram_pseudo *pc, uint32_t b)
{
    const struct dram_bank *bank = &pc->bank[b];
    uint64_t bit = UINT64_C(1) << b;
    bool used = false;
    for (int d = DRAM_READ; d <= DRAM_WRITE; d++) {
        const struct dram_list *list = &bank->list[d];
        bool pending = list->oldest != DRAM_NONE, hit = list->hit != DRAM_NONE;
        used |= hit;
        bool capped = list->hit != list->oldest && bank->passed >= pc->row_cap;
        set_bit(pc, &pc->pending[d], bit, pending);
        set_bit(pc, &pc->hits[d], bit, hit && !capped);
    }
    bool close = pc->policy == CONFIG_ROW_POLICY_CLOSED ||
                 (pc->policy == CONFIG_ROW_POLICY_ADAPTIVE && dram_bank_predicts_close(bank));
    set_bit(pc, &pc->open, bit, bank->open);
    set_bit(pc, &pc->idle_rows, bit, bank->open && !used && close);
    pc->group_known &= ~(UINT64_C(1) << pc->group_of[b]);
}

static void choose_mode(struct dram_pseudo *pc)
{
    uint32_t writes = pc->waiting[DRAM_WRITE];
    if (writes >= pc->write_high)
        pc->drain = true;
    else if (writes <= pc->write_low)
        pc->drain = false;
    enum dram_direction mode = writes > 0 && (pc->drain || pc->waiting[DRAM_READ] == 0) ? DRAM_WRITE : DRAM_READ;
    if (mode == pc->mode)
        return;
    pc->row_known = pc->column_known = false;
    pc->group_known = 0;
    pc->mode = mode;
}

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A bank whose refresh is due takes nothing else. */
static inline bool refused(const struct dram_pseudo *pc, uint32_t b, uint64_t ck)
{
    return ck >= pc->refresh_due && (pc->refresh == CONFIG_REFRESH_ALL_BANK || b == pc->refresh_bank);
}

static inline void consider(struct dram_command *best, uint64_t ck, enum dram_op op, uint32_t bank, uint64_t age)
{
    if (ck < best->ck || (ck == best->ck && age < best->age))
        *best = (struct dram_command){.ck = ck, .op = op, .bank = bank, .age = age};
}

static void find_oldest(struct dram_pseudo *pc, struct dram_group *group)
{
    group->age = UINT64_MAX;
    group->all_open = 0;
    for (uint64_t rest = pc->hits[pc->mode] & group->banks; rest != 0; rest &= rest - 1) {
        const struct dram_bank *bank = &pc->bank[lowest_bit64(rest)];
        uint64_t age = pc->pool[bank->list[pc->mode].hit].age;
        group->all_open = later(group->all_open, bank->next_col[pc->mode]);
        if (age > group->age)
            continue;
        group->age = age;
        group->oldest = lowest_bit64(rest);
    }
}

/* The access that can be served first, and of several the oldest. */
struct choice {
    uint64_t ck, age;
    uint32_t bank;
};

static inline struct choice better(struct choice a, struct choice b)
{
    return b.ck < a.ck || (b.ck == a.ck && b.age < a.age) ? b : a;
}

/* Of a group in which rows have just been opened or a refresh is due: bank by bank. */
static struct choice choose_bank(const struct dram_pseudo *pc, uint64_t banks, uint64_t from, struct choice best)
{
    for (uint64_t rest = banks; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        const struct dram_bank *bank = &pc->bank[b];
        uint64_t ck = later(from, bank->next_col[pc->mode]);
        if (ck <= best.ck && !refused(pc, b, ck))
            best = better(best, (struct choice){ck, pc->pool[bank->list[pc->mode].hit].age, b});
    }
    return best;
}

static struct dram_command plan_column(struct dram_pseudo *pc)
{
    enum dram_direction d = pc->mode;
    struct choice best = {UINT64_MAX, UINT64_MAX, 0};
    uint64_t from = later(later(pc->now, pc->col_free), pc->next_col[d]);
    for (uint64_t rest = pc->hits[d]; rest != 0;) {
        uint32_t g = pc->group_of[lowest_bit64(rest)];
        struct dram_group *group = &pc->group[g];
        uint64_t banks = rest & group->banks, ck = later(from, group->next_col[d]);
        rest &= ~banks;
        if (ck > best.ck)
            continue;
        if (!(pc->group_known >> g & 1)) {
            find_oldest(pc, group);
            pc->group_known |= UINT64_C(1) << g;
        }
        if (ck >= group->all_open && ck < pc->refresh_due)
            best = better(best, (struct choice){ck, group->age, group->oldest});
        else
            best = choose_bank(pc, banks, ck, best);
    }
    return (struct dram_command){
        .ck = best.ck, .op = d == DRAM_READ ? DRAM_RD : DRAM_WR, .bank = best.bank, .age = best.age};
}

static inline uint64_t earliest_act(const struct dram_pseudo *pc)
{
    return later(later(pc->now, pc->row_free), later(pc->next_act, pc->act[pc->act_oldest]));
}

static void plan_refresh(const struct dram_pseudo *pc, struct dram_command *best)
{
    uint64_t ck = later(pc->refresh_due, later(pc->now, pc->row_free));
    if (pc->refresh == CONFIG_REFRESH_PER_BANK) {
        const struct dram_bank *bank = &pc->bank[pc->refresh_bank];
        if (bank->open)
            consider(best, later(ck, bank->next_pre), DRAM_PRE, pc->refresh_bank, NEVER_OLDER);
        else
            consider(best, later(later(ck, earliest_act(pc)), bank->next_act), DRAM_REFPB, pc->refresh_bank,
                     NEVER_OLDER);
        return;
    }
    for (uint32_t b = 0; b < pc->banks; b++)
        ck = later(ck, pc->open == 0 ? pc->bank[b].next_act : pc->open >> b & 1 ? pc->bank[b].next_pre : 0);
    consider(best, ck, pc->open == 0 ? DRAM_REFAB : DRAM_PREAB, 0, NEVER_OLDER);
}

static struct dram_command plan_row(const struct dram_pseudo *pc)
{
    struct dram_command best = {.ck = UINT64_MAX, .age = UINT64_MAX};
    enum dram_direction d = pc->mode;
    uint64_t act = earliest_act(pc), from = later(pc->now, pc->row_free);
    for (uint64_t rest = pc->pending[d] & ~pc->open; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        const struct dram_bank *bank = &pc->bank[b];
        uint64_t ck = later(later(act, bank->next_act), pc->group[pc->group_of[b]].next_act);
        if (!refused(pc, b, ck))
            consider(&best, ck, DRAM_ACT, b, pc->pool[bank->list[d].oldest].age);
    }
    uint64_t conflicts = pc->open & pc->pending[d] & ~pc->hits[d];
    for (uint64_t rest = conflicts | pc->idle_rows; rest != 0; rest &= rest - 1) {
        uint32_t b = lowest_bit64(rest);
        const struct dram_bank *bank = &pc->bank[b];
        uint64_t ck = later(from, bank->next_pre);
        uint64_t age = conflicts >> b & 1 ? pc->pool[bank->list[d].oldest].age : UINT64_MAX - 1;
        if (!refused(pc, b, ck))
            consider(&best, ck, DRAM_PRE, b, age);
    }
    if (pc->refresh_due <= best.ck)
        plan_refresh(pc, &best);
    if (best.op == DRAM_ACT && best.ck != UINT64_MAX)
        best.row = pc->pool[pc->bank[best.bank].list[d].oldest].row;
    return best;
}

/* Finds what is not known any more. What is known stays right until the bits of banks, the direction or the refreshes
 * change, or another command takes its place on the bus. */
void dram_pseudo_plan(struct dram_pseudo *pc)
{
    if (!pc->column_known || pc->column.ck < pc->col_free)
        pc->column = plan_column(pc);
    if (!pc->row_known || pc->row.ck < pc->row_free)
        pc->row = plan_row(pc);
    pc->row_known = pc->column_known = pc->planned = true;
}

void dram_pseudo_add(struct dram_pseudo *pc, uint64_t ck, uint16_t index)
{
    const struct dram_entry *entry = &pc->pool[index];
    pc->now = later(pc->now, ck);
    dram_bank_add(&pc->bank[entry->bank], pc->pool, index);
    pc->waiting[entry->write]++;
    classify(pc, entry->bank);
    choose_mode(pc);
    pc->planned = false;
}

static void activated(struct dram_pseudo *pc, uint64_t ck, uint32_t between)
{
    pc->next_act = ck + between;
    pc->act[pc->act_oldest] = ck + pc->t.tFAW;
    pc->act_oldest = (pc->act_oldest + 1) % 4;
}

static void activate(struct dram_pseudo *pc, const struct dram_command *command)
{
    uint32_t b = command->bank;
    dram_bank_activate(&pc->bank[b], pc->pool, &pc->t, command->ck, command->row);
    pc->group[pc->group_of[b]].next_act = command->ck + pc->t.tRRD_L;
    activated(pc, command->ck, pc->t.tRRD_S);
    classify(pc, b);
    pc->n.activates++;
}

static void precharge(struct dram_pseudo *pc, uint64_t ck, uint32_t b)
{
    bool conflict = pc->pending[pc->mode] >> b & 1 && !refused(pc, b, ck);
    dram_bank_precharge(&pc->bank[b], &pc->t, ck, conflict);
    classify(pc, b);
    pc->n.precharges++;
}

static void refresh(struct dram_pseudo *pc, const struct dram_command *command)
{
    pc->refresh_due += pc->refresh_interval;
    pc->n.refreshes++;
    if (command->op == DRAM_REFPB) { /* counts as an activation in tRRD and tFAW */
        pc->bank[command->bank].next_act = command->ck + pc->t.tRFCpb;
        activated(pc, command->ck, pc->t.tRREFD);
        pc->refresh_bank = (pc->refresh_bank + 1) % pc->banks;
        return;
    }
    for (uint32_t b = 0; b < pc->banks; b++)
        pc->bank[b].next_act = command->ck + pc->t.tRFCab;
}

/* The bus is turned round by tRTW, or by tWTR after the last data of a write. */
static void book_bus(struct dram_pseudo *pc, uint64_t ck, uint32_t b, enum dram_direction d)
{
    const struct dram_timing *t = &pc->t;
    struct dram_group *group = &pc->group[pc->group_of[b]];
    pc->next_col[d] = ck + t->tCCD_S;
    group->next_col[d] = ck + t->tCCD_L;
    if (d == DRAM_READ) {
        pc->next_col[DRAM_WRITE] = ck + t->tRTW;
    } else {
        uint64_t written = ck + t->WL + DRAM_BURST;
        pc->next_col[DRAM_READ] = written + t->tWTR_S;
        group->next_col[DRAM_READ] = later(group->next_col[DRAM_READ], written + t->tWTR_L);
    }
    pc->n.turnarounds += d != pc->last;
    pc->n.bursts++;
    pc->last = d;
}

static uint16_t column(struct dram_pseudo *pc, uint64_t ck, uint32_t b, enum dram_direction d)
{
    struct dram_bank *bank = &pc->bank[b];
    pc->n.row_hits += !bank->fresh;
    pc->n.row_misses += bank->fresh;
    pc->n.row_conflicts += bank->fresh && bank->conflict;
    book_bus(pc, ck, b, d);
    dram_bank_column(bank, &pc->t, ck, d);
    uint16_t index = bank->list[d].hit;
    struct dram_entry *entry = &pc->pool[index];
    entry->rest &= (uint8_t)(entry->rest - 1);
    if (entry->rest != 0)
        return DRAM_NONE;
    bank->passed += bank->list[d].oldest != index;
    dram_bank_remove(bank, pc->pool, index);
    pc->waiting[d]--;
    classify(pc, b);
    choose_mode(pc);
    return index;
}

/* The row command known is a part of a refresh that has to wait for what the bank does. */
static bool closes(const struct dram_pseudo *pc, uint32_t bank)
{
    bool one = pc->refresh == CONFIG_REFRESH_PER_BANK;
    return pc->row.age == NEVER_OLDER && (!one || pc->row.bank == bank);
}

uint16_t dram_pseudo_issue(struct dram_pseudo *pc)
{
    struct dram_command command = *dram_pseudo_next(pc);
    uint16_t finished = DRAM_NONE;
    bool is_column = command.op == DRAM_RD || command.op == DRAM_WR;
    pc->now = command.ck; /* what it makes possible does not come before it */
    pc->column_known = false;
    pc->row_known = pc->row_known && is_column && !closes(pc, command.bank);
    if (is_column || !pc->t.row_bus)
        pc->col_free = command.ck + 1;
    if (!is_column || !pc->t.row_bus)
        pc->row_free = command.ck + 1;
    switch (command.op) {
    case DRAM_ACT: activate(pc, &command); break;
    case DRAM_PRE: precharge(pc, command.ck, command.bank); break;
    case DRAM_RD: finished = column(pc, command.ck, command.bank, DRAM_READ); break;
    case DRAM_WR: finished = column(pc, command.ck, command.bank, DRAM_WRITE); break;
    case DRAM_PREAB:
        for (uint64_t rest = pc->open; rest != 0; rest &= rest - 1)
            precharge(pc, command.ck, lowest_bit64(rest));
        break;
    case DRAM_REFAB:
    case DRAM_REFPB: refresh(pc, &command); break;
    case DRAM_OPS: break;
    }
    pc->planned = false;
    return finished;
}

void dram_pseudo_skip(struct dram_pseudo *pc, uint64_t ck)
{
    uint64_t round = pc->refresh_interval * (pc->refresh == CONFIG_REFRESH_PER_BANK ? pc->banks : 1);
    if (pc->waiting[DRAM_READ] + pc->waiting[DRAM_WRITE] > 0 || pc->refresh == CONFIG_REFRESH_OFF ||
        ck < pc->refresh_due + (ROUNDS_KEPT + 1) * round)
        return;
    uint64_t rounds = (ck - pc->refresh_due) / round - ROUNDS_KEPT;
    pc->refresh_due += rounds * round;
    pc->n.refreshes += rounds * (round / pc->refresh_interval);
    pc->row_known = pc->planned = false;
}

uint64_t dram_pseudo_soonest(const struct dram_pseudo *pc)
{
    if (pc->waiting[DRAM_READ] == 0)
        return UINT64_MAX;
    uint64_t ck = pc->planned ? later(pc->now, pc->row.ck < pc->column.ck ? pc->row.ck : pc->column.ck) : pc->now;
    return ck + pc->t.RL + DRAM_BURST;
}
