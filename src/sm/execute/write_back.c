#include "sm/execute/write_back.h"

#include "sm/execute/dispatch.h"
#include "sm/issue/dependence.h"

static bool try_write(struct sm *sm, uint16_t token, uint64_t now)
{
    struct access *a = &sm->lsu.table.access[token];
    struct write_ports *ports = &sm->subcore[a->subcore].registers.write;
    unsigned bank = write_back_bank(a->code);
    if (!write_ports_free(ports, bank, now))
        return false;
    nap_end(sm, a->subcore);
    write_ports_take(ports, bank, now);
    retire_result_written(&sm->retire, a->slot, a->code, now);
    lsu_complete(sm, token);
    return true;
}

void write_back_arrive(struct sm *sm, uint16_t token)
{
    struct subcore *p = &sm->subcore[sm->lsu.table.access[token].subcore];
    struct write_ring *waiting = &p->write_back.waiting;
    if (write_ring_empty(waiting) && try_write(sm, token, sm->now))
        return;
    *write_ring_push(waiting, sm->now) = token;
    dispatch_wake(sm, p, sm->now + 1);
}

bool write_back_cycle(struct sm *sm, unsigned subcore, uint64_t now)
{
    struct write_ring *waiting = &sm->subcore[subcore].write_back.waiting;
    if (write_ring_empty(waiting) || !try_write(sm, *write_ring_front(waiting), now))
        return false;
    write_ring_pop(waiting);
    return true;
}
