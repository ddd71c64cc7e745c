#include "config/config.h"
#include "config/gpcs.h"
#include "isa/contract.h"

static bool power_of_two(uint32_t v) { return v != 0 && (v & (v - 1)) == 0; }

static bool check_sm(const struct config_sm *sm, struct status *status)
{
    if (sm->warps % sm->subcores != 0)
        return status_fail(status, STATUS_CONFIG, "sm.warps = %u does not divide into the %u sub-cores", sm->warps,
                           sm->subcores);
    if (sm->threads > sm->warps * 32)
        return status_fail(status, STATUS_CONFIG, "sm.threads = %u is more than sm.warps = %u hold", sm->threads,
                           sm->warps);
    if (sm->registers % (sm->subcores * sm->register_unit) != 0)
        return status_fail(status, STATUS_CONFIG, "sm.registers = %u does not divide into sub-cores and units of %u",
                           sm->registers, sm->register_unit);
    if (sm->shared > sm->unified)
        return status_fail(status, STATUS_CONFIG, "sm.shared = %u is more than sm.unified = %u", sm->shared,
                           sm->unified);
    if (sm->shared_per_cta + sm->shared_reserved > sm->shared)
        return status_fail(status, STATUS_CONFIG, "sm.shared_per_cta = %u and %u reserved are more than sm.shared = %u",
                           sm->shared_per_cta, sm->shared_reserved, sm->shared);
    return true;
}

static bool check_caches(const struct config *config, struct status *status)
{
    if (!power_of_two(config->icache.line))
        return status_fail(status, STATUS_CONFIG, "icache.line = %u is not a power of two", config->icache.line);
    if (!power_of_two(config->constant.line))
        return status_fail(status, STATUS_CONFIG, "constant.line = %u is not a power of two", config->constant.line);
    if (!power_of_two(config->constant.vl_block))
        return status_fail(status, STATUS_CONFIG, "constant.vl_block = %u is not a power of two",
                           config->constant.vl_block);
    if (config->constant.vl_block > config->constant.line)
        return status_fail(status, STATUS_CONFIG, "constant.vl_block = %u is more than constant.line = %u",
                           config->constant.vl_block, config->constant.line);
    if (config->l15.line % config->icache.line != 0 || config->l15.line % config->constant.line != 0)
        return status_fail(status, STATUS_CONFIG,
                           "l15.line = %u is not a multiple of icache.line = %u and of constant.line = %u",
                           config->l15.line, config->icache.line, config->constant.line);
    if (!power_of_two(config->tlb.page))
        return status_fail(status, STATUS_CONFIG, "tlb.page = %u is not a power of two", config->tlb.page);
    if (config->tlb.l2_entries % config->tlb.l2_ways != 0)
        return status_fail(status, STATUS_CONFIG, "tlb.l2_entries = %u is not a multiple of tlb.l2_ways = %u",
                           config->tlb.l2_entries, config->tlb.l2_ways);
    uint32_t set = 128 * config->l1.ways;
    if (config_l1_bytes(config, config->sm.shared) < set)
        return status_fail(status, STATUS_CONFIG,
                           "sm.unified = %u leaves no L1 set of %u bytes beside %u bytes of shared memory",
                           config->sm.unified, set, config->sm.shared);
    return true;
}

static bool check_carveouts(const struct config_sm *sm, struct status *status)
{
    uint32_t carveout[CONFIG_CARVEOUTS];
    unsigned carveouts = config_carveouts(sm, carveout);
    if (!carveouts)
        return status_fail(status, STATUS_CONFIG, "sm.carveouts = \"%s\" is no list of ascending sizes in KiB",
                           sm->carveouts);
    if (carveout[carveouts - 1] != sm->shared)
        return status_fail(status, STATUS_CONFIG,
                           "the largest of sm.carveouts = \"%s\" KiB is not sm.shared = %u bytes", sm->carveouts,
                           sm->shared);
    return true;
}

/* So many cycles of its work the memory unit of an SM plans ahead: the data of loads, or copies to shared memory that
 * conflict in all banks. */
enum { BACKLOG = 12288, LOAD_BYTES = 1024, SHARED_LOAD_BYTES = 512, COPY_GROUPS = 4, COPY_PASSES = 32 };

static bool check_backlog(const struct config_lsu *lsu, const struct config_shared *shared, struct status *status)
{
    uint32_t copy = COPY_GROUPS * shared->group_interval + (COPY_PASSES - COPY_GROUPS) * shared->pass_interval;
    if (lsu->pending * LOAD_BYTES > BACKLOG * lsu->return_bytes)
        return status_fail(status, STATUS_CONFIG, "lsu.return_bytes = %u is too slow for lsu.pending = %u loads",
                           lsu->return_bytes, lsu->pending);
    if (lsu->pending * SHARED_LOAD_BYTES > BACKLOG * lsu->shared_return_bytes)
        return status_fail(status, STATUS_CONFIG, "lsu.shared_return_bytes = %u is too slow for lsu.pending = %u loads",
                           lsu->shared_return_bytes, lsu->pending);
    if (lsu->pending * copy > BACKLOG)
        return status_fail(status, STATUS_CONFIG,
                           "shared.pass_interval = %u and shared.group_interval = %u are too slow for lsu.pending = %u "
                           "copies to shared memory",
                           shared->pass_interval, shared->group_interval, lsu->pending);
    return true;
}

/* Collectors and banks of the legacy core belong to a sub-core each. */
static bool check_legacy(const struct config_legacy *legacy, uint32_t subcores, struct status *status)
{
    if (legacy->collectors % subcores != 0)
        return status_fail(status, STATUS_CONFIG, "legacy.collectors = %u does not divide into the %u sub-cores",
                           legacy->collectors, subcores);
    if (legacy->banks % subcores != 0)
        return status_fail(status, STATUS_CONFIG, "legacy.banks = %u does not divide into the %u sub-cores",
                           legacy->banks, subcores);
    return true;
}

static bool check_lsu(const struct config_lsu *lsu, struct status *status)
{
    if (lsu->constant_latency <= lsu->to_shared_part)
        return status_fail(status, STATUS_CONFIG, "lsu.constant_latency = %u is not more than lsu.to_shared_part = %u",
                           lsu->constant_latency, lsu->to_shared_part);
    if (lsu->constant_latency_vector <= lsu->to_shared_part)
        return status_fail(status, STATUS_CONFIG,
                           "lsu.constant_latency_vector = %u is not more than lsu.to_shared_part = %u",
                           lsu->constant_latency_vector, lsu->to_shared_part);
    return true;
}

static bool check_memory(const struct config_l2 *l2, const struct config_dram *dram,
                         const struct config_standard *standard, struct status *status)
{
    uint32_t row = l2->slices * l2->ways * 128;
    if (l2->size % row != 0)
        return status_fail(status, STATUS_CONFIG,
                           "l2.size = %u is not a multiple of l2.slices * l2.ways * 128 = %u bytes", l2->size, row);
    if (l2->slices % l2->partitions != 0 || dram->channels % l2->partitions != 0)
        return status_fail(status, STATUS_CONFIG,
                           "l2.slices = %u and dram.channels = %u do not divide into "
                           "l2.partitions = %u",
                           l2->slices, dram->channels, l2->partitions);
    if (l2->fetch_sectors == 3)
        return status_fail(status, STATUS_CONFIG, "l2.fetch_sectors = 3 is not 1, 2 or 4");
    if (standard->tCCD_S_ck < 2 || standard->tCCD_L_ck < 2)
        return status_fail(status, STATUS_CONFIG,
                           "standard.tCCD_S_ck = %u and standard.tCCD_L_ck = %u: a burst takes 2 clocks of the bus",
                           standard->tCCD_S_ck, standard->tCCD_L_ck);
    if (!power_of_two(dram->row_bytes))
        return status_fail(status, STATUS_CONFIG, "dram.row_bytes = %u is not a power of two", dram->row_bytes);
    return true;
}

double config_dram_clock(const struct config *config)
{
    double bus = config->dram.bandwidth / (config->dram.channels * config->standard.pseudo); /* bytes per ns */
    return ISA_SECTOR / bus / CONFIG_DRAM_BURST;
}

static double larger(double a, double b) { return a > b ? a : b; }

static double span(double ns, uint32_t clocks, double clock) { return larger(ns, clocks * clock); }

/* Refreshes that leave no time for accesses would go on for ever. That of a bank is an activation for the others. An
 * access to a closed row needs a precharge, an activation and the time until its column. */
static bool check_refresh(const struct config *config, struct status *status)
{
    const struct config_standard *s = &config->standard;
    double clock = config_dram_clock(config), interval = span(s->tREFI_ns, s->tREFI_ck, clock);
    double all = span(s->tRFCab_ns, s->tRFCab_ck, clock), bank = span(s->tRFCpb_ns, s->tRFCpb_ck, clock);
    double next = larger(span(s->tRREFD_ns, s->tRREFD_ck, clock), span(s->tRRD_L_ns, s->tRRD_L_ck, clock));
    double apart = config->dram.banks * larger(next, span(s->tFAW_ns, s->tFAW_ck, clock) / 4);
    double column = larger(span(s->tRCDRD_ns, s->tRCDRD_ck, clock), span(s->tRCDWR_ns, s->tRCDWR_ck, clock));
    double row = span(s->tRP_ns, s->tRP_ck, clock) + column;
    double taken = larger(larger(larger(all, bank), apart), row);
    return interval >= 2 * taken ||
           status_fail(status, STATUS_CONFIG,
                       "standard.tREFI: %.6g ns are less than twice the %.6g ns that refreshes or an access take in "
                       "this time (standard.tRFCab, tRFCpb, of all dram.banks tRREFD, tRRD_L, tFAW / 4; tRP and tRCD)",
                       interval, taken);
}

/* Operations of a CTA pair take effect between two quanta, which are as long as noc.latency, and before its result. */
static bool check_pairs(const struct config *config, struct status *status)
{
    enum { TENSOR_MEMORY = 100 };
    return config->gpu.architecture != TENSOR_MEMORY || config->tmem.pair_latency >= config->noc.latency ||
           status_fail(status, STATUS_CONFIG, "tmem.pair_latency = %u is less than noc.latency = %u",
                       config->tmem.pair_latency, config->noc.latency);
}

bool config_check(const struct config *config, struct status *status)
{
    struct gpcs gpcs;
    return gpcs_parse(&gpcs, &config->gpu, status) && check_sm(&config->sm, status) && check_caches(config, status) &&
           check_carveouts(&config->sm, status) && check_lsu(&config->lsu, status) &&
           check_legacy(&config->legacy, config->sm.subcores, status) &&
           check_backlog(&config->lsu, &config->shared, status) && check_pairs(config, status) &&
           check_memory(&config->l2, &config->dram, &config->standard, status) && check_refresh(config, status);
}
