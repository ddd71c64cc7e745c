#include "sm/execute/write_back.h"

static bool try_write(struct write_back *w, uint16_t token, uint64_t now)
{
    const struct access *a = &w->to.table->access[token];
    unsigned bank = write_bank(a->code);
    if (!write_ports_free(w->to.ports, bank, now))
        return false;
    write_ports_take(w->to.ports, bank, now);
    retire_result_written(w->to.retire, a->slot, a->code, now);
    return true;
}

bool write_back_arrive(struct write_back *w, uint16_t token, uint64_t now)
{
    if (write_ring_empty(&w->waiting) && try_write(w, token, now))
        return true;
    *write_ring_push(&w->waiting, now) = token;
    queue_clock_wake(w->to.clock, now + 1);
    return false;
}

uint16_t write_back_cycle(struct write_back *w, uint64_t now)
{
    if (write_ring_empty(&w->waiting) || !try_write(w, *write_ring_front(&w->waiting), now))
        return LSU_NO_TOKEN;
    uint16_t token = *write_ring_front(&w->waiting);
    write_ring_pop(&w->waiting);
    return token;
}
