#include "exact.h"
#include "workloads.h"

enum { COLUMNS = 1024, SLAB = 32, SHORT = 16 };

struct matrix {
    struct run run;
    uint32_t rows;
    const float *in;
    uint64_t device_in;
};

static void rows(struct matrix *m)
{
    struct {
        uint64_t in, out;
        uint32_t columns;
    } params = {m->device_in, run_output(&m->run, m->rows), COLUMNS};
    run_launch(&m->run, "reduce_rows", (struct example_dim){m->rows, 1, 1}, (struct example_dim){256, 1, 1}, &params,
               sizeof params);
    float *want = run_memory(&m->run, m->rows, sizeof *want);
    for (size_t i = 0; i < (size_t)m->rows * COLUMNS && !m->run.failed; i++)
        want[i / COLUMNS] += m->in[i];
    run_check_floats(&m->run, "rows", run_download(&m->run, params.out, m->rows), want, m->rows);
}

static void columns(struct matrix *m)
{
    const uint32_t slabs = parts(m->rows, SLAB);
    const size_t count = (size_t)slabs * COLUMNS;
    struct {
        uint64_t in, out;
        uint32_t rows, columns, slab;
    } params = {m->device_in, run_output(&m->run, count), m->rows, COLUMNS, SLAB};
    run_launch(&m->run, "reduce_columns", (struct example_dim){COLUMNS / 32, slabs, 1}, (struct example_dim){32, 8, 1},
               &params, sizeof params);
    float *want = run_memory(&m->run, count, sizeof *want);
    for (size_t i = 0; i < (size_t)m->rows * COLUMNS && !m->run.failed; i++)
        want[i / COLUMNS / SLAB * COLUMNS + i % COLUMNS] += m->in[i];
    run_check_floats(&m->run, "columns", run_download(&m->run, params.out, count), want, count);
}

/* The same numbers as rows of 16. */
static void argmax(struct matrix *m)
{
    const uint32_t count = m->rows * (COLUMNS / SHORT);
    struct {
        uint64_t in, out;
        uint32_t rows, columns;
    } params = {m->device_in, run_output(&m->run, count), count, SHORT};
    run_launch(&m->run, "argmax_rows", (struct example_dim){parts(count, 128), 1, 1}, (struct example_dim){128, 1, 1},
               &params, sizeof params);
    int32_t *want = run_memory(&m->run, count, sizeof *want);
    for (size_t row = 0; row < count && !m->run.failed; row++)
        for (int32_t i = 1; i < SHORT; i++)
            if (m->in[row * SHORT + (size_t)i] > m->in[row * SHORT + (size_t)want[row]])
                want[row] = i;
    run_check_ints(&m->run, "argmax", run_download(&m->run, params.out, count), want, count);
}

static struct example_result batch_reduce(const struct example_device *device, const struct workload_scale *scale)
{
    struct matrix m = {.run = run_start(device), .rows = workload_pick(scale, 32, 2 * scale->sms, 8 * scale->sms)};
    uint32_t seed = 38;
    m.in = exact_floats(&m.run, &seed, (size_t)m.rows * COLUMNS);
    m.device_in = run_upload(&m.run, m.in, (size_t)m.rows * COLUMNS * sizeof *m.in);
    rows(&m);
    columns(&m);
    argmax(&m);
    return run_finish(&m.run, "sums and maxima of %u rows of %d equal the CPU's, bit for bit", (unsigned)m.rows,
                      COLUMNS);
}

const struct workload workload_batch_reduce = {
    .name = "batch_reduce",
    .module = "batch_reduce",
    .class = "deep learning",
    .summary = "reductions of a matrix: sums of rows, sums of columns, largest of each row",
    .arch = 60,
    .run = batch_reduce,
};
