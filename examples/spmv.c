#include "runs.h"
#include "util.h"

#include <math.h>

enum { ROWS = 3000, MAX_LENGTH = 44, THREADS = 128 };

/* Rows of 0 to MAX_LENGTH elements, mostly short ones. Returns how many elements there are. */
static size_t make_matrix(uint32_t *row, uint32_t *col, float *value)
{
    uint32_t seed = 10, count = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        row[r] = count;
        uint32_t bound = random_below(&seed, MAX_LENGTH + 1) + 1;
        uint32_t length = random_below(&seed, bound);
        for (uint32_t i = 0; i < length; i++) {
            col[count] = random_below(&seed, ROWS);
            value[count++] = random_unit(&seed);
        }
    }
    row[ROWS] = count;
    return count;
}

/* One row as `lanes` threads compute it: each a chain of fused multiply-adds over every lanes-th element,
 * and then a tree that adds the upper half of them to the lower. */
static float dot(const uint32_t *col, const float *value, size_t length, const float *x, size_t lanes)
{
    float sum[32] = {0};
    for (size_t i = 0; i < length; i++)
        sum[i % lanes] = fmaf(value[i], x[col[i]], sum[i % lanes]);
    for (size_t half = lanes / 2; half > 0; half /= 2)
        for (size_t lane = 0; lane < half; lane++)
            sum[lane] += sum[lane + half];
    return sum[0];
}

static struct example_result spmv(const struct example_device *device, const char *kernel, uint32_t lanes)
{
    struct run run = run_start(device);
    uint32_t *row = run_memory(&run, ROWS + 1, sizeof *row);
    uint32_t *col = run_memory(&run, ROWS * MAX_LENGTH, sizeof *col);
    float *value = run_memory(&run, ROWS * MAX_LENGTH, sizeof *value);
    float *x = run_memory(&run, ROWS, sizeof *x);
    float *want = run_memory(&run, ROWS, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 11;
    random_units(&seed, x, ROWS);
    size_t count = make_matrix(row, col, value);
    for (size_t r = 0; r < ROWS; r++)
        want[r] = dot(col + row[r], value + row[r], row[r + 1] - row[r], x, lanes);

    struct {
        uint64_t row, col, value, x, y;
        uint32_t rows;
    } params = {.rows = ROWS};
    params.row = run_upload(&run, row, (ROWS + 1) * sizeof *row);
    params.col = run_upload(&run, col, count * sizeof *col);
    params.value = run_upload(&run, value, count * sizeof *value);
    params.x = run_upload(&run, x, ROWS * sizeof *x);
    params.y = run_output(&run, ROWS);
    run_launch(&run, kernel, (struct example_dim){parts(ROWS * lanes, THREADS), 1, 1},
               (struct example_dim){THREADS, 1, 1}, &params, sizeof params);
    run_check_floats(&run, "y", run_download(&run, params.y, ROWS), want, ROWS);
    return run_finish(&run, "all %d rows (%zu elements) equal the CPU's, bit for bit", ROWS, count);
}

struct example_result run_spmv_scalar(const struct example_device *device) { return spmv(device, "spmv_scalar", 1); }

struct example_result run_spmv_vector(const struct example_device *device) { return spmv(device, "spmv_vector", 32); }
