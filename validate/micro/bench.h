/* The part that the host programs of the measurements share. After a failure every call on the run does nothing and
 * gives 0, so that they read straight down. */
#ifndef SUBCORE_MEASURE_BENCH_H
#define SUBCORE_MEASURE_BENCH_H

#include "measure.h"

enum { BENCH_PAGE = 2 << 20, BENCH_LINE = 128, BENCH_LANES = 32 };

/* Notes a failure, unless one is noted already. */
void bench_fail(struct measure_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint64_t bench_alloc(struct measure_run *run, uint64_t bytes); /* on a 2 MiB boundary from 2 MiB on */
void bench_release(struct measure_run *run);                   /* everything allocated */
void bench_write(struct measure_run *run, uint64_t to, const void *from, uint64_t bytes);
void bench_read(struct measure_run *run, void *to, uint64_t from, uint64_t bytes);
void bench_launch(struct measure_run *run, const char *kernel, unsigned ctas, unsigned threads, unsigned shared_bytes,
                  const void *parameters, size_t parameter_bytes);
/* Empties the caches of a GPU that keeps them between launches. */
void bench_flush(struct measure_run *run);

/* A new row. Its cells are NaN. Never NULL. */
struct measure_row *bench_row(struct measure_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_value(struct measure_run *run, double value, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* From the first begin to the last end among `count` pairs of clocks at `from`; `own`: the longest pair, for clocks of
 * different SMs. */
double bench_span(struct measure_run *run, uint64_t from, unsigned count, bool own);

/* A small generator (xorshift32): the same numbers on every machine. */
uint32_t bench_random(uint32_t *state);

/* ---- streams over all SMs ---------------------------------------------------------------------------------------- */

enum stream_mode { STREAM_NONE, STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_TRIAD };

struct stream {
    enum stream_mode warm_mode, mode;
    uint64_t warm_bytes, bytes; /* of one array, rounded to the grid */
    unsigned passes, threads;   /* threads: of a CTA */
    unsigned ctas;              /* of an SM */
};

struct stream_time {
    double bytes, cycles; /* moved, read and written together; of the slowest CTA */
};

/* Bytes of one array that the grid takes at a time; amounts are rounded up to it. */
uint64_t stream_unit(const struct measure_run *run, const struct stream *stream);
struct stream_time stream_run(struct measure_run *run, const struct stream *stream);
/* Bytes a cycle. */
double stream_rate(struct measure_run *run, const struct stream *stream);

/* ---- chains ------------------------------------------------------------------------------------------------------ */

struct chain {
    uint64_t lines;
    uint32_t stride; /* bytes from one place to the next */
    uint32_t warm;   /* passes over it before */
    uint32_t pages;  /* 2 MiB pages touched before */
    uint32_t lap;    /* untimed hops */
    uint32_t hops;   /* timed */
};

/* Cycles of a hop on a random walk over `chain->lines` places, by chase_ca, chase_l2 or chase_cg. `base` has room for
 * them. */
double chain_time(struct measure_run *run, const char *kernel, uint64_t base, const struct chain *chain);

#endif
