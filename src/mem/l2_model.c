#include "mem/l2_model.h"

#include <assert.h>
#include <math.h>

#include "port/message.h"

/* Returns the time of one at so many per cycle, fixed point as in struct bus. */
static uint64_t interval_of(double per_cycle) { return (uint64_t)ceil((1 << BUS_FRACTION) / per_cycle); }

void l2_model_init(struct l2_model *model, const struct config *config)
{
    const struct config_l2 *c = &config->l2;
    *model = (struct l2_model){.sets = c->size / (c->slices * c->ways * PORT_LINE),
                               .ways = c->ways,
                               .latency = c->latency,
                               .sector_interval = interval_of(c->sectors_per_cycle),
                               .store_byte = interval_of(c->store_bytes),
                               .mshrs = c->mshrs,
                               .merges = c->mshr_merges,
                               .fetch = c->fetch_sectors,
                               .row_lines = c->row_lines,
                               .atomic_interval = (uint64_t)llround(c->atomic_interval * (1 << BUS_FRACTION)),
                               .atomic_extra = (uint64_t)llround(c->atomic_extra * (1 << BUS_FRACTION)),
                               .atomic_least = (uint64_t)llround(c->atomic_least * (1 << BUS_FRACTION)),
                               .atomic_latency = c->atomic_latency,
                               .atomic_bytes = c->atomic_bytes,
                               .partial_extra = c->partial_extra,
                               .atomic_merge = c->atomic_merge,
                               .link_latency = c->link_latency,
                               .link_period = {[L2_REQUESTS] = bus_period(NOC_UNIT, c->link_request_bytes),
                                               [L2_ANSWERS] = bus_period(NOC_UNIT, c->link_reply_bytes)},
                               .copies = c->copies,
                               .keep = c->keep,
                               .replacement = c->replacement,
                               .last_ways = (uint32_t)(c->set_aside * c->ways)};
    assert(model->sets > 0);
    address_map_init(&model->map, c->slices, model->sets, config->dram.channels, c->partitions);
    model->map.linear = c->linear;
    model->map.pairs = c->pairs;
    noc_init(&model->noc, config);
}
