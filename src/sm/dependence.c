#include "sm/dependence.h"

#include "sm/issue.h"
#include "sm/sm.h"

static void set_bit(uint16_t *set, unsigned warp, bool on)
{
    *set = (uint16_t)(on ? *set | 1u << warp : *set & ~(1u << warp));
}

void dependence_update(struct sm *sm, unsigned partition, unsigned warp)
{
    struct scheduler *s = &sm->partition[partition].scheduler;
    const struct sm_warp *w = &sm->warp[slot_of(partition, warp)];
    uint8_t waits = dependence_counters_waits(&w->counters, &sm->code->code[w->pc / 16]);
    set_bit(&s->long_scoreboard, warp, waits & w->counters.global);
    set_bit(&s->short_scoreboard, warp, waits & ~w->counters.global);
    set_bit(&s->mio_data, warp, waits & w->counters.mio);
}

void dependence_issue(struct sm *sm, unsigned partition, unsigned warp, const struct code *code, uint64_t now)
{
    if (code->write_sb == ISA_NO_SB && code->read_sb == ISA_NO_SB)
        return;
    sm->warp[slot_of(partition, warp)].counters.under_way++;
    *increments_push(&sm->partition[partition].increments, now + SB_VISIBLE) =
        (struct increment){(uint8_t)warp, code->write_sb, code->read_sb, counted_of(code)};
}

static void lower_at(struct sm *sm, uint32_t slot, uint8_t counter, uint64_t when)
{
    if (counter != ISA_NO_SB)
        calendar_add(&sm->calendar, when, (struct event){EVENT_SB_RELEASE, (uint8_t)slot, counter});
}

void dependence_sources_read(struct sm *sm, uint32_t slot, const struct code *code, uint64_t when)
{
    lower_at(sm, slot, code->read_sb, when);
}

void dependence_result_written(struct sm *sm, uint32_t slot, const struct code *code, uint64_t when)
{
    lower_at(sm, slot, code->write_sb, when);
    if (sm->observer && sm->observer->written && !(code->flags & CODE_FIXED))
        sm->observer->written(sm->observer->self, sm->id, slot, (uint32_t)(code - sm->code->code) * 16, when);
}

bool dependence_control(struct sm *sm, unsigned partition, uint64_t now)
{
    struct increments *ring = &sm->partition[partition].increments;
    bool moved = false;
    while (increments_ready(ring, now)) {
        struct increment i = *increments_front(ring);
        increments_pop(ring);
        struct sm_warp *w = &sm->warp[slot_of(partition, i.warp)];
        dependence_counters_raise(&w->counters, i.write_sb, i.by);
        dependence_counters_raise(&w->counters, i.read_sb, i.by);
        w->counters.under_way--;
        if (!w->exited)
            dependence_update(sm, partition, i.warp);
        moved = true;
    }
    return moved;
}

void dependence_event(struct sm *sm, struct event event)
{
    struct sm_warp *w = &sm->warp[event.warp];
    dependence_counters_lower(&w->counters, (uint8_t)event.a);
    if (w->exited)
        issue_try_retire(sm, event.warp);
    else
        dependence_update(sm, event.warp % SM_PARTITIONS, event.warp / SM_PARTITIONS);
}

bool dependence_idle(const struct sm *sm, uint32_t slot) { return dependence_counters_idle(&sm->warp[slot].counters); }
