#include "sm/legacy/scheduler.h"

#include "sm/memory/lsu.h"
#include "sm/warp.h"

/* Classes of the units' instructions. Engines beside the core have theirs. */
static enum legacy_unit unit_of_class(unsigned class)
{
    switch (class) {
#define X(id, name, key)                                                                                               \
    case CLASS_##name: return LEGACY_##id;
        LEGACY_UNIT_LIST(X)
#undef X
    case CLASS_LG:
    case CLASS_MIO: return LEGACY_MEM;
    default: return LEGACY_PASS;
    }
}

static bool takes(const struct legacy_scheduler *s, unsigned class, uint64_t now)
{
    enum legacy_unit unit = unit_of_class(class);
    const struct issue *u = s->to.issue;
    if (unit == LEGACY_PASS)
        return dispatch_free(u->dispatch, (enum issue_class) class) <= now;
    return !legacy_latch_taken(s->to.out, unit, u->subcore) && (unit != LEGACY_MEM || u->memory->table.free_count);
}

/* The warps that can issue. */
static uint32_t eligible(const struct legacy_scheduler *s, uint64_t now)
{
    const struct scheduler *warps = s->to.issue->gate->scheduler;
    uint32_t out = warps->resident & ~scheduler_held(warps);
    for (uint32_t left = out; left;) { /* class by class */
        unsigned class = warps->class[lowest_bit32(left)];
        uint32_t same = left & warps->head[class];
        if (class == CLASS_WARPGROUP)
            out &= ~(same & *s->to.issue->dispatch->products_full);
        if (!takes(s, class, now))
            out &= ~same;
        left &= ~same;
    }
    return out;
}

/* The place of an instruction that no unit of the core has: it goes to the engine at once. */
static void pass(const struct legacy_scheduler *s, uint32_t slot, const struct code *code, uint64_t now)
{
    if (code->class == CLASS_WARPGROUP)
        retire_result_written(s->to.issue->retire, slot, code, now + code->latency);
}

/* Returns the unit that the instruction goes to. */
static enum legacy_unit issue(const struct legacy_scheduler *s, unsigned warp, uint64_t now)
{
    const struct issue *u = s->to.issue;
    uint32_t slot = slot_of(u->subcore, warp);
    struct sm_warp *w = &u->warp[slot];
    const struct code *code = &s->to.code->code[w->pc / 16];
    enum legacy_unit unit = legacy_unit_of(code);
    if (unit != LEGACY_PASS && code->memory == ISA_MEM_NONE)
        w->queued_ops++;
    uint16_t token = issue_collected(u, warp, code, now);
    if (code->flags & CODE_INVALIDATE)
        legacy_l1_invalidate(&s->to.memory->l1);
    if (unit == LEGACY_PASS) {
        pass(s, slot, code, now);
        return unit;
    }
    if (token != LSU_NO_TOKEN)
        legacy_load_store_issue(s->to.memory, token, u->issued);
    struct legacy_op op = {(uint32_t)(code - s->to.code->code), ++*s->to.age, token, (uint8_t)slot, true};
    legacy_latch_put(s->to.out, unit, u->subcore, op);
    return unit;
}

/* The warp's next instruction, after one to `first`. */
static void issue_second(const struct legacy_scheduler *s, unsigned warp, enum legacy_unit first, uint64_t now)
{
    const struct scheduler *warps = s->to.issue->gate->scheduler;
    if (!(warps->resident & ~scheduler_held(warps) & 1u << warp))
        return;
    enum legacy_unit second = unit_of_class(warps->class[warp]);
    if (!(eligible(s, now) >> warp & 1) || (second == first && s->to.config->issue_different))
        return;
    issue(s, warp, now);
}

static bool issue_one(const struct legacy_scheduler *s, uint32_t warps, uint64_t now)
{
    const struct issue *u = s->to.issue;
    struct attribution a = attribution_begin(u->attribution, warps, now, 1);
    int chosen = scheduler_choose(u->gate->scheduler, (uint16_t)warps, now);
    uint32_t selected = chosen == SCHEDULER_NONE ? 0 : UINT32_C(1) << chosen;
    enum cycle_event event = selected ? CYCLE_ISSUE : CYCLE_ISSUE_BUBBLE;
    attribute(&a, selected, STALL_SELECTED, event);
    attribute(&a, warps & ~selected, STALL_NOT_SELECTED, event);
    attribution_end(&a);
    if (!selected)
        return false;
    u->n->eligible_cycles += popcount32(warps);
    u->n->issue_active++;
    enum legacy_unit first = issue(s, (unsigned)chosen, now);
    if (s->to.config->issue_width > 1)
        issue_second(s, (unsigned)chosen, first, now);
    return true;
}

/* A warp that waits for results of pipelines alone counts as one that waits for its stall count, without knowing until
 * when. A warp with an atomic under way waits for that. */
static void close_gates(const struct legacy_scheduler *s)
{
    const struct issue *u = s->to.issue;
    struct scheduler *warps = u->gate->scheduler;
    for (uint32_t m = warps->resident; m; m &= m - 1)
        if (u->warp[slot_of(u->subcore, lowest_bit32(m))].atomics)
            scheduler_set(&warps->closed[STALL_LONG_SCOREBOARD], lowest_bit32(m), true);
    uint32_t results = warps->closed[STALL_SHORT_SCOREBOARD] & ~(uint32_t)warps->mio_data;
    results &= ~(uint32_t)(warps->closed[STALL_LONG_SCOREBOARD] | warps->closed[STALL_SLEEPING]);
    for (uint32_t m = results | warps->closed[STALL_WAIT]; m; m &= m - 1) {
        unsigned warp = lowest_bit32(m);
        bool waits = results >> warp & 1;
        if (waits || scheduler_stalled_until(warps, warp, UINT64_MAX))
            scheduler_set(&warps->closed[STALL_WAIT], warp, waits);
        if (waits)
            warps->stall_until[warp] = UINT64_MAX;
    }
}

bool legacy_scheduler_cycle(const struct legacy_scheduler *s, uint64_t now)
{
    const struct issue *u = s->to.issue;
    struct scheduler *warps = u->gate->scheduler;
    if (nap_goes_on(s->to.nap, now))
        return false;
    if (warps->next_wake <= now)
        scheduler_wake(warps, now);
    close_gates(s);
    uint32_t can = eligible(s, now);
    if (can)
        return issue_one(s, can, now) || true;
    uint32_t fetched = warps->closed[STALL_NO_INSTRUCTION] & ~(uint32_t)warps->closed[STALL_DRAIN];
    if (!s->to.naps || fetched || !u->memory->table.free_count) { /* behind issue in this cycle; without notice */
        attribute_idle(u->attribution, 0, now, 1);
        return false;
    }
    uint64_t until = increments_next(&u->dependence->increments);
    nap_start(s->to.nap, now, earliest(until > now ? until : now + 1, warps->next_wake), 0);
    return false;
}
