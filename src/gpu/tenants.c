#include "gpu/tenants.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "gpu/timed.h"

/* ---- whose the SM is --------------------------------------------------------------------------------------------- */

static uint32_t window_of(const struct tenants *m, const struct kernel_run *k)
{
    uint32_t window = 0;
    while (window < CODE_WINDOWS && m->grid[window] != k)
        window++;
    return window;
}

void tenants_begin(struct timed_sm *s, struct kernel_run *k)
{
    s->tenants = (struct tenants){.grid[0] = k, .carveout = k->occupancy->carveout};
}

void tenants_leave(struct timed *t, uint32_t sm)
{
    struct tenants *m = &t->sms[sm].tenants;
    if (tenants_first(&t->sms[sm]))
        tenants_count(t, sm);
    for (uint32_t w = 0; w < CODE_WINDOWS; w++) {
        if (m->grid[w])
            m->grid[w]->sms--;
        m->grid[w] = NULL;
    }
}

struct kernel_run *tenants_first(const struct timed_sm *s)
{
    for (uint32_t w = 0; w < CODE_WINDOWS; w++)
        if (s->tenants.grid[w])
            return s->tenants.grid[w];
    return NULL;
}

bool tenants_has(const struct timed_sm *s, const struct kernel_run *k)
{
    return window_of(&s->tenants, k) < CODE_WINDOWS;
}

bool tenants_alone(const struct timed_sm *s, const struct kernel_run *k)
{
    return !s->tenants.shared && s->tenants.grid[0] == k;
}

const struct unwaited *tenants_unwaited(const struct timed_sm *s, const struct kernel_run *k)
{
    uint32_t window = window_of(&s->tenants, k);
    return window < CODE_WINDOWS ? &s->sm.lsu.unwaited[window] : NULL;
}

struct kernel_run *tenants_of_slot(const struct timed_sm *s, uint32_t cta_slot)
{
    return s->tenants.grid[s->tenants.cta[cta_slot].place.window];
}

/* ---- resources that CTAs take ------------------------------------------------------------------------------------ */

struct taken {
    uint64_t warps; /* slots, a bit each */
    uint32_t slots; /* CTA slots, a bit each */
    uint32_t registers[SM_SUBCORES];
    uint32_t threads, shared, ctas;
};

static uint64_t warp_mask(uint32_t first, uint32_t warps)
{
    uint64_t all = warps < 64 ? (UINT64_C(1) << warps) - 1 : UINT64_MAX;
    return all << first;
}

static void add(struct taken *taken, const struct kernel_run *k, const struct cta_placement *place)
{
    taken->warps |= warp_mask(place->first_warp, place->warps);
    taken->slots |= UINT32_C(1) << place->slot;
    for (uint32_t w = 0; w < place->warps; w++)
        taken->registers[slot_subcore(place->first_warp + w)] += k->occupancy->registers_per_warp;
    taken->threads += place->warps * 32u;
    taken->shared += k->occupancy->shared_per_cta;
    taken->ctas++;
}

static struct taken taken_of(const struct timed_sm *s)
{
    struct taken taken = {0};
    for (uint32_t i = 0; i < SM_CTAS; i++)
        if (s->tenants.cta[i].used)
            add(&taken, tenants_of_slot(s, i), &s->tenants.cta[i].place);
    return taken;
}

static bool has_registers(const struct config_sm *sm, const struct taken *taken, const struct kernel_run *k,
                          const struct cta_placement *place)
{
    struct taken with = *taken;
    add(&with, k, place);
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        if (with.registers[p] > sm->registers / sm->subcores)
            return false;
    return true;
}

/* Finds slots for a further CTA: the first that are free. */
static bool fits(const struct config_sm *sm, const struct taken *taken, uint32_t carveout, const struct kernel_run *k,
                 struct cta_placement *place)
{
    uint32_t warps = k->launch.warps_per_cta;
    if (taken->ctas >= sm->ctas || taken->shared + k->occupancy->shared_per_cta > carveout ||
        taken->threads + warps * 32 > sm->threads)
        return false;
    *place = (struct cta_placement){
        .slot = (uint8_t)lowest_bit32(~taken->slots), .warps = (uint16_t)warps, .waits = k->waits};
    for (uint32_t first = 0; first + warps <= sm->warps; first++) {
        place->first_warp = (uint16_t)first;
        if (!(taken->warps & warp_mask(first, warps)) && has_registers(sm, taken, k, place))
            return true;
    }
    return false;
}

/* A window for the kernel: its own, or one that no kernel has. CODE_WINDOWS: none. */
static uint32_t find_window(const struct timed_sm *s, const struct kernel_run *k)
{
    uint32_t window = window_of(&s->tenants, k);
    return window < CODE_WINDOWS ? window : window_of(&s->tenants, NULL);
}

uint32_t tenants_room(const struct timed *t, uint32_t sm, const struct kernel_run *k)
{
    const struct timed_sm *s = &t->sms[sm];
    struct cta_placement place;
    uint32_t room = 0;
    if (!tenants_first(s) || !code_table_shares(&s->sm.code, &k->table) || find_window(s, k) == CODE_WINDOWS)
        return 0;
    for (struct taken taken = taken_of(s); fits(&t->config->sm, &taken, s->tenants.carveout, k, &place); room++)
        add(&taken, k, &place);
    return room;
}

/* A kernel of which the SM has no CTA any more, and no store under way, is none of its. */
static void drop_empty(struct timed_sm *s)
{
    struct tenants *m = &s->tenants;
    for (uint32_t w = 0; w < CODE_WINDOWS; w++) {
        if (!m->grid[w] || m->ctas[w] > 0 || s->sm.lsu.unwaited[w].count > 0)
            continue;
        m->grid[w]->sms--;
        m->grid[w] = NULL;
    }
}

static void join(struct timed *t, uint32_t sm, struct kernel_run *k, uint32_t window)
{
    struct timed_sm *s = &t->sms[sm];
    tenants_count(t, sm);
    drop_empty(s);
    sm_add_window(&s->sm, window, &k->table);
    if (t->config->launch.preload)
        l15_preload(&s->sm.l15, window, k->launch.bank_bytes[0]);
    s->tenants.grid[window] = k;
    s->tenants.ctas[window] = 0;
    s->tenants.shared = true;
    k->sms++;
}

bool tenants_choose(struct timed *t, uint32_t sm, struct kernel_run *k, struct cta_placement *place,
                    struct status *status)
{
    struct timed_sm *s = &t->sms[sm];
    const struct taken taken = taken_of(s);
    const struct machine *machine = &k->launch.machine;
    uint32_t window = find_window(s, k);
    bool found = fits(&t->config->sm, &taken, s->tenants.carveout, k, place);
    assert(found && window < CODE_WINDOWS);
    (void)found;
    if (!machine->take_slot(machine->self, sm, place->slot, status))
        return false;
    if (s->tenants.grid[window] != k)
        join(t, sm, k, window);
    place->window = (uint8_t)window;
    return true;
}

void tenants_take(struct timed_sm *s, const struct cta_placement *place)
{
    s->tenants.cta[place->slot] = (struct tenant_cta){true, *place};
    s->tenants.ctas[place->window]++;
    s->tenants.count++;
}

void tenants_release(struct timed *t, uint32_t sm, uint32_t cta_slot)
{
    struct tenants *m = &t->sms[sm].tenants;
    uint32_t window = m->cta[cta_slot].place.window;
    m->cta[cta_slot].used = false;
    m->count--;
    if (--m->ctas[window] > 0 || m->count == 0)
        return; /* the last kernel of an SM stays until another takes it */
    tenants_count(t, sm);
    drop_empty(&t->sms[sm]);
}

void tenants_settle(struct timed *t, uint32_t sm)
{
    const struct tenants *m = &t->sms[sm].tenants;
    uint32_t kernels = 0;
    for (uint32_t w = 0; w < CODE_WINDOWS; w++)
        kernels += m->grid[w] != NULL;
    if (kernels < 2)
        return;                     /* as in tenants_release */
    sm_run(&t->sms[sm].sm, t->end); /* idle cycles count up to here, skipped or not */
    tenants_count(t, sm);
    drop_empty(&t->sms[sm]);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

enum { COUNTERS = sizeof(struct sm_counters) / sizeof(uint64_t) };
_Static_assert(sizeof(struct sm_counters) % sizeof(uint64_t) == 0, "counters of 64 bits");

static void collect_lines(const struct sm *sm, struct line_profile *profile)
{
    for (uint32_t i = 0; sm->lines && sm->n.cycles_active && i <= profile->count; i++)
        line_counters_add(&profile->line[i], &sm->lines[i]);
}

static void count_alone(const struct timed *t, uint32_t index, struct kernel_run *k)
{
    const struct sm *sm = &t->sms[index].sm;
    struct kernel_result *r = k->result;
    sm_counters_add(&r->sm, &sm->n);
    r->thread_instructions += sm->n.thread_inst_executed_pred_on;
    k->active[index] += sm->n.cycles_active;
    if (t->lines)
        collect_lines(sm, t->lines);
}

/* The share `part` / `whole` of the SM's counts, and the counts of the kernel's own warps. */
static void count_part(struct sm *sm, uint32_t index, struct kernel_run *k, const struct window_counters *own,
                       uint64_t before, uint64_t whole)
{
    struct sm_counters n = sm->n;
    uint64_t *counter = (uint64_t *)&n;
    uint64_t after = before + own->inst_executed;
    for (uint32_t i = 0; i < COUNTERS; i++)
        counter[i] = (uint64_t)((unsigned __int128)counter[i] * after / whole) -
                     (uint64_t)((unsigned __int128)counter[i] * before / whole);
    n.cycles_active = sm->n.cycles_active;
    n.inst_issued = n.inst_executed = own->inst_executed;
    n.thread_inst_executed = own->thread_inst_executed;
    n.thread_inst_executed_pred_on = own->thread_inst_executed_pred_on;
    n.warp_cycles = own->warp_cycles;
    memcpy(n.stall, own->stall, sizeof n.stall);
    n.warps = own->warps;
    n.ctas = own->ctas;
    sm_counters_add(&k->result->sm, &n);
    k->result->thread_instructions += own->thread_inst_executed_pred_on;
    k->active[index] += n.cycles_active;
}

static void count_shared(struct timed *t, uint32_t index)
{
    const struct tenants *m = &t->sms[index].tenants;
    struct sm *sm = &t->sms[index].sm;
    uint64_t before = 0, whole = 0;
    for (uint32_t w = 0; w < CODE_WINDOWS; w++)
        whole += m->grid[w] ? sm->window[w].inst_executed : 0;
    for (uint32_t w = 0; w < CODE_WINDOWS; w++) {
        if (!m->grid[w])
            continue;
        if (!m->grid[w]->ended)
            count_part(sm, index, m->grid[w], &sm->window[w], before, whole ? whole : 1);
        before += sm->window[w].inst_executed;
    }
}

void tenants_count(struct timed *t, uint32_t index)
{
    struct timed_sm *s = &t->sms[index];
    struct kernel_run *k = tenants_first(s);
    if (s->sm.now < t->now)
        sm_run(&s->sm, t->now);
    if (s->tenants.shared)
        count_shared(t, index);
    else if (!k->ended)
        count_alone(t, index, k);
    memset(s->sm.window, 0, sizeof s->sm.window);
    t->counted += s->sm.n.inst_executed;
    s->sm.n = (struct sm_counters){0};
}

uint64_t tenants_instructions(const struct timed_sm *s, const struct kernel_run *k)
{
    uint32_t window = window_of(&s->tenants, k);
    if (window == CODE_WINDOWS)
        return 0;
    return s->tenants.shared ? s->sm.window[window].inst_executed : s->sm.n.inst_executed;
}

/* ---- other grids ------------------------------------------------------------------------------------------------- */

bool tenants_acquire(struct timed_sm *s, const struct kernel_run *k, uint64_t now)
{
    uint32_t window = window_of(&s->tenants, k);
    bool some = false;
    if (window == CODE_WINDOWS)
        return false;
    if (s->sm.now < now)
        sm_run(&s->sm, now); /* nothing moves until then */
    for (uint32_t i = 0; i < s->queue.count; i++)
        if (s->queue.start[i].place.window == window)
            s->queue.start[i].place.waits = false;
    for (uint32_t i = 0; i < SM_CTAS; i++)
        if (s->sm.cta[i].used && s->sm.cta[i].window == window)
            some |= grid_link_acquire(&s->sm.grids, i);
    return some;
}
