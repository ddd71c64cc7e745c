#include <math.h>

#include "host.h"
#include "workloads.h"

enum { THREADS = 64, SOURCES = THREADS };

static void accelerate(const float *body, const float *own, double softening, double *want, double *scale)
{
    for (size_t j = 0; j < SOURCES; j++) {
        double square = softening, d[3];
        for (size_t axis = 0; axis < 3; axis++) {
            const float difference = body[4 * j + axis] - own[axis];
            d[axis] = (double)difference;
            square += d[axis] * d[axis];
        }
        const double pull = (double)body[4 * j + 3] / (square * sqrt(square));
        for (size_t axis = 0; axis < 3; axis++) {
            want[axis] += d[axis] * pull;
            scale[axis] += fabs(d[axis] * pull);
        }
    }
}

static struct example_result nbody(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 6);
    const size_t count = (size_t)ctas * THREADS;
    uint32_t seed = 55;
    float *body = host_units(&run, &seed, 4 * count);
    double *want = run_memory(&run, 4 * count, sizeof *want), *sizes = run_memory(&run, 4 * count, sizeof *sizes);
    if (run.failed)
        return run_finish(&run, " ");
    const float softening = 0.01f;
    for (size_t i = 0; i < count; i++)
        body[4 * i + 3] = fabsf(body[4 * i + 3]) + 0.125f;
    for (size_t i = 0; i < count; i++)
        accelerate(body, body + 4 * i, (double)softening, want + 4 * i, sizes + 4 * i);
    struct {
        uint64_t body, acceleration;
        int32_t sources;
        float softening;
    } params = {.sources = SOURCES, .softening = softening};
    params.body = run_upload(&run, body, 4 * count * sizeof *body);
    params.acceleration = run_output(&run, 4 * count);
    host_launch(&run, "nbody_tiled", ctas, THREADS, &params, sizeof params);
    /* The square root's 2^-22, cubed, and the roundings of SOURCES sums. */
    run_check_close(&run, "acceleration", run_download(&run, params.acceleration, 4 * count), want, sizes, 4 * count,
                    5e-6);
    return run_finish(&run, "the accelerations of %zu bodies are right", count);
}

const struct workload workload_nbody = {
    .name = "nbody",
    .module = "nbody",
    .class = "particles",
    .summary = "accelerations by bodies in tiles in shared memory (FFMA, MUFU.RSQ)",
    .arch = 60,
    .run = nbody,
};
