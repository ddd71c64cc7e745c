#include "host.h"

#include <math.h>

uint32_t host_ctas(const struct workload_scale *scale, uint32_t fit)
{
    return workload_pick(scale, HOST_SMALL_CTAS, scale->sms, fit * scale->sms);
}

struct example_dim host_plane(const struct workload_scale *scale, uint32_t fit)
{
    const uint32_t x = workload_pick(scale, HOST_SMALL_CTAS / 4, scale->sms, scale->sms);
    return (struct example_dim){x, host_ctas(scale, fit) / x, 1};
}

void host_launch(struct run *run, const char *kernel, uint32_t ctas, uint32_t threads, const void *params,
                 size_t param_bytes)
{
    run_launch(run, kernel, (struct example_dim){ctas, 1, 1}, (struct example_dim){threads, 1, 1}, params, param_bytes);
}

float *host_units(struct run *run, uint32_t *seed, size_t count)
{
    float *units = run_memory(run, count, sizeof *units);
    if (units)
        random_units(seed, units, count);
    return units;
}

void *host_read(struct run *run, uint64_t from, size_t bytes)
{
    void *to = run_memory(run, bytes, 1);
    if (to)
        run_read(run, to, from, bytes);
    return to;
}

bool host_factors_start(struct run *run, struct host_factors *f, uint32_t batch, uint32_t n, uint32_t seed,
                        void (*make)(uint32_t *seed, float *matrix, float *factors))
{
    const size_t each = (size_t)n * n;
    f->count = batch * each;
    float *matrix = run_memory(run, f->count, sizeof *matrix);
    f->want = run_memory(run, f->count, sizeof *f->want);
    f->got = run_memory(run, f->count, sizeof *f->got);
    if (run->failed)
        return false;
    for (size_t i = 0; i < f->count; i += each)
        make(&seed, matrix + i, f->want + i);
    f->matrix = run_upload(run, matrix, f->count * sizeof *matrix);
    return true;
}

void host_check_near(struct run *run, const char *name, const float *got, const double *want, size_t count,
                     double tolerance)
{
    for (size_t i = 0; i < count && !run->failed; i++)
        if (!(fabs((double)got[i] - want[i]) <= tolerance))
            run_fail(run, "%s[%zu] = %.9g, expected %.9g within %.1e", name, i, (double)got[i], want[i], tolerance);
}

void host_check_doubles(struct run *run, const char *name, const double *got, const double *want, size_t count,
                        double tolerance)
{
    for (size_t i = 0; i < count && !run->failed; i++)
        if (!(fabs(got[i] - want[i]) <= tolerance))
            run_fail(run, "%s[%zu] = %.17g, expected %.17g within %.1e", name, i, got[i], want[i], tolerance);
}

size_t host_clamp(ptrdiff_t at, size_t end) { return at < 0 ? 0 : (size_t)at >= end ? end - 1 : (size_t)at; }
