#include "report/metrics.h"

enum { SUB_CORES = 4, TENTHS = 1000 };

static double divide(double a, double b) { return b != 0 ? a / b : 0; }
#define ratio(a, b) divide((double)(a), (double)(b))
#define percent(a, b) (100 * ratio(a, b))

static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

static double elapsed_slots(const struct kernel_result *r) { return SUB_CORES * (double)r->sms * (double)r->cycles; }

double metric_pipe_percent(const struct kernel_result *result, enum isa_pipe pipe)
{
    return percent(result->sm.pipe_cycles[pipe], SUB_CORES * (double)result->sm.cycles_active);
}

double metric_pipe_percent_elapsed(const struct kernel_result *result, enum isa_pipe pipe)
{
    return percent(result->sm.pipe_cycles[pipe], elapsed_slots(result));
}

enum isa_pipe metric_busiest(const struct kernel_result *result)
{
    enum isa_pipe busiest = ISA_PIPE_COUNT;
    uint64_t most = result->sm.inst_issued;
    for (enum isa_pipe pipe = 0; pipe < ISA_PIPE_COUNT; pipe++) {
        if (result->sm.pipe_cycles[pipe] > most) {
            most = result->sm.pipe_cycles[pipe];
            busiest = pipe;
        }
    }
    return busiest;
}

static double compute_throughput(const struct kernel_result *r)
{
    enum isa_pipe pipe = metric_busiest(r);
    if (pipe != ISA_PIPE_COUNT)
        return metric_pipe_percent_elapsed(r, pipe);
    return percent(r->sm.inst_issued, elapsed_slots(r));
}

static uint64_t l2_sectors(const struct mem_counters *m)
{
    return m->l2_sectors_read + m->l2_sectors_write + m->l2_sectors_atomic;
}

/* Bytes in cycles / MHz microseconds, as GB/s. */
static double dram_gbs(const struct kernel_result *r)
{
    double bytes = (double)r->mem.dram_bytes_read + (double)r->mem.dram_bytes_written;
    return ratio(bytes * r->clock_mhz, 1000 * (double)r->cycles);
}

double metric_value(const struct kernel_result *r, enum metric metric)
{
    const struct sm_counters *s = &r->sm;
    const struct mem_counters *m = &r->mem;
    switch (metric) {
#define X(id, name, unit, value, text) case METRIC_##id: return (double)(value);
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

/* Largest remainders: round down, then give the missing tenths to those that lost most. */
void metric_stall_tenths(const struct kernel_result *result, unsigned tenths[STALL_COUNT])
{
    double lost[STALL_COUNT], total = 0;
    unsigned sum = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        total += (double)result->sm.stall[i];
    for (unsigned i = 0; i < STALL_COUNT; i++) {
        double exact = TENTHS * ratio(result->sm.stall[i], total);
        tenths[i] = (unsigned)exact;
        lost[i] = exact - tenths[i];
        sum += tenths[i];
    }
    while (total > 0 && sum < TENTHS) {
        unsigned most = 0;
        for (unsigned i = 1; i < STALL_COUNT; i++)
            if (lost[i] > lost[most])
                most = i;
        tenths[most]++;
        lost[most] -= 1;
        sum++;
    }
}
