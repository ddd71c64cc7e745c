#include "runs.h"
#include "util.h"

#include <math.h>

enum { ROWS = 300, COLS = 200, COUNT = ROWS * COLS, WARPS = 4 };

struct example_result run_softmax(const struct example_device *device)
{
    struct run run = run_start(device);
    const double tolerance = 5e-6; /* relative: some ulps in each exponential, the sum and its reciprocal */
    float *in = run_memory(&run, COUNT, sizeof *in);
    double *want = run_memory(&run, COUNT, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 9;
    for (size_t row = 0; row < ROWS; row++) {
        double sum = 0.0;
        for (size_t i = row * COLS; i < (row + 1) * COLS; i++) {
            in[i] = 8.0f * random_unit(&seed);
            want[i] = exp((double)in[i]);
            sum += want[i];
        }
        for (size_t i = row * COLS; i < (row + 1) * COLS; i++)
            want[i] /= sum;
    }

    struct {
        uint64_t in, out;
        uint32_t rows, cols;
    } params = {.rows = ROWS, .cols = COLS};
    params.in = run_upload(&run, in, COUNT * sizeof *in);
    params.out = run_output(&run, COUNT);
    run_launch(&run, "softmax", (struct example_dim){parts(ROWS, WARPS), 1, 1}, (struct example_dim){32 * WARPS, 1, 1},
               &params, sizeof params);
    const float *got = run_download(&run, params.out, COUNT);
    double worst = run_check_close(&run, "out", got, want, want, COUNT, tolerance);
    return run_finish(&run, "all %d x %d elements are right: relative error %.1e, %.0e allowed", ROWS, COLS, worst,
                      tolerance);
}
