#include "sm/write_back.h"

#include "sm/dependence.h"
#include "sm/dispatch.h"

static bool try_write(struct sm *sm, uint16_t token, uint64_t now)
{
    struct access *a = &sm->lsu.table.access[token];
    struct write_ports *ports = &sm->partition[a->partition].registers.write;
    unsigned bank = write_back_bank(a->code);
    if (!write_ports_free(ports, bank, now))
        return false;
    nap_end(sm, a->partition);
    write_ports_take(ports, bank, now);
    dependence_result_written(sm, a->slot, a->code, now);
    lsu_complete(sm, token);
    return true;
}

void write_back_arrive(struct sm *sm, uint16_t token)
{
    struct partition *p = &sm->partition[sm->lsu.table.access[token].partition];
    struct write_ring *waiting = &p->write_back.waiting;
    if (write_ring_empty(waiting) && try_write(sm, token, sm->now))
        return;
    *write_ring_push(waiting, sm->now) = token;
    dispatch_wake(sm, p, sm->now + 1);
}

bool write_back_cycle(struct sm *sm, unsigned partition, uint64_t now)
{
    struct write_ring *waiting = &sm->partition[partition].write_back.waiting;
    if (write_ring_empty(waiting) || !try_write(sm, *write_ring_front(waiting), now))
        return false;
    write_ring_pop(waiting);
    return true;
}
