#include "gpu/occupancy.h"

#include <string.h>

#include "base/bits.h"
#include "gpu/gpu.h"
#include "mem/topology.h"

/* The smallest carve-out that holds the CTAs the SM can have for other reasons. Which one the driver takes is not
 * documented; this matches the output of profilers. */
uint32_t occupancy_carveout(const struct config *config, uint32_t needed)
{
    uint32_t bytes[CONFIG_CARVEOUTS];
    unsigned count = config_carveouts(&config->sm, bytes);
    for (unsigned i = 0; i < count; i++)
        if (bytes[i] >= needed && bytes[i] >= config->sm.carveout_least)
            return bytes[i];
    return config->sm.shared;
}

static uint32_t limit_by_registers(const struct config_sm *sm, uint32_t registers_per_warp, uint32_t warps)
{
    if (registers_per_warp == 0)
        return sm->ctas;
    /* Each sub-core has its own quarter of the file, and a CTA's warps are dealt to the sub-cores in turn. */
    uint32_t warps_held = sm->registers / sm->subcores / registers_per_warp * sm->subcores;
    return warps_held / warps;
}

void occupancy_compute(const struct config *config, uint32_t registers, uint32_t threads, uint32_t shared_bytes,
                       struct occupancy *out)
{
    const struct config_sm *sm = &config->sm;
    memset(out, 0, sizeof *out);
    uint32_t warps = div_up32(threads, 32);
    out->warps_per_cta = warps;
    out->max_warps_per_sm = sm->warps;
    out->registers_per_warp = div_up32(registers * 32, sm->register_unit) * sm->register_unit;
    out->shared_per_cta = div_up32(shared_bytes + sm->shared_reserved, sm->shared_unit) * sm->shared_unit;
    out->ctas[LIMIT_CTAS] = sm->ctas;
    out->ctas[LIMIT_WARPS] =
        sm->warps / warps < sm->threads / (warps * 32) ? sm->warps / warps : sm->threads / (warps * 32);
    out->ctas[LIMIT_REGISTERS] = limit_by_registers(sm, out->registers_per_warp, warps);
    out->ctas[LIMIT_SHARED] = out->shared_per_cta ? sm->shared / out->shared_per_cta : sm->ctas;
    out->ctas_per_sm = out->ctas[0];
    for (unsigned i = 1; i < LIMIT_COUNT; i++) {
        if (out->ctas[i] < out->ctas_per_sm) {
            out->ctas_per_sm = out->ctas[i];
            out->limit = (enum occupancy_limit)i;
        }
    }
    out->warps_per_sm = out->ctas_per_sm * warps;
    out->carveout = occupancy_carveout(config, out->ctas_per_sm * out->shared_per_cta);
}

uint64_t occupancy_resident(const struct config *config, uint32_t ctas_per_sm, uint32_t group)
{
    if (group == 1)
        return (uint64_t)config->gpu.sms * ctas_per_sm;
    struct topology topology;
    uint32_t slots[GPCS_MOST] = {0};
    uint64_t ctas = 0;
    topology_place_sms(&topology, config);
    for (uint32_t i = 0; i < topology.sms; i++)
        slots[topology.gpc[i]] += ctas_per_sm;
    for (uint32_t g = 0; g < topology.gpcs; g++)
        ctas += slots[g] / group * group;
    return ctas;
}

bool gpu_occupancy(const struct config *config, uint32_t registers, uint32_t threads, uint32_t shared_bytes,
                   struct occupancy *out, struct status *status)
{
    occupancy_compute(config, registers, threads, shared_bytes, out);
    if (out->ctas_per_sm)
        return true;
    if (shared_bytes + config->sm.shared_reserved > config->sm.shared)
        return status_fail(status, STATUS_USAGE, "a CTA needs %u bytes of shared memory; %s has %u", shared_bytes,
                           config->gpu.name, config->sm.shared_per_cta);
    return status_fail(status, STATUS_USAGE,
                       "no CTA of %u threads with %u registers a thread fits an SM of %s (%u registers)", threads,
                       registers, config->gpu.name, config->sm.registers);
}
