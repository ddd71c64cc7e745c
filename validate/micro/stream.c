#include "bench.h"

/* The kernel's parameters. */
struct parameters {
    uint64_t a, b, c, out;
    uint32_t warm_mode, mode, warm, pieces, passes;
};

enum { PIECE = 16, UNROLL = 4 };

static uint32_t pieces_of(uint64_t bytes, uint64_t unit)
{
    return (uint32_t)((bytes / PIECE + unit - 1) / unit * unit);
}

static unsigned arrays_of(enum stream_mode mode)
{
    switch (mode) {
    case STREAM_NONE: return 0;
    case STREAM_READ:
    case STREAM_WRITE: return 1;
    case STREAM_COPY: return 2;
    case STREAM_TRIAD: return 3;
    }
    return 0;
}

uint64_t stream_unit(const struct measure_run *run, const struct stream *s)
{
    return (uint64_t)UNROLL * PIECE * s->ctas * run->device->gpu.sms * s->threads;
}

struct stream_time stream_run(struct measure_run *run, const struct stream *s)
{
    unsigned ctas = run->device->gpu.sms * s->ctas;
    uint64_t unit = stream_unit(run, s) / PIECE;
    struct parameters p = {
        .warm_mode = s->warm_mode, .mode = s->mode, .passes = s->passes, .pieces = pieces_of(s->bytes, unit)};
    p.warm = s->warm_mode == STREAM_NONE ? 0 : pieces_of(s->warm_bytes, unit);
    bool again = s->warm_mode == STREAM_READ;
    uint64_t room = PIECE * ((uint64_t)p.pieces + (again ? 0 : p.warm));
    unsigned kept = run->blocks;
    p.out = bench_alloc(run, 16 * (uint64_t)ctas);
    p.a = bench_alloc(run, room);
    p.b = s->mode == STREAM_WRITE || s->mode == STREAM_READ ? p.a : bench_alloc(run, room);
    p.c = s->mode == STREAM_TRIAD ? bench_alloc(run, room) : p.b;
    bench_launch(run, "stream_all", ctas, s->threads, 0, &p, sizeof p);
    double cycles = bench_span(run, p.out, ctas, !run->device->gpu.cold);
    while (run->blocks > kept)
        run->device->release(run->device->self, run->block[--run->blocks]);
    return (struct stream_time){(double)PIECE * p.pieces * s->passes * arrays_of(s->mode), cycles};
}

double stream_rate(struct measure_run *run, const struct stream *stream)
{
    struct stream_time t = stream_run(run, stream);
    return run->failed || t.cycles <= 0 ? 0 : t.bytes / t.cycles;
}
