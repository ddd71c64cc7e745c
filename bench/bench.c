/* Speed of the simulator: warp instructions a second of host time, one thread, the best of three runs. Kernel time
 * only, without loading and without the check on the host. Prints a table, with --csv rows for a history; with a name
 * only the workloads that have it. */
#include <stdio.h>
#include <string.h>

#include "cli/demo.h"
#include "cli/measure_device.h"
#include "measure/bench.h"

/* The name of an example, or of one of the streams and chases below. */
struct workload {
    const char *name, *gpu;
    bool functional;
};

static const struct workload workloads[] = {
    {"sgemm-register", "rtx-a6000", true},
    {"sgemm-register", "rtx-a6000", false},
    {"sgemm-register", "h200", false},
    {"hgemm", "a100", true},
    {"hgemm", "a100", false},
    {"vecadd", "rtx-a6000", false},
    {"spmv-scalar", "rtx-a6000", false},
    {"histogram-global", "rtx-a6000", false},
    {"nbody", "h200", false},
    {"stream-copy", "a100", false},
    {"stream-triad", "a100", false},
    {"stream-triad", "b200", false},
    {"chase", "a100", false},
};

static const struct example *find(const char *name)
{
    size_t count;
    const struct example *list = example_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    }
    return NULL;
}

struct taken {
    double seconds;
    uint64_t instructions, cycles, sm_cycles;
};

static bool run_example(const struct example *example, struct session *session, struct taken *out,
                        struct status *status)
{
    struct demo_run demo;
    bool ok = demo_run(&demo, example, session, status);
    for (size_t i = 0; i < demo.count; i++) {
        out->seconds += demo.results[i].host_seconds;
        out->instructions += demo.results[i].warp_instructions;
        out->cycles += demo.results[i].cycles;
        out->sm_cycles += demo.results[i].sm.cycles_active;
    }
    demo_run_free(&demo);
    return ok;
}

enum { STREAM_BYTES = 16 << 20, CHASE_LINES = 1 << 20, CHASE_HOPS = 8192 };

/* Bound by the bandwidth of DRAM. */
static void run_stream(struct measure_run *run, enum stream_mode mode)
{
    struct stream stream = {.mode = mode, .bytes = STREAM_BYTES, .passes = 1, .threads = 512, .ctas = 2};
    stream_run(run, &stream);
}

/* Bound by its latency: a warp of which each load waits for the last. */
static void run_chase(struct measure_run *run)
{
    struct chain chain = {.lines = CHASE_LINES, .stride = BENCH_LINE, .hops = CHASE_HOPS};
    uint64_t base = bench_alloc(run, chain.lines * chain.stride);
    chain_time(run, "chase_cg", base, &chain);
}

static bool run_measure(const char *name, struct session *session, const char *gpu, struct taken *out,
                        struct status *status)
{
    struct measure_sim sim;
    if (!measure_sim_begin(&sim, session, gpu, status))
        return false;
    struct measure_run run = {.device = &sim.device};
    if (strcmp(name, "chase") == 0)
        run_chase(&run);
    else
        run_stream(&run, strcmp(name, "stream-copy") == 0 ? STREAM_COPY : STREAM_TRIAD);
    bench_release(&run);
    measure_run_free(&run);
    *out = (struct taken){sim.seconds, sim.instructions, sim.cycles, sim.sm_cycles};
    if (run.failed)
        *status = sim.status;
    return !run.failed;
}

static bool run_once(const struct workload *w, struct taken *out, struct status *status)
{
    struct cli_options options = {.gpu = w->gpu, .functional = w->functional, .threads = 1, .quiet = true};
    struct session session;
    *out = (struct taken){0};
    if (!session_begin(&session, &options, status))
        return false;
    const struct example *example = find(w->name);
    bool ok =
        example ? run_example(example, &session, out, status) : run_measure(w->name, &session, w->gpu, out, status);
    session_end(&session);
    return ok;
}

int main(int argc, char **argv)
{
    bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    const char *only = argc > 1 + csv ? argv[1 + csv] : NULL;
    printf(csv ? "example,gpu,mode,instructions,cycles,seconds,instructions_per_second,sm_cycles_per_second\n"
               : "%-18s %-10s %-10s %12s %10s %9s %12s %12s\n",
           "example", "gpu", "mode", "warp inst", "cycles", "seconds", "inst/s", "SM-cycles/s");
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        const struct workload *w = &workloads[i];
        if (only && strcmp(only, w->name) != 0)
            continue;
        struct taken best = {0}, m;
        for (unsigned repeat = 0; repeat < 3; repeat++) {
            struct status status = {0};
            if (!run_once(w, &m, &status)) {
                fprintf(stderr, "%s on %s: %s\n", w->name, w->gpu, status.text);
                return 1;
            }
            if (repeat == 0 || m.seconds < best.seconds)
                best = m;
        }
        printf(csv ? "%s,%s,%s,%llu,%llu,%.4f,%.0f,%.0f\n" : "%-18s %-10s %-10s %12llu %10llu %9.4f %12.0f %12.0f\n",
               w->name, w->gpu, w->functional ? "functional" : "detailed", (unsigned long long)best.instructions,
               (unsigned long long)best.cycles, best.seconds, (double)best.instructions / best.seconds,
               (double)best.sm_cycles / best.seconds);
    }
    return 0;
}
