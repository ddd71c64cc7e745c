#include "sm/legacy/collectors.h"

#include <string.h>

#include "sm/code_table.h"

void legacy_collectors_begin(struct legacy_collectors *c)
{
    memset((uint8_t *)c + sizeof c->to, 0, sizeof *c - sizeof c->to);
}

unsigned legacy_bank_of(const struct config_legacy *config, unsigned reg, uint32_t slot)
{
    unsigned banks = config->banks / SM_SUBCORES;
    return (reg + slot) % banks + slot_subcore(slot) * banks;
}

bool legacy_collectors_write(struct legacy_collectors *c, unsigned bank)
{
    bool free = !(c->written >> bank & 1);
    c->written |= UINT64_C(1) << bank;
    return free;
}

/* ---- instructions leave ------------------------------------------------------------------------------------------ */

static unsigned per_subcore(const struct legacy_collectors *c) { return c->to.config->collectors / SM_SUBCORES; }

/* The collectors whose unit takes their instruction. */
static uint64_t can_leave(const struct legacy_collectors *c)
{
    uint64_t out = 0;
    for (uint64_t m = c->ready; m; m &= m - 1) {
        unsigned i = lowest_bit64(m);
        if (!legacy_latch_taken(c->to.out, c->collector[i].unit, i / per_subcore(c)))
            out |= m & -m;
    }
    return out;
}

static void leave(struct legacy_collectors *c, unsigned i)
{
    struct legacy_collector *from = &c->collector[i];
    legacy_latch_put(c->to.out, from->unit, i / per_subcore(c), from->op);
    from->op.used = false;
    c->ready &= ~(UINT64_C(1) << i);
    c->count--;
}

static bool dispatch_ready(struct legacy_collectors *c)
{
    unsigned each = per_subcore(c), all = each * SM_SUBCORES;
    bool moved = false;
    for (unsigned port = 0; port < c->to.config->dispatch_ports && c->ready; port++) {
        uint64_t candidates = can_leave(c);
        if (!candidates)
            break;
        unsigned from = (c->last[port] / each + 1) * each % all; /* the next sub-core's first */
        uint64_t behind = candidates >> from << from;
        unsigned i = lowest_bit64(behind ? behind : candidates);
        c->last[port] = (uint8_t)i;
        leave(c, i);
        moved = true;
    }
    return moved;
}

/* ---- banks are read ---------------------------------------------------------------------------------------------- */

/* The oldest access of a bank is served. */
static void read_bank(struct legacy_collectors *c, unsigned number)
{
    struct legacy_bank *bank = &c->bank[number];
    unsigned i = bank->collector[bank->head];
    bank->head = (uint8_t)((bank->head + 1) % LEGACY_WAITING);
    if (--bank->count == 0)
        c->waiting &= ~(UINT64_C(1) << number);
    if (--c->collector[i].missing == 0)
        c->ready |= UINT64_C(1) << i;
    c->to.n->register_reads++;
}

static bool read_banks(struct legacy_collectors *c)
{
    uint64_t served = c->waiting & ~c->written;
    for (uint64_t m = served; m; m &= m - 1)
        read_bank(c, lowest_bit64(m));
    return served != 0;
}

/* ---- instructions enter ------------------------------------------------------------------------------------------ */

static void enter(struct legacy_collectors *c, unsigned unit, unsigned subcore, unsigned i)
{
    struct legacy_collector *to = &c->collector[i];
    gate_wake(&c->to.gates->subcore[subcore]);
    to->op = legacy_latch_take(c->to.in, unit, subcore);
    to->unit = (uint8_t)unit;
    const struct code *code = &c->to.code->code[to->op.code];
    to->missing = code->reads;
    c->count++;
    if (!code->reads)
        c->ready |= UINT64_C(1) << i;
    for (unsigned k = 0; k < code->reads; k++) {
        unsigned number = legacy_bank_of(c->to.config, code->read[k].first, to->op.slot);
        struct legacy_bank *bank = &c->bank[number];
        bank->collector[(bank->head + bank->count++) % LEGACY_WAITING] = (uint8_t)i;
        c->waiting |= UINT64_C(1) << number;
    }
}

/* The oldest instruction for a unit, if its sub-core has a free collector: else it blocks those of the others. */
static bool enter_oldest(struct legacy_collectors *c, unsigned unit)
{
    unsigned subcore = legacy_latch_oldest(c->to.in, unit), each = per_subcore(c);
    for (unsigned i = subcore * each; i < (subcore + 1) * each; i++) {
        if (c->collector[i].op.used)
            continue;
        enter(c, unit, subcore, i);
        return true;
    }
    return false;
}

static bool enter_all(struct legacy_collectors *c)
{
    bool moved = false;
    for (unsigned port = 0; port < c->to.config->collector_ports && c->to.in->count; port++) {
        bool any = false;
        for (unsigned unit = LEGACY_PASS + 1; unit < LEGACY_UNITS; unit++)
            if (c->to.in->taken[unit])
                any |= enter_oldest(c, unit);
        if (!any)
            break;
        moved = true;
    }
    return moved;
}

bool legacy_collectors_cycle(struct legacy_collectors *c)
{
    bool moved = false;
    for (unsigned step = 0; step < c->to.config->operand_steps; step++) {
        moved |= dispatch_ready(c);
        moved |= read_banks(c);
        moved |= enter_all(c);
        c->written = 0;
    }
    return moved;
}
