#include "base/bits.h"
#include "sm/scheduler/scheduler.h"

/* Warps in the order of their turns. */
struct queue {
    uint8_t count, warp[SUBCORE_WARPS];
};

struct two_level {
    struct queue active, pending;
};

static void append(struct queue *q, unsigned warp) { q->warp[q->count++] = (uint8_t)warp; }

/* Takes the i-th warp out. */
static uint8_t take(struct queue *q, unsigned i)
{
    uint8_t warp = q->warp[i];
    q->count--;
    for (; i < q->count; i++)
        q->warp[i] = q->warp[i + 1];
    return warp;
}

static bool take_warp(struct queue *q, unsigned warp)
{
    for (unsigned i = 0; i < q->count; i++)
        if (q->warp[i] == warp) {
            take(q, i);
            return true;
        }
    return false;
}

/* Warps that wait for memory or for other warps. */
static uint32_t waiting(const struct scheduler *s)
{
    return (uint32_t)(s->closed[STALL_LONG_SCOREBOARD] | s->closed[STALL_BARRIER] | s->closed[STALL_MEMBAR] |
                      s->closed[STALL_SLEEPING] | s->closed[STALL_WARPGROUP_ARRIVE] | s->closed[STALL_DRAIN]);
}

/* Active warps that wait become pending. Pending ones that do not wait take their places, the first one first. */
static void arrange(const struct scheduler *s, struct two_level *t)
{
    uint32_t waits = waiting(s);
    for (unsigned i = 0; i < t->active.count;)
        if (waits >> t->active.warp[i] & 1)
            append(&t->pending, take(&t->active, i));
        else
            i++;
    for (unsigned i = 0; i < t->pending.count && t->active.count < s->active_warps;)
        if (waits >> t->pending.warp[i] & 1)
            i++;
        else
            append(&t->active, take(&t->pending, i));
}

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)now;
    struct two_level t = *(const struct two_level *)state;
    arrange(s, &t);
    for (unsigned i = 0; i < t.active.count; i++)
        if (eligible >> t.active.warp[i] & 1)
            return t.active.warp[i];
    return SCHEDULER_NONE;
}

static void event(const struct scheduler *s, void *state, enum scheduler_event what, unsigned warp, uint64_t line)
{
    (void)line;
    struct two_level *t = state;
    if (what == SCHEDULER_STARTS)
        append(&t->pending, warp);
    if (what == SCHEDULER_LEAVES && !take_warp(&t->active, warp))
        take_warp(&t->pending, warp);
    if (what == SCHEDULER_ISSUES) {
        arrange(s, t);
        if (take_warp(&t->active, warp))
            append(&t->active, warp);
    }
}

/* Two levels (Gebhart et al., ISCA 2011; Narasiman et al., MICRO 2011): GPGPU-Sim's two_level_active:N:0:1. Places of
 * waiting warps are given away when the next instruction issues, not in each cycle. */
const struct scheduler_policy scheduler_two_level = {
    .name = "two-level",
    .summary = "`core.scheduler_warps` active warps in turn; one that waits for memory or others goes behind the rest",
    .state_bytes = sizeof(struct two_level),
    .always_asked = true,
    .choose = choose,
    .event = event,
};
