#include "sm/memory/load_order.h"

#include "base/order.h"
#include "sm/memory/delivery.h"

void load_order_join(struct load_order *o, struct pending_table *table, uint16_t token)
{
    if (o->count++ == 0)
        o->oldest = token;
    else
        table->access[o->youngest].next = token;
    o->youngest = token;
}

void load_order_answer(struct load_order *o, const struct delivery *delivery, uint16_t token, uint64_t ready,
                       uint32_t bytes_per_cycle)
{
    struct access *access = delivery->table->access;
    access[token].answered = true;
    while (o->count && access[o->oldest].answered) {
        uint16_t oldest = o->oldest;
        o->oldest = access[oldest].next;
        o->count--;
        o->last = delivery_send(delivery, oldest, RETURN_GLOBAL, latest(ready, o->last), bytes_per_cycle, 1);
    }
}
