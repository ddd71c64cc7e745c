/* Speed of the simulator: warp instructions a second of host time. Each row is the best run of one workload among
 * several, in one way: executed only (functional), timed (detailed), executed and recorded (record), timed from that
 * record (replay). Time of the kernel only, without loading. Device memory must be the same after functional and
 * detailed runs, and a replay must take the cycles of the detailed run, or the program fails.
 *
 *   subcore_bench [--csv] [--gpu NAME] [--set KEY=VALUE] [--threads N] [--repeat N] [--mode MODE] [WORKLOAD...] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/session.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "workload.h"

enum mode { FUNCTIONAL, DETAILED, RECORD, REPLAY, MODES };
static const char *const mode_name[MODES] = {"functional", "detailed", "record", "replay"};

struct arguments {
    bool csv;
    const char *gpu, *mode;
    const char *set; /* a key of the configuration with its value (NULL: none), as a small GPU for callgrind */
    unsigned threads, repeat;
    char **names;
    int count;
};

struct measured {
    double seconds, processor; /* wall clock; user time of all threads */
    uint64_t instructions, cycles, sm_cycles;
    uint64_t trace_bytes; /* RECORD */
    uint64_t digest;      /* of device memory, but for REPLAY */
};

struct bench {
    const struct arguments *arguments;
    char trace[4096]; /* path of the temporary trace */
};

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double processor(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return seconds_of(u.ru_utime);
}

static bool load(struct gpu *gpu, struct exec_module **module, struct status *status)
{
    unsigned sm = gpu_config(gpu)->gpu.architecture;
    char path[256];
    if (sm == 89)
        sm = 86;
    snprintf(path, sizeof path, BENCH_CUBINS "/kernels.sm_%u.cubin", sm);
    struct file_bytes file;
    if (!file_read(path, 1 << 24, &file, status))
        return false;
    *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, path, status);
    file_free(&file);
    return *module != NULL;
}

static bool execute(struct gpu *gpu, const struct workload *w, struct kernel_result *result, struct status *status)
{
    struct exec_module *module;
    struct workload_launch l;
    if (!load(gpu, &module, status))
        return false;
    if (!w->prepare(gpu, &l))
        return status_fail(status, STATUS_MEMORY, "no device memory for %s", w->name);
    const struct gpu_launch launch = {.module = module,
                                      .kernel = l.kernel,
                                      .grid = l.grid,
                                      .block = l.block,
                                      .parameters = l.parameters,
                                      .parameter_bytes = l.parameter_bytes};
    return gpu_launch(gpu, &launch, result, status);
}

static bool replay(const struct bench *b, struct gpu *gpu, struct kernel_result *result, struct status *status)
{
    struct trace_file *file = trace_open(b->trace, status);
    struct trace_kernel *kernel = file ? trace_kernel_open(file, 0, status) : NULL;
    bool ok = kernel && gpu_replay(gpu, kernel, result, status);
    if (kernel)
        trace_kernel_close(kernel);
    if (file)
        trace_close(file);
    return ok;
}

static bool run_once(const struct bench *b, const struct workload *w, enum mode mode, struct measured *out,
                     struct status *status)
{
    struct cli_options options = {.gpu = b->arguments->gpu,
                                  .functional = mode == FUNCTIONAL || mode == RECORD,
                                  .threads = b->arguments->threads,
                                  .quiet = true};
    struct config config;
    if (!session_config(&config, options.gpu, &options.set, status))
        return false;
    if (b->arguments->set && !(config_set(&config, b->arguments->set, status) && config_check(&config, status)))
        return false;
    const struct trace_origin origin = {w->name, options.gpu, "functional execution"};
    struct trace_writer *writer = NULL;
    if (mode == RECORD && !(writer = trace_writer_create(b->trace, &origin, status)))
        return false;
    struct gpu_options gpu_options = {.threads = options.threads, .functional = options.functional, .trace = writer};
    struct gpu *gpu = gpu_create(&config, &gpu_options, status);
    struct kernel_result result = {0};
    double from = wall(), used = processor();
    bool ok = gpu && (mode == REPLAY ? replay(b, gpu, &result, status) : execute(gpu, w, &result, status));
    if (writer)
        ok = ok && trace_writer_finish(writer, status);
    double to = wall(), user = processor() - used;
    *out = (struct measured){.seconds = mode == RECORD ? to - from : result.host_seconds,
                             .processor = user,
                             .instructions = result.warp_instructions,
                             .cycles = result.cycles,
                             .sm_cycles = result.sm.cycles_active,
                             .digest = gpu ? memory_digest(gpu_memory(gpu)) : 0};
    trace_writer_destroy(writer);
    if (gpu)
        gpu_destroy(gpu);
    return ok;
}

static uint64_t size_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return 0;
    long size = ftell(f);
    fclose(f);
    return size > 0 ? (uint64_t)size : 0;
}

static void print_row(const struct arguments *a, const struct workload *w, enum mode mode, const struct measured *m)
{
    double rate = (double)m->instructions / m->seconds;
    printf(a->csv ? "%s,%s,%s,%u,%" PRIu64 ",%" PRIu64 ",%.4f,%.4f,%.0f,%.0f"
                  : "%-10s %-10s %-10s %7u %11" PRIu64 " %10" PRIu64 " %9.4f %9.4f %12.0f %12.0f",
           w->name, a->gpu, mode_name[mode], a->threads, m->instructions, m->cycles, m->seconds, m->processor, rate,
           (double)m->sm_cycles / m->seconds);
    if (mode == RECORD)
        printf(a->csv ? ",%.4f" : " %6.3f", (double)m->trace_bytes / (double)m->instructions);
    puts(a->csv && mode != RECORD ? "," : "");
    fflush(stdout);
}

static bool run_mode(const struct bench *b, const struct workload *w, enum mode mode, struct measured *best,
                     struct status *status)
{
    for (unsigned i = 0; i < b->arguments->repeat; i++) {
        struct measured m;
        if (!run_once(b, w, mode, &m, status))
            return false;
        if (i == 0 || m.seconds < best->seconds)
            *best = m;
    }
    if (mode == RECORD)
        best->trace_bytes = size_of(b->trace);
    return true;
}

/* Results of the ways that must agree. */
static bool agree(const struct measured *m, const bool *ran, struct status *status)
{
    if (ran[FUNCTIONAL] && ran[DETAILED] && m[FUNCTIONAL].digest != m[DETAILED].digest)
        return status_fail(status, STATUS_CHECK, "functional and detailed runs leave different device memory");
    if (ran[DETAILED] && ran[REPLAY] && m[DETAILED].cycles != m[REPLAY].cycles)
        return status_fail(status, STATUS_CHECK, "%" PRIu64 " cycles detailed, %" PRIu64 " replayed",
                           m[DETAILED].cycles, m[REPLAY].cycles);
    return true;
}

static bool run_workload(struct bench *b, const struct workload *w, struct status *status)
{
    const struct arguments *a = b->arguments;
    struct measured m[MODES];
    bool ran[MODES] = {false};
    for (enum mode mode = 0; mode < MODES; mode++) {
        bool shown = !a->mode || strcmp(a->mode, mode_name[mode]) == 0;
        bool needed = shown || (mode == RECORD && a->mode && strcmp(a->mode, mode_name[REPLAY]) == 0);
        /* One thread executes. With more only timed runs are another measurement. */
        if (a->threads > 1 && (mode == FUNCTIONAL || mode == RECORD) && !a->mode) {
            shown = false;
            needed = mode == RECORD;
        }
        if (!needed)
            continue;
        if (!run_mode(b, w, mode, &m[mode], status))
            return false;
        ran[mode] = true;
        if (shown)
            print_row(a, w, mode, &m[mode]);
    }
    return agree(m, ran, status);
}

static bool parse(struct arguments *a, int argc, char **argv)
{
    *a = (struct arguments){.gpu = "a100", .threads = 1, .repeat = 3};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--csv") == 0) {
            a->csv = true;
            continue;
        }
        if (strcmp(argv[i], "--gpu") == 0)
            a->gpu = value;
        else if (strcmp(argv[i], "--set") == 0)
            a->set = value;
        else if (strcmp(argv[i], "--mode") == 0)
            a->mode = value;
        else if (strcmp(argv[i], "--threads") == 0)
            a->threads = (unsigned)atoi(value);
        else if (strcmp(argv[i], "--repeat") == 0)
            a->repeat = (unsigned)atoi(value);
        else
            return false;
        i++;
    }
    a->names = argv + i;
    a->count = argc - i;
    return a->threads > 0 && a->repeat > 0;
}

static bool wanted(const struct arguments *a, const char *name)
{
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->names[i], name) == 0)
            return true;
    return a->count == 0;
}

int main(int argc, char **argv)
{
    struct arguments a;
    if (!parse(&a, argc, argv)) {
        fprintf(stderr,
                "usage: %s [--csv] [--gpu NAME] [--set KEY=VALUE] [--threads N] [--repeat N] [--mode MODE] "
                "[WORKLOAD...]\n",
                argv[0]);
        return 2;
    }
    struct bench b = {.arguments = &a};
    snprintf(b.trace, sizeof b.trace, "%s/subcore-bench-%ld.sct", file_temporary_folder(), (long)getpid());
    printf(a.csv ? "workload,gpu,mode,threads,instructions,cycles,seconds,processor_seconds,instructions_per_second,"
                   "sm_cycles_per_second,bytes_per_instruction\n"
                 : "%-10s %-10s %-10s %7s %11s %10s %9s %9s %12s %12s %6s\n",
           "workload", "gpu", "mode", "threads", "warp inst", "cycles", "wall s", "user s", "inst/s", "SM-cycles/s",
           "B/inst");
    size_t count;
    const struct workload *list = workload_list(&count);
    struct status status = {0};
    for (size_t i = 0; i < count && status.code == STATUS_OK; i++)
        if (wanted(&a, list[i].name) && !run_workload(&b, &list[i], &status))
            fprintf(stderr, "%s on %s: %s\n", list[i].name, a.gpu, status.text);
    unlink(b.trace);
    return status.code == STATUS_OK ? 0 : 1;
}
