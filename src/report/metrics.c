#include "report/metrics.h"

#include <assert.h>
#include <stddef.h>

#include "isa/contract.h"

enum { TENTHS = 1000 };

static double divide(double a, double b) { return b != 0 ? a / b : 0; }
#define ratio(a, b) divide((double)(a), (double)(b))
#define percent(a, b) (100 * ratio(a, b))

static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* SM cycles of all SMs. */
static double elapsed(const struct kernel_result *r) { return (double)r->sms * (double)r->cycles; }

static uint64_t l1_sectors(const struct sm_counters *s)
{
    return s->l1_sectors_load + s->l1_sectors_store + s->l1_sectors_atomic;
}

/* A request that passes its own partition counts there and at its home. Source: an H200's profiler counts 1.53 sectors
 * for each that a stream reads and 1.58 for each that it writes, and half of the lines are far (validate/data/h200). */
static uint64_t l2_sectors(const struct mem_counters *m)
{
    return m->l2_sectors_read + m->l2_sectors_write + m->l2_sectors_atomic + m->l2_sectors_passed;
}

/* Passing loads miss where they pass, and other passing requests hit. Source: an H200's hit rates of `reduce_rows` and
 * `asian_paths` (validate/data/h200). */
static uint64_t l2_sectors_hit(const struct mem_counters *m)
{
    return m->l2_sectors_read_hit + m->l2_sectors_write_hit + m->l2_sectors_atomic_hit + m->l2_sectors_passed -
           m->l2_sectors_passed_load;
}

/* ---- throughputs ----------------------------------------------------------------------------------------------- */

static double larger(double a, double b) { return a > b ? a : b; }

/* FP32 instructions go to either group, integer multiply-adds to one of them. */
static unsigned fma_groups(const struct config *c) { return c->core.fp32_lite ? 2 : 1; }
static uint64_t fma_cycles(const struct sm_counters *s)
{
    return s->pipe_cycles[ISA_PIPE_FMA] + s->pipe_cycles[ISA_PIPE_FMAHEAVY];
}

static double pipe_cycles(const struct measured *m, enum isa_pipe pipe)
{
    unsigned groups = pipe == ISA_PIPE_FMA ? fma_groups(m->config) : 1;
    return (double)m->result->sm.pipe_cycles[pipe] / groups;
}

double metric_pipe_percent(const struct measured *measured, enum isa_pipe pipe)
{
    return percent(pipe_cycles(measured, pipe), ISA_SUBCORES * (double)measured->result->sm.cycles_active);
}

static double compute_throughput(const struct kernel_result *r, const struct config *c)
{
    struct measured m = {r, c};
    double most = larger((double)r->sm.inst_issued, (double)fma_cycles(&r->sm) / fma_groups(c));
    for (unsigned pipe = 0; pipe < ISA_PIPE_COUNT; pipe++)
        most = larger(most, pipe_cycles(&m, (enum isa_pipe)pipe));
    return percent(most, ISA_SUBCORES * elapsed(r));
}

static double shared_throughput(const struct kernel_result *r, const struct config *c)
{
    uint64_t conflicts = r->sm.shared_conflicts * c->shared.pass_interval;
    uint64_t groups = less(r->sm.shared_wavefronts, r->sm.shared_conflicts) * c->shared.group_interval;
    return percent(groups + conflicts, elapsed(r));
}

static double memory_throughput(const struct kernel_result *r, const struct config *c)
{
    static const enum metric parts[] = {
        METRIC_SHARED, METRIC_L1, METRIC_NOC_OUT, METRIC_NOC_IN, METRIC_L2, METRIC_DRAM,
    };
    struct measured m = {r, c};
    double most = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        most = larger(most, metric_value(&m, parts[i]));
    return most;
}

/* Bytes in cycles / MHz microseconds, as GB/s. */
static double dram_gbs(const struct kernel_result *r)
{
    double bytes = (double)r->mem.dram_bytes_read + (double)r->mem.dram_bytes_written;
    return ratio(bytes * r->clock_mhz, 1000 * (double)r->cycles);
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

double metric_value(const struct measured *measured, enum metric metric)
{
    const struct kernel_result *r = measured->result;
    const struct config *c = measured->config;
    const struct sm_counters *s = &r->sm;
    const struct mem_counters *m = &r->mem;
    switch (metric) {
#define X(id, name, unit, value, text)                                                                                 \
    case METRIC_##id: return (double)(value);
        REPORT_METRICS(X)
#undef X
    case METRIC_COUNT: break;
    }
    return 0;
}

const struct metric_info *metric_info(enum metric metric)
{
    static const struct metric_info infos[METRIC_COUNT] = {
#define X(id, name, unit, value, text) {name, unit, text},
        REPORT_METRICS(X)
#undef X
    };
    return &infos[metric];
}

double metric_stall_percent(const struct kernel_result *result, enum stall_reason reason)
{
    return percent(result->sm.stall[reason], result->sm.warp_cycles);
}

double metric_stall_per_issue(const struct kernel_result *result, enum stall_reason reason)
{
    return ratio(result->sm.stall[reason], result->sm.issue_active);
}

uint64_t metric_scheduler_cycles(const struct kernel_result *result)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        sum += result->sm.cycle[i];
    return sum;
}

/* Largest remainders: round down, then give the missing tenths to those that lost most. */
void metric_tenths(const uint64_t *values, unsigned count, unsigned *tenths)
{
    double lost[METRIC_SHARES], total = 0;
    unsigned sum = 0;
    assert(count <= METRIC_SHARES);
    for (unsigned i = 0; i < count; i++)
        total += (double)values[i];
    for (unsigned i = 0; i < count; i++) {
        double exact = TENTHS * ratio(values[i], total);
        tenths[i] = (unsigned)exact;
        lost[i] = exact - tenths[i];
        sum += tenths[i];
    }
    while (total > 0 && sum < TENTHS) {
        unsigned most = 0;
        for (unsigned i = 1; i < count; i++)
            if (lost[i] > lost[most])
                most = i;
        tenths[most]++;
        lost[most] -= 1;
        sum++;
    }
}
