/* Bandwidth of each level, and the bytes in flight that it takes. */
#include "measures.h"

#include <math.h>

#include "inside.h"

enum { L2_THREADS = 512, MOST_THREADS = 1024, READ_CYCLES = 24000, QUICK_CYCLES = 12000, WRITE_CYCLES = 40000 };
enum { SMALL_L2 = 16 << 20 }; /* bytes; a pass through an eighth of less is over before an SM is in step */

/* ---- one SM ------------------------------------------------------------------------------------------------------ */

static double sm_rate(struct measure_run *run, const char *kernel, unsigned bytes, bool shared)
{
    struct inside inside = {.shared = shared, .advance = 32 * bytes};
    for (unsigned i = 0; i < BENCH_LANES; i++)
        inside.offset[i] = i * bytes;
    return BENCH_LANES * bytes / inside_rate(run, kernel, &inside);
}

static void add_sm(struct measure_run *run, const char *what, const char *name, const char *kernel, unsigned bytes,
                   bool shared)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    struct measure_row *row = bench_row(run, "%s, %u bits", what, 8 * bytes);
    row->cell[0] = sm_rate(run, kernel, bytes, shared);
    row->cell[1] = row->cell[0] * gpu->sms;
    row->cell[2] = row->cell[1] * gpu->clock / 1000;
    bench_value(run, row->cell[0], "%s.%u", name, 8 * bytes);
}

/* ---- all SMs ----------------------------------------------------------------------------------------------------- */

/* Bytes a cycle of a longer run less those of a shorter one: without the cost of beginning and end. */
static double steady(struct measure_run *run, struct stream s, uint64_t shorter, uint64_t longer, bool passes)
{
    struct stream_time a, b;
    if (passes)
        s.passes = (unsigned)shorter;
    else
        s.bytes = shorter;
    a = stream_run(run, &s);
    if (passes)
        s.passes = (unsigned)longer;
    else
        s.bytes = longer;
    b = stream_run(run, &s);
    return b.cycles > a.cycles ? (b.bytes - a.bytes) / (b.cycles - a.cycles) : 0;
}

static struct measure_row *add_device(struct measure_run *run, const char *what, double rate)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    struct measure_row *row = bench_row(run, "%s", what);
    row->cell[0] = rate / gpu->sms;
    row->cell[1] = rate;
    row->cell[2] = rate * gpu->clock / 1000;
    return row;
}

/* Returns the threads of an SM that read the L2, each with 64 bytes in flight. From sm_100 on an SM receives more than
 * 64 bytes per cycle, and 512 threads would wait for the latency. */
static unsigned l2_readers(const struct measure_gpu *gpu)
{
    return gpu->architecture >= 100 ? MOST_THREADS : L2_THREADS;
}

static void add_l2(struct measure_run *run)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    struct stream s = {.mode = STREAM_READ, .warm_mode = STREAM_READ, .threads = l2_readers(gpu), .ctas = 1};
    s.bytes = s.warm_bytes = gpu->l2 / 8;
    double read = steady(run, s, 1, run->quick && gpu->l2 >= SMALL_L2 ? 3 : 5, true);
    add_device(run, "L2 read", read);
    bench_value(run, read, "bandwidth.l2.read");
    s.mode = STREAM_WRITE;
    s.threads = L2_THREADS;
    s.warm_mode = STREAM_NONE; /* nothing has to be fetched for lines that are written */
    double write = steady(run, s, 1, run->quick ? 3 : 4, true);
    add_device(run, "L2 write", write);
    bench_value(run, write, "bandwidth.l2.write");
}

/* Written data stay in the L2 until they are full of it, so that much is written before. */
static void add_dram(struct measure_run *run, const char *what, const char *name, enum stream_mode mode)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    double peak = gpu->dram * 1000 / gpu->clock; /* bytes a cycle */
    struct stream s = {.mode = mode, .passes = 1, .threads = MOST_THREADS, .ctas = 1};
    uint64_t least = 0;
    unsigned arrays = mode == STREAM_TRIAD ? 3 : mode == STREAM_COPY ? 2 : 1;
    if (mode != STREAM_READ) {
        s.threads = L2_THREADS;
        s.warm_mode = STREAM_WRITE;
        s.warm_bytes = 2 * gpu->l2; /* less would leave sets with room */
    } else if (!gpu->cold) {
        least = 4 * gpu->l2;
    }
    unsigned cycles = mode != STREAM_READ ? WRITE_CYCLES : run->quick ? QUICK_CYCLES : READ_CYCLES;
    uint64_t bytes = (uint64_t)(peak * cycles) / arrays;
    bytes = bytes < least ? least : bytes;
    uint64_t unit = stream_unit(run, &s), shorter = (bytes / 3 / unit + 1) * unit;
    double rate = steady(run, s, shorter, shorter + (bytes / unit + 1) * unit, false);
    struct measure_row *row = add_device(run, what, rate);
    if (gpu->dram > 0)
        row->cell[3] = 100 * row->cell[2] / gpu->dram;
    bench_value(run, row->cell[2], "%s", name);
}

static void run_bandwidth(struct measure_run *run)
{
    static const char *const l1[] = {"load_ca_32", "load_ca_64", "load_ca_128"};
    static const char *const shared[] = {"load_shared_32", "load_shared_64", "load_shared_128"};
    for (unsigned width = 0; width < 3; width++)
        add_sm(run, "L1", "bandwidth.l1", l1[width], 4u << width, false);
    for (unsigned width = 0; width < 3; width++)
        add_sm(run, "shared memory", "bandwidth.shared", shared[width], 4u << width, true);
    add_l2(run);
    add_dram(run, "DRAM read", "bandwidth.dram.read", STREAM_READ);
    if (run->quick && run->device->gpu.l2 > 16 << 20)
        return; /* filling such an L2 takes long */
    add_dram(run, "DRAM write", "bandwidth.dram.write", STREAM_WRITE);
    add_dram(run, "DRAM copy", "bandwidth.dram.copy", STREAM_COPY);
    add_dram(run, "DRAM triad", "bandwidth.dram.triad", STREAM_TRIAD);
}

const struct measure measure_bandwidth = {
    .name = "bandwidth",
    .title = "bandwidth of each level",
    .about = "L1 and shared memory: one SM, 1024 threads. L2 and DRAM: all SMs, 128-bit accesses, four of a thread in "
             "flight; the difference of a long and a short run. Copy and triad count bytes read and bytes written.",
    .label = "what",
    .column = {{"B/cycle/SM", 1}, {"B/cycle", 0}, {"GB/s", 0}, {"% of peak", 1}},
    .columns = 4,
    .plot = {.x = "",
             .y = "GB/s",
             .y_scale = SCALE_LOG,
             .first = 2,
             .series = 1,
             .across = {"bandwidth.dram.read", "bandwidth.dram.write", "bandwidth.dram.copy"}},
    .run = run_bandwidth,
};

/* ---- occupancy and bytes in flight ------------------------------------------------------------------------------- */

static void run_little(struct measure_run *run)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    double best_l2 = 0, best_dram = 0, half_l2 = NAN, half_dram = NAN;
    struct measure_row *row = NULL;
    for (unsigned threads = 32; threads <= 1024 && !run->failed; threads *= 2) {
        struct stream l2 = {.mode = STREAM_READ, .warm_mode = STREAM_READ, .threads = threads, .ctas = 1, .passes = 4};
        struct stream dram = {.mode = STREAM_READ, .threads = threads, .ctas = 1, .passes = 1};
        uint64_t flight = 64 * (uint64_t)threads;
        l2.bytes = l2.warm_bytes = flight * gpu->sms * 2;
        dram.bytes = gpu->cold ? flight * gpu->sms * 6 : 4 * gpu->l2;
        row = bench_row(run, " ");
        row->cell[0] = (double)flight / 1024;
        row->cell[1] = stream_rate(run, &l2) * gpu->clock / 1000;
        row->cell[2] = stream_rate(run, &dram) * gpu->clock / 1000;
        best_l2 = row->cell[1] > best_l2 ? row->cell[1] : best_l2;
        best_dram = row->cell[2] > best_dram ? row->cell[2] : best_dram;
    }
    for (size_t i = run->rows; i-- > 0;) {
        half_l2 = run->row[i].cell[1] > best_l2 / 2 ? run->row[i].cell[0] : half_l2;
        half_dram = run->row[i].cell[2] > best_dram / 2 ? run->row[i].cell[0] : half_dram;
    }
    bench_value(run, half_l2, "little.l2.half");
    bench_value(run, half_dram, "little.dram.half");
}

const struct measure measure_little = {
    .name = "little",
    .title = "bandwidth against bytes in flight",
    .about = "All SMs read, one CTA on each, with more and more threads of 64 bytes in flight.",
    .column = {{"KiB in flight an SM", 0}, {"L2 GB/s", 0}, {"DRAM GB/s", 0}},
    .columns = 3,
    .plot = {.x = "KiB in flight on each SM",
             .y = "GB/s",
             .x_scale = SCALE_LOG,
             .y_scale = SCALE_LOG,
             .across = {"bandwidth.dram.read"}},
    .run = run_little,
};
