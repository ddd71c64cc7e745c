#include "sm/memory/load_order.h"

#include "sm/memory/lsu.h"
#include "sm/sm.h"

void load_order_join(struct sm *sm, uint16_t token)
{
    struct access *a = &sm->lsu.table.access[token];
    struct load_order *o = &sm->warp[a->slot].order;
    if (o->count++ == 0)
        o->oldest = token;
    else
        sm->lsu.table.access[o->youngest].next = token;
    o->youngest = token;
}

void load_order_answer(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.table.access[token];
    struct load_order *o = &sm->warp[a->slot].order;
    a->answered = true;
    while (o->count && sm->lsu.table.access[o->oldest].answered) {
        uint16_t oldest = o->oldest;
        o->oldest = sm->lsu.table.access[oldest].next;
        o->count--;
        uint64_t from = ready > o->last ? ready : o->last;
        o->last = lsu_return(sm, oldest, RETURN_GLOBAL, from, sm->config->lsu.return_bytes, 1);
    }
}
