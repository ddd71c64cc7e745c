#include "runs.h"
#include "util.h"

#include <math.h>

enum { N = 704, THREADS = 64 };

/* The acceleration of body i in double precision, from the differences that the kernel takes in single; and
 * for each component the sum of the magnitudes that went into it, the scale of its rounding errors. */
static void accelerate(const float *body, size_t i, float softening, double *want, double *scale)
{
    for (size_t j = 0; j < N; j++) {
        double square = (double)softening, d[3];
        for (size_t axis = 0; axis < 3; axis++) {
            float difference = body[4 * j + axis] - body[4 * i + axis];
            d[axis] = (double)difference;
            square += d[axis] * d[axis];
        }
        double pull = (double)body[4 * j + 3] / (square * sqrt(square));
        for (size_t axis = 0; axis < 3; axis++) {
            want[axis] += d[axis] * pull;
            scale[axis] += fabs(d[axis] * pull);
        }
    }
}

struct example_result run_nbody(const struct example_device *device)
{
    struct run run = run_start(device);
    const double tolerance = 5e-6; /* the square root's 2^-22, cubed, and the roundings of N sums */
    const float softening = 0.01f;
    float *body = run_memory(&run, 4 * N, sizeof *body);
    double *want = run_memory(&run, 4 * N, sizeof *want);
    double *scale = run_memory(&run, 4 * N, sizeof *scale);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 13;
    random_units(&seed, body, 4 * N);
    for (size_t i = 0; i < N; i++)
        body[4 * i + 3] = fabsf(body[4 * i + 3]) + 0.125f;
    for (size_t i = 0; i < N; i++)
        accelerate(body, i, softening, want + 4 * i, scale + 4 * i);

    struct {
        uint64_t body, acceleration;
        uint32_t n;
        float softening;
    } params = {
        .n = N,
        .softening = softening,
    };
    params.body = run_upload(&run, body, 4 * N * sizeof *body);
    params.acceleration = run_output(&run, 4 * N);
    run_launch(&run, "nbody", (struct example_dim){N / THREADS, 1, 1}, (struct example_dim){THREADS, 1, 1}, &params,
               sizeof params);
    const float *got = run_download(&run, params.acceleration, 4 * N);
    double worst = run_check_close(&run, "acceleration", got, want, scale, 4 * N, tolerance);
    return run_finish(&run, "all %d accelerations are right: error %.1e of the forces, %.0e allowed", N, worst,
                      tolerance);
}
