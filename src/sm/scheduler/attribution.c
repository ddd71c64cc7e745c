#include "sm/scheduler/attribution.h"

#include <assert.h>

#include "sm/units.def"
#include "sm/warp.h"

enum stall_reason attribution_state(const struct scheduler *s, unsigned warp)
{
#define X(set, reason, event)                                                                                          \
    if ((uint32_t)(set) >> warp & 1)                                                                                   \
        return reason;
    ATTRIBUTION_0(X, s)
    ATTRIBUTION_1(X, s)
    ATTRIBUTION_2(X, s)
#undef X
    return STALL_NOT_SELECTED;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static struct line_counters *line_of(const struct attribution_ports *to, unsigned warp)
{
    uint32_t index = to->warp[slot_of(to->subcore, warp)].pc / 16, last = to->code->count;
    return &(*to->lines)[index < last ? index : last];
}

static void log_states(const struct attribution *a, uint32_t warps, enum stall_reason reason)
{
    for (; warps; warps &= warps - 1) {
        uint32_t slot = slot_of(a->to->subcore, lowest_bit32(warps));
        run_log_state(*a->to->log, slot, a->to->warp[slot].pc, reason, a->now, a->weight);
    }
}

static void add_lines(struct attribution *a, uint16_t warps, enum stall_reason reason, enum cycle_event event)
{
    bool first = !(a->events >> event & 1);
    a->warps[event] = (uint16_t)(first ? warps : a->warps[event] | warps);
    for (uint32_t m = warps; m; m &= m - 1)
        line_of(a->to, lowest_bit32(m))->stall[reason] += a->weight;
    if (a->to->log && *a->to->log)
        log_states(a, warps, reason);
}

static struct window_counters *window_of(const struct attribution_ports *to, unsigned warp)
{
    return &to->window[to->warp[slot_of(to->subcore, warp)].window];
}

void attribution_apart(struct attribution *a, uint16_t warps, enum stall_reason reason, enum cycle_event event)
{
    if (*a->to->lines)
        add_lines(a, warps, reason, event);
    for (uint32_t m = warps; m && a->to->code->windows > 1; m &= m - 1)
        window_of(a->to, lowest_bit32(m))->stall[reason] += a->weight;
}

/* Of the warps with the event that takes the cycle, the one that the scheduler would prefer. */
void attribution_cycle_line(const struct attribution *a, enum cycle_event event)
{
    const struct scheduler *s = a->to->scheduler;
    line_of(a->to, scheduler_prefers(s, a->warps[event], a->now))->cycle[event] += a->weight;
}

/* ---- warps that do not issue ------------------------------------------------------------------------------------- */

/* Attributes the warps whose gate is closed, each to the first of its reasons in the order of stalls.def, and returns
 * the others. */
static inline uint32_t attribute_closed(struct attribution *a, const struct scheduler *s, uint32_t rest)
{
#define X(set, reason, event)                                                                                          \
    attribute(a, rest &(uint32_t)(set), reason, event);                                                                \
    rest &= ~(uint32_t)(set);
    if (scheduler_closed(s, 0)) {
        ATTRIBUTION_0(X, s)
    }
    if (scheduler_closed(s, 1)) {
        ATTRIBUTION_1(X, s)
    }
    if (scheduler_closed(s, 2)) {
        ATTRIBUTION_2(X, s)
    }
#undef X
    return rest;
}

/* The queue of this class is full. The profiler's MIO takes special functions and the ADU's instructions too. FP64
 * is a math pipe, also where the SM shares it. */
static void queue_full(struct attribution *a, uint32_t warps, enum issue_class class)
{
    switch (class) {
    case CLASS_ENGINE:
    case CLASS_LG: attribute(a, warps, STALL_LG_THROTTLE, CYCLE_LG_QUEUE); return;
    case CLASS_TENSOR_ENGINE: attribute(a, warps, STALL_MATH_PIPE_THROTTLE, CYCLE_UNIT_QUEUE); return;
    case CLASS_MIO: attribute(a, warps, STALL_MIO_THROTTLE, CYCLE_MIO_QUEUE); return;
    case CLASS_TEX: attribute(a, warps, STALL_TEX_THROTTLE, CYCLE_TEX_QUEUE); return;
#define X(name, class, type, places, queued, stall, event, text)                                                       \
    case CLASS_##class: attribute(a, warps, STALL_##stall, CYCLE_##event); return;
        QUEUED_UNITS(X)
#undef X
    default: assert(false);
    }
}

static void throttled(struct attribution *a, uint32_t warps, enum issue_class class, uint64_t now)
{
    if (unit_choice_queued(a->to->choice, class))
        queue_full(a, warps, class);
    else if (now < a->to->units->blocked_until)
        attribute(a, warps, STALL_DISPATCH_STALL, CYCLE_RESULT_QUEUE);
    else
        attribute(a, warps, STALL_MATH_PIPE_THROTTLE, CYCLE_UNIT_TAKEN);
}

/* Attributes warps whose gate is open and whose unit cannot take their instruction. */
static void attribute_throttled(struct attribution *a, uint32_t warps, uint64_t now)
{
    const struct scheduler *s = a->to->scheduler;
    while (warps) {
        enum issue_class class = (enum issue_class)s->class[lowest_bit32(warps)];
        throttled(a, warps & s->head[class], class, now);
        warps &= ~(uint32_t)s->head[class];
    }
}

void attribution_begin(struct attribution *a, const struct attribution_ports *to, uint32_t eligible, uint64_t now,
                       uint64_t weight)
{
    const struct scheduler *s = to->scheduler;
    a->to = to;
    a->weight = weight;
    a->now = now;
    a->events = 0;
    a->apart = *to->lines || to->code->windows > 1;
    to->n->subcore_cycles_active += weight;
    to->n->warp_cycles += weight * s->residents;
    for (uint32_t m = s->resident; m && to->code->windows > 1; m &= m - 1)
        window_of(to, lowest_bit32(m))->warp_cycles += weight;
    uint32_t others = s->resident & ~eligible;
    if (others)
        others = attribute_closed(a, s, others);
    if (others)
        attribute_throttled(a, others, now);
}

/* ---- cycles without an issue ------------------------------------------------------------------------------------- */

/* Why nothing may issue, if it is not the warps. */
static enum cycle_event held_by(const struct scheduler *s, uint64_t now)
{
    if (now < s->hold_until)
        return CYCLE_CONSTANT_MISS;
    return now < s->ports_until ? CYCLE_REGISTER_PORTS : CYCLE_ISSUE_BUBBLE;
}

void attribute_idle(const struct attribution_ports *to, uint32_t eligible, uint64_t now, uint64_t weight)
{
    struct attribution a;
    attribution_begin(&a, to, eligible, now, weight);
    if (eligible)
        attribute(&a, eligible, STALL_DISPATCH_STALL, held_by(to->scheduler, now));
    attribution_end(&a);
}

void attribute_no_warp(const struct attribution_ports *to, uint64_t weight)
{
    to->n->cycle[CYCLE_NO_WARP] += weight;
    if (*to->lines)
        (*to->lines)[to->code->count].cycle[CYCLE_NO_WARP] += weight;
}
