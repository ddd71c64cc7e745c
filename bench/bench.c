/* Speed of the simulator: warp instructions a second of host time, one thread, the best of three runs. Kernel time
 * only, without loading and without the check on the host. Prints a table, with --csv rows for a history. */
#include <stdio.h>
#include <string.h>

#include "cli/demo.h"

struct workload {
    const char *example, *gpu;
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

struct measure {
    double seconds;
    uint64_t instructions, cycles, sm_cycles;
};

static bool run_once(const struct workload *w, struct measure *out, struct status *status)
{
    struct cli_options options = {.gpu = w->gpu, .functional = w->functional, .threads = 1, .quiet = true};
    struct session session;
    struct demo_run demo;
    *out = (struct measure){0};
    if (!session_begin(&session, &options, status))
        return false;
    bool ok = demo_run(&demo, find(w->example), &session, status);
    for (size_t i = 0; i < demo.count; i++) {
        out->seconds += demo.results[i].host_seconds;
        out->instructions += demo.results[i].warp_instructions;
        out->cycles += demo.results[i].cycles;
        out->sm_cycles += demo.results[i].sm.cycles_active;
    }
    demo_run_free(&demo);
    session_end(&session);
    return ok;
}

int main(int argc, char **argv)
{
    bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    printf(csv ? "example,gpu,mode,instructions,cycles,seconds,instructions_per_second,sm_cycles_per_second\n"
               : "%-18s %-10s %-10s %12s %10s %9s %12s %12s\n",
           "example", "gpu", "mode", "warp inst", "cycles", "seconds", "inst/s", "SM-cycles/s");
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        const struct workload *w = &workloads[i];
        struct measure best = {0}, m;
        for (unsigned repeat = 0; repeat < 3; repeat++) {
            struct status status = {0};
            if (!run_once(w, &m, &status)) {
                fprintf(stderr, "%s on %s: %s\n", w->example, w->gpu, status.text);
                return 1;
            }
            if (repeat == 0 || m.seconds < best.seconds)
                best = m;
        }
        printf(csv ? "%s,%s,%s,%llu,%llu,%.4f,%.0f,%.0f\n" : "%-18s %-10s %-10s %12llu %10llu %9.4f %12.0f %12.0f\n",
               w->example, w->gpu, w->functional ? "functional" : "detailed", (unsigned long long)best.instructions,
               (unsigned long long)best.cycles, best.seconds, (double)best.instructions / best.seconds,
               (double)best.sm_cycles / best.seconds);
    }
    return 0;
}
