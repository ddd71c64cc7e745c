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
    if (write_back_empty(w) && try_write(w, token, now))
        return true;
    w->waiting[w->end++ % LSU_TOKENS] = token;
    queue_clock_wake(w->to.clock, now + 1);
    return false;
}

uint16_t write_back_cycle(struct write_back *w, uint64_t now)
{
    if (write_back_empty(w))
        return LSU_NO_TOKEN;
    uint16_t token = w->waiting[w->first % LSU_TOKENS];
    if (!try_write(w, token, now))
        return LSU_NO_TOKEN;
    w->first++;
    return token;
}
