#include "mem/l2_link.h"

#include "base/bits.h"
#include "base/order.h"

bool l2_link_create(struct l2_link *link, const struct l2_model *model, struct arena *arena)
{
    for (unsigned c = 0; c < L2_CHANNELS; c++)
        if (!bus_create(&link->wire[c], model->link_period[c], arena))
            return false;
    l2_link_reset(link);
    return true;
}

void l2_link_reset(struct l2_link *link)
{
    for (unsigned c = 0; c < L2_CHANNELS; c++) {
        bus_reset(&link->wire[c]);
        link->list[c] = request_list_empty();
        link->next[c] = UINT64_MAX;
        link->last[c] = 0;
    }
}

static uint64_t pass(struct l2_link *link, const struct l2_model *model, enum l2_channel channel, uint64_t ready,
                     uint32_t bytes)
{
    uint32_t units = div_up32(model->noc.header_bytes + bytes, NOC_UNIT);
    return bus_take(&link->wire[channel], ready, units) + model->link_latency;
}

void l2_link_send(struct l2_link *link, const struct l2_model *model, struct request_pool *pool, uint32_t index,
                  enum l2_channel channel, uint64_t ready, uint32_t bytes)
{
    uint64_t arrival = pass(link, model, channel, ready, bytes);
    link->last[channel] = arrival > link->last[channel] ? arrival : link->last[channel];
    link->next[channel] = earliest(link->next[channel], link->last[channel]);
    pool->entry[index].request.arrival = link->last[channel];
    request_list_append(pool, &link->list[channel], index);
}

void l2_link_order(struct l2_link *link, const struct l2_model *model, uint64_t ready)
{
    pass(link, model, L2_REQUESTS, ready, 0);
}
