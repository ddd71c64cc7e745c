#include "mem/topology.h"

#include <assert.h>

static void deal(struct topology *t, const struct gpcs *gpcs, uint32_t sms_per_tpc)
{
    uint32_t taken[GPCS_MOST] = {0}; /* SMs */
    for (uint32_t sm = 0, g = 0; sm < t->sms; g = (g + 1) % gpcs->count) {
        if (taken[g] == gpcs->sms[g])
            continue;
        for (uint32_t i = 0; i < sms_per_tpc && sm < t->sms; i++, sm++) {
            t->gpc[sm] = (uint8_t)g;
            t->tpc[sm] = (uint8_t)t->gpc_tpcs[g];
            t->place[sm] = (uint8_t)i;
        }
        t->gpc_tpcs[g]++;
        t->tpcs++;
        taken[g] += sms_per_tpc;
    }
}

/* The share of `whole` for `part` among `parts`, rounded. */
static uint16_t share(uint32_t whole, uint32_t part, uint32_t parts)
{
    return (uint16_t)(parts == 0 ? 0 : (2 * whole * part + parts) / (2 * parts));
}

static void measure_ways(struct topology *t, const struct gpcs *gpcs, uint32_t spread)
{
    uint32_t of_gpc = spread / 2, of_slice = spread - spread / 2;
    for (uint32_t g = 0; g < gpcs->count; g++) {
        uint32_t first = g;
        while (first > 0 && topology_gpc_partition(t, first - 1) == topology_gpc_partition(t, g))
            first--;
        uint32_t last = g;
        while (last + 1 < gpcs->count && topology_gpc_partition(t, last + 1) == topology_gpc_partition(t, g))
            last++;
        uint32_t count = last - first + 1, rank = (g - first + count / 2) % count;
        t->gpc_way[g] = share(of_gpc, rank, count - 1);
    }
    uint32_t row = t->slices / t->partitions;
    for (uint32_t s = 0; s < t->slices; s++) {
        uint32_t twice = 2 * (s % row), middle = row - 1; /* twice the place of the slice and the hub */
        uint32_t way = twice > middle ? twice - middle : middle - twice, nearest = middle % 2;
        t->slice_way[s] = share(of_slice, way - nearest, middle - nearest);
    }
}

static void place_sms(struct topology *t, struct gpcs *gpcs, const struct config *config)
{
    struct status status = {0};
    bool ok = gpcs_parse(gpcs, &config->gpu, &status);
    assert(ok);
    (void)ok;
    *t = (struct topology){.sms = config->gpu.sms, .gpcs = gpcs->count};
    deal(t, gpcs, config->gpu.sms_per_tpc);
}

void topology_place_sms(struct topology *t, const struct config *config)
{
    struct gpcs gpcs;
    place_sms(t, &gpcs, config);
}

void topology_init(struct topology *t, const struct config *config, uint32_t partitions)
{
    struct gpcs gpcs;
    const struct config_noc *noc = &config->noc;
    place_sms(t, &gpcs, config);
    assert(config->l2.slices % partitions == 0);
    t->slices = config->l2.slices;
    t->partitions = partitions;
    t->latency = (uint16_t)noc->latency;
    t->peer_latency = (uint16_t)(noc->peer_latency > noc->latency ? noc->peer_latency : noc->latency);
    measure_ways(t, &gpcs, noc->spread);
}

uint32_t topology_gpc_partition(const struct topology *t, uint32_t gpc) { return gpc * t->partitions / t->gpcs; }
