#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_fail(struct measure_run *run, const char *format, ...)
{
    if (run->failed)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(run->error, sizeof run->error, format, list);
    va_end(list);
    run->failed = true;
}

uint64_t bench_alloc(struct measure_run *run, uint64_t bytes)
{
    uint64_t room = bytes < BENCH_PAGE ? bytes : bytes + BENCH_PAGE;
    if (run->failed)
        return 0;
    if (run->blocks == MEASURE_BLOCKS) {
        bench_fail(run, "more than %d allocations", MEASURE_BLOCKS);
        return 0;
    }
    uint64_t address = run->device->alloc(run->device->self, room);
    if (!address) {
        bench_fail(run, "no device memory for %llu bytes", (unsigned long long)room);
        return 0;
    }
    run->block[run->blocks++] = address;
    return bytes < BENCH_PAGE ? address : (address + BENCH_PAGE - 1) / BENCH_PAGE * BENCH_PAGE;
}

void bench_release(struct measure_run *run)
{
    while (run->blocks > 0)
        run->device->release(run->device->self, run->block[--run->blocks]);
}

void bench_write(struct measure_run *run, uint64_t to, const void *from, uint64_t bytes)
{
    if (!run->failed && !run->device->write(run->device->self, to, from, bytes))
        bench_fail(run, "cannot write %llu bytes", (unsigned long long)bytes);
}

void bench_read(struct measure_run *run, void *to, uint64_t from, uint64_t bytes)
{
    memset(to, 0, bytes);
    if (!run->failed && !run->device->read(run->device->self, to, from, bytes))
        bench_fail(run, "cannot read %llu bytes", (unsigned long long)bytes);
}

void bench_launch(struct measure_run *run, const char *kernel, unsigned ctas, unsigned threads, unsigned shared_bytes,
                  const void *parameters, size_t parameter_bytes)
{
    const struct measure_device *d = run->device;
    if (!run->failed && !d->launch(d->self, kernel, ctas, threads, shared_bytes, parameters, parameter_bytes))
        bench_fail(run, "%s did not run", kernel);
}

void bench_flush(struct measure_run *run)
{
    if (run->device->gpu.cold)
        return;
    const struct stream s = {
        .mode = STREAM_READ, .bytes = 4 * run->device->gpu.l2, .passes = 1, .threads = 1024, .ctas = 1};
    stream_rate(run, &s);
}

struct measure_row *bench_row(struct measure_run *run, const char *format, ...)
{
    static const size_t first_room = 32;
    if (run->rows == run->row_room) {
        size_t room = run->row_room ? 2 * run->row_room : first_room;
        struct measure_row *row = realloc(run->row, room * sizeof *row);
        if (!row)
            abort(); /* some kilobytes */
        run->row = row;
        run->row_room = room;
    }
    struct measure_row *row = &run->row[run->rows++];
    for (unsigned i = 0; i < MEASURE_COLUMNS; i++)
        row->cell[i] = NAN;
    va_list list;
    va_start(list, format);
    vsnprintf(row->label, sizeof row->label, format, list);
    va_end(list);
    return row;
}

void bench_value(struct measure_run *run, double value, const char *format, ...)
{
    static const size_t first_room = 32;
    if (run->failed)
        return;
    if (run->values == run->value_room) {
        size_t room = run->value_room ? 2 * run->value_room : first_room;
        struct measure_value *grown = realloc(run->value, room * sizeof *grown);
        if (!grown)
            abort();
        run->value = grown;
        run->value_room = room;
    }
    struct measure_value *v = &run->value[run->values++];
    v->value = value;
    va_list list;
    va_start(list, format);
    vsnprintf(v->name, sizeof v->name, format, list);
    va_end(list);
}

double bench_span(struct measure_run *run, uint64_t from, unsigned count, bool own)
{
    uint64_t *pair = calloc(count, 2 * sizeof *pair);
    if (!pair) {
        bench_fail(run, "out of memory");
        return 0;
    }
    bench_read(run, pair, from, count * 2 * sizeof *pair);
    uint64_t first = UINT64_MAX, last = 0, longest = 0;
    for (unsigned i = 0; i < count; i++) {
        first = pair[2 * i] < first ? pair[2 * i] : first;
        last = pair[2 * i + 1] > last ? pair[2 * i + 1] : last;
        uint64_t span = pair[2 * i + 1] - pair[2 * i];
        longest = span > longest ? span : longest;
    }
    free(pair);
    return run->failed ? 0 : (double)(own ? longest : last - first);
}

uint32_t bench_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

bool measure_run(struct measure_run *run, const struct measure *measure, const struct measure_device *device,
                 bool quick)
{
    *run = (struct measure_run){.measure = measure, .device = device, .quick = quick};
    measure->run(run);
    bench_release(run);
    return !run->failed;
}

void measure_run_free(struct measure_run *run)
{
    free(run->row);
    free(run->value);
    run->row = NULL;
    run->value = NULL;
    run->rows = run->values = 0;
}
