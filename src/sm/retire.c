#include "sm/retire.h"

#include "sm/issue/scoreboard.h"

static void announce(struct retire *r, enum event_kind kind, uint32_t slot, uint32_t a, uint64_t when)
{
    calendar_add(r->to.calendar, when, (struct event){(uint8_t)kind, (uint8_t)slot, a});
}

static uint32_t number_of(const struct retire *r, const struct code *code)
{
    return (uint32_t)(code - r->to.code->code);
}

void retire_sources_read(struct retire *r, uint32_t slot, const struct code *code, uint64_t when)
{
    if (code->read_sb != ISA_NO_SB)
        retire_counter(r, slot, code->read_sb, when);
    if (r->to.code->scoreboard && code_registers_of(r->to.code, code)->reads)
        announce(r, EVENT_SOURCES_READ, slot, number_of(r, code), when);
}

void retire_result_written(struct retire *r, uint32_t slot, const struct code *code, uint64_t when)
{
    const struct sm_observer *observer = *r->to.observer;
    if (code->write_sb != ISA_NO_SB)
        retire_counter(r, slot, code->write_sb, when);
    if (r->to.code->scoreboard && !(code->flags & CODE_FIXED) && code_registers_of(r->to.code, code)->writes)
        announce(r, EVENT_RESULT_WRITTEN, slot, number_of(r, code), when);
    if (observer && observer->written)
        observer->written(observer->self, r->to.sm, slot, number_of(r, code) * 16, when);
}
