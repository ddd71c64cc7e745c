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
    ATTRIBUTION_3(X, s)
#undef X
    return STALL_NOT_SELECTED;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static struct line_counters *line_of(const struct attribution_ports *to, unsigned warp)
{
    uint32_t index = to->warp[slot_of(to->subcore, warp)].pc / 16, last = to->code->count;
    return &(*to->lines)[index < last ? index : last];
}

static void log_states(const struct attribution_ports *to, uint32_t warps, enum stall_reason reason, uint64_t now,
                       uint64_t weight)
{
    for (; warps; warps &= warps - 1) {
        uint32_t slot = slot_of(to->subcore, lowest_bit32(warps));
        run_log_state(*to->log, slot, to->warp[slot].pc, reason, now, weight);
    }
}

static struct window_counters *window_of(const struct attribution_ports *to, unsigned warp)
{
    return &to->window[to->warp[slot_of(to->subcore, warp)].window];
}

void attribution_apart(const struct attribution_ports *to, uint16_t warps, enum stall_reason reason,
                       enum cycle_event event, bool first, uint64_t now, uint64_t weight)
{
    if (*to->lines) {
        to->warps[event] = (uint16_t)(first ? warps : to->warps[event] | warps);
        for (uint32_t m = warps; m; m &= m - 1)
            line_of(to, lowest_bit32(m))->stall[reason] += weight;
        if (to->log && *to->log)
            log_states(to, warps, reason, now, weight);
    }
    for (uint32_t m = warps; m && to->code->windows > 1; m &= m - 1)
        window_of(to, lowest_bit32(m))->stall[reason] += weight;
}

void attribution_windows(const struct attribution_ports *to, uint64_t weight)
{
    for (uint32_t m = to->scheduler->resident; m && to->code->windows > 1; m &= m - 1)
        window_of(to, lowest_bit32(m))->warp_cycles += weight;
}

/* Of the warps with the event that takes the cycle, the one that the scheduler would prefer in cycle 0: cycles without
 * an issue are attributed together, so that a preference that changes with time must not decide. */
void attribution_cycle_line(const struct attribution_ports *to, enum cycle_event event, uint64_t weight)
{
    line_of(to, scheduler_prefers(to->scheduler, to->warps[event], 0))->cycle[event] += weight;
}

/* ---- units that take nothing ------------------------------------------------------------------------------------- */

/* The queue of this class is full. The profiler's MIO takes special functions and the ADU's instructions too. FP64
 * is a math pipe, also where the SM shares it. */
struct attribution_throttle attribution_queue_full(enum issue_class class)
{
    switch (class) {
    case CLASS_ENGINE:
    case CLASS_LG: return (struct attribution_throttle){STALL_LG_THROTTLE, CYCLE_LG_QUEUE};
    case CLASS_TENSOR_ENGINE: return (struct attribution_throttle){STALL_MATH_PIPE_THROTTLE, CYCLE_UNIT_QUEUE};
    case CLASS_MIO: return (struct attribution_throttle){STALL_MIO_THROTTLE, CYCLE_MIO_QUEUE};
    case CLASS_TEX: return (struct attribution_throttle){STALL_TEX_THROTTLE, CYCLE_TEX_QUEUE};
#define X(name, class, type, places, queued, stall, event, text)                                                       \
    case CLASS_##class: return (struct attribution_throttle){STALL_##stall, CYCLE_##event};
        QUEUED_UNITS(X)
#undef X
    default: assert(false); return (struct attribution_throttle){STALL_MISC, CYCLE_UNIT_TAKEN};
    }
}

/* ---- cycles without an issue ------------------------------------------------------------------------------------- */

/* Why nothing may issue, if it is not the warps. */
static enum cycle_event held_by(const struct scheduler *s, uint64_t now)
{
    if (now < s->hold_until)
        return CYCLE_CONSTANT_MISS;
    return now < s->ports_until ? CYCLE_REGISTER_PORTS : CYCLE_ISSUE_BUBBLE;
}

static inline __attribute__((always_inline)) void idle(const struct attribution_ports *to, uint32_t eligible,
                                                       uint64_t now, uint64_t weight)
{
    struct attribution a = attribution_begin(to, eligible, now, weight);
    if (eligible)
        attribute(&a, eligible, STALL_DISPATCH_STALL, held_by(to->scheduler, now));
    attribution_end(&a);
}

/* Mostly one cycle, which needs no products. */
void attribute_idle(const struct attribution_ports *to, uint32_t eligible, uint64_t now, uint64_t weight)
{
    if (weight == 1)
        idle(to, eligible, now, 1);
    else
        idle(to, eligible, now, weight);
}
