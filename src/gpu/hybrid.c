#include "gpu/hybrid.h"

#include <string.h>

#include "gpu/timed.h"

static bool fits(const struct timed *t, const struct timed_launch *launch)
{
    return plan_has(t->plan, "hybrid") && launch->apart && !launch->cooperative && launch->cta_group == 1 &&
           launch->ctas > 1 && t->config->gpu.sms > 1 && !t->schedule && !t->shares && t->in_flight == 0 &&
           t->config->launch.cta_order == CONFIG_CTA_ORDER_GRID && t->config->core.model != CONFIG_CORE_LEGACY;
}

bool hybrid_begin(struct timed *t, const struct timed_launch *launch, const struct occupancy *occupancy,
                  struct status *status)
{
    struct hybrid *h = &t->hybrid;
    h->on = t->plan && fits(t, launch);
    if (!h->on)
        return true;
    if (!h->memory)
        h->memory = reuse_memory_create(t->config, status);
    if (!h->memory)
        return false;
    h->share = share_of(launch->ctas, t->config->gpu.sms, occupancy->ctas_per_sm);
    memset(h->work, 0, sizeof h->work);
    return reuse_memory_begin(h->memory, h->share.sms, config_l1_bytes(t->config, occupancy->carveout)) ||
           status_fail(status, STATUS_MEMORY, "%.200s: no memory for the reuse distances of %u SMs", launch->kernel,
                       h->share.sms);
}

void hybrid_pass(struct hybrid *h, uint64_t end)
{
    reuse_memory_settle(h->memory);
    h->memory->excess = share_excess(&h->share, end - 1);
    h->memory->first_wave = end <= (uint64_t)h->share.sms * h->share.slots;
}

/* Memory changes when a request is served, as at an L2 slice. */
static bool serve(struct timed *t, struct gpc *gpc, const struct request *request)
{
    const struct machine *machine = &t->kernels->launch.machine;
    uint64_t arrival = reuse_memory_serve(t->hybrid.memory, request);
    if (request->effect)
        machine->apply(machine->self, request);
    return request->client == PORT_NOBODY || gpc_return(gpc, &(struct reply){.arrival = arrival,
                                                                             .line = request->line,
                                                                             .sm = request->sm,
                                                                             .token = request->token,
                                                                             .client = request->client,
                                                                             .sectors = request->sectors,
                                                                             .kind = request->kind});
}

bool hybrid_run_memory(struct timed *t)
{
    struct network *network = mem_network(t->mem);
    bool ok = true;
    for (uint32_t g = 0; g < network->gpcs; g++) {
        struct gpc *gpc = &network->gpc[g];
        for (uint32_t i = 0; i < gpc->sent_count; i++)
            ok = ok && serve(t, gpc, &gpc->sent[i]);
        gpc_forget_sent(gpc);
    }
    return ok && !t->hybrid.memory->used.failed;
}

/* HyFiSS adds 3,500 cycles of a launch, and 700 for each round of CTAs on the SM. Source: its code, for a GV100. */
static uint64_t paper_overhead(const struct kernel_result *r, uint32_t slots)
{
    return 3500 + 700 * r->ctas_done / slots;
}

void hybrid_end(const struct timed *t, struct kernel_result *r)
{
    const struct hybrid *h = &t->hybrid;
    uint64_t most = r->warp_instructions, slots = (r->cycles - r->launch_cycles) * t->config->sm.subcores;
    for (uint32_t i = 0; i < h->share.sms; i++)
        most = h->work[i] > most ? h->work[i] : most;
    r->hybrid = (struct hybrid_result){.sms = h->share.sms, .launch = r->launch_cycles, .seen = 1};
    r->hybrid.imbalance = share_imbalance(r->warp_instructions, most, slots);
    r->hybrid.compute = (double)(r->cycles - r->launch_cycles) * r->hybrid.imbalance;
    reuse_memory_result(h->memory, &r->hybrid);
    if (r->hybrid.paper)
        r->hybrid.launch = paper_overhead(r, h->share.slots);
    r->hybrid.counts.l1_loads += r->sm.l1_sectors_load - r->sm.l1_sectors_local_load;
    r->hybrid.counts.l1_hits += r->sm.l1_sectors_load_hit - r->sm.l1_sectors_local_load_hit;
}

void hybrid_free(struct hybrid *h)
{
    reuse_memory_free(h->memory);
    *h = (struct hybrid){0};
}
