#include "host.h"
#include "workloads.h"

enum { THREADS = 256, PIECE = 4 * THREADS };

struct numbers {
    uint32_t ctas;
    size_t count;
    uint32_t *in;
    int32_t *want;
};

static struct numbers make(struct run *run, const struct workload_scale *scale, uint32_t seed)
{
    struct numbers n = {.ctas = host_ctas(scale, 8)};
    n.count = (size_t)n.ctas * PIECE;
    n.in = run_memory(run, n.count, sizeof *n.in);
    n.want = run_memory(run, n.count, sizeof *n.want);
    int32_t sum = 0;
    for (size_t i = 0; i < n.count && !run->failed; i++) {
        n.in[i] = random_below(&seed, 100);
        sum += (int32_t)n.in[i];
        n.want[i] = sum;
    }
    return n;
}

static struct example_result scan(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const struct numbers n = make(&run, scale, 43);
    struct {
        uint64_t in, out, totals;
    } pieces;
    struct {
        uint64_t totals;
        uint32_t count;
    } middle = {.count = n.ctas};
    struct {
        uint64_t out, totals;
    } last;
    pieces.in = run_upload(&run, n.in, n.count * sizeof *n.in);
    last.out = pieces.out = run_output(&run, n.count);
    last.totals = middle.totals = pieces.totals = run_output(&run, n.ctas);
    host_launch(&run, "scan_pieces", n.ctas, THREADS, &pieces, sizeof pieces);
    host_launch(&run, "scan_totals", 1, THREADS, &middle, sizeof middle);
    host_launch(&run, "scan_add", n.ctas - 1, THREADS, &last, sizeof last);
    const int32_t *totals = run_download(&run, pieces.totals, n.ctas);
    for (size_t i = 0; i < n.ctas && !run.failed; i++)
        run_check_ints(&run, "total", totals + i, n.want + (i + 1) * PIECE - 1, 1);
    run_check_ints(&run, "sum", run_download(&run, pieces.out, n.count), n.want, n.count);
    return run_finish(&run, "all %zu sums are right", n.count);
}

static struct example_result lookback(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const struct numbers n = make(&run, scale, 44);
    uint32_t *zero = run_memory(&run, n.ctas + 1, sizeof *zero);
    struct {
        uint64_t in, out, state, ticket;
    } params;
    params.in = run_upload(&run, n.in, n.count * sizeof *n.in);
    params.out = run_output(&run, n.count);
    params.state = run_upload(&run, zero, (n.ctas + 1) * sizeof *zero);
    params.ticket = params.state + n.ctas * sizeof *zero;
    host_launch(&run, "scan_lookback", n.ctas, THREADS, &params, sizeof params);
    run_check_ints(&run, "sum", run_download(&run, params.out, n.count), n.want, n.count);
    return run_finish(&run, "all %zu sums are right", n.count);
}

const struct workload workload_scan = {
    .name = "scan",
    .module = "scans",
    .class = "scan",
    .summary = "prefix sums in three kernels: pieces, their totals by one CTA, addition",
    .arch = 60,
    .run = scan,
};

const struct workload workload_scan_lookback = {
    .name = "scan-lookback",
    .module = "scans",
    .class = "scan",
    .summary = "prefix sums in one kernel: tickets, and waiting for the CTAs before",
    .arch = 60,
    .run = lookback,
};
