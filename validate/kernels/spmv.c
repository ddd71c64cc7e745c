#include "exact.h"
#include "workloads.h"

enum { MOST = 12 }; /* entries of a row */

struct matrix {
    uint32_t rows, entries;
    int32_t *start, *row, *column; /* as CSR and as COO */
    int32_t *ell_column;
    float *value, *ell_value, *x, *want;
};

/* Rows of 1 to 5 entries, and each 32nd with 12; half of the entries near the diagonal, half anywhere. */
static bool make(struct run *run, struct matrix *m, uint32_t rows)
{
    const size_t most = (size_t)rows * MOST;
    uint32_t seed = 29;
    m->rows = rows;
    m->start = run_memory(run, rows + 1, sizeof *m->start);
    m->row = run_memory(run, most, sizeof *m->row);
    m->column = run_memory(run, most, sizeof *m->column);
    m->ell_column = run_memory(run, most, sizeof *m->ell_column);
    m->value = exact_floats(run, &seed, most);
    m->ell_value = run_memory(run, most, sizeof *m->ell_value);
    m->x = exact_floats(run, &seed, rows);
    m->want = run_memory(run, rows, sizeof *m->want);
    for (uint32_t row = 0; row < rows && !run->failed; row++) {
        const uint32_t count = row % 32 == 7 ? MOST : 1 + random_below(&seed, 5);
        m->start[row] = (int32_t)m->entries;
        for (uint32_t i = 0; i < MOST; i++) {
            const size_t ell = (size_t)i * rows + row;
            m->ell_column[ell] = -1;
            if (i >= count)
                continue;
            const uint32_t near = (row + random_below(&seed, 64)) % rows;
            const uint32_t column = i % 2 ? random_below(&seed, rows) : near, at = m->entries++;
            m->row[at] = (int32_t)row;
            m->column[at] = m->ell_column[ell] = (int32_t)column;
            m->ell_value[ell] = m->value[at];
            m->want[row] += m->value[at] * m->x[column];
        }
    }
    if (!run->failed)
        m->start[rows] = (int32_t)m->entries;
    return !run->failed;
}

static void launch(struct run *run, const char *kernel, uint32_t threads, const void *params, size_t bytes)
{
    run_launch(run, kernel, (struct example_dim){parts(threads, 256), 1, 1}, (struct example_dim){256, 1, 1}, params,
               bytes);
}

static void csr(struct run *run, const struct matrix *m, uint64_t column, uint64_t value, uint64_t x)
{
    struct {
        uint64_t start, column, value, x, y;
        uint32_t rows;
    } params = {run_upload(run, m->start, (m->rows + 1) * sizeof *m->start),
                column,
                value,
                x,
                run_output(run, m->rows),
                m->rows};
    launch(run, "spmv_csr_scalar", m->rows, &params, sizeof params);
    run_check_floats(run, "scalar", run_download(run, params.y, m->rows), m->want, m->rows);
    params.y = run_output(run, m->rows);
    launch(run, "spmv_csr_vector", 2 * m->rows, &params, sizeof params);
    run_check_floats(run, "vector", run_download(run, params.y, m->rows), m->want, m->rows);
}

static void ell(struct run *run, const struct matrix *m, uint64_t x)
{
    const size_t most = (size_t)m->rows * MOST;
    struct {
        uint64_t column, value, x, y;
        uint32_t rows, width;
    } params = {.x = x, .rows = m->rows, .width = MOST};
    params.column = run_upload(run, m->ell_column, most * sizeof *m->ell_column);
    params.value = run_upload(run, m->ell_value, most * sizeof *m->ell_value);
    params.y = run_output(run, m->rows);
    launch(run, "spmv_ell", m->rows, &params, sizeof params);
    run_check_floats(run, "ell", run_download(run, params.y, m->rows), m->want, m->rows);
}

static void coo(struct run *run, const struct matrix *m, uint64_t column, uint64_t value, uint64_t x)
{
    float *y = run_memory(run, m->rows, sizeof *y);
    struct {
        uint64_t row, column, value, x, y;
        uint32_t entries;
    } params = {run_upload(run, m->row, m->entries * sizeof *m->row),
                column,
                value,
                x,
                run_upload(run, y, m->rows * sizeof *y),
                m->entries};
    launch(run, "spmv_coo", m->entries, &params, sizeof params);
    run_read(run, y, params.y, m->rows * sizeof *y);
    run_check_floats(run, "coo", y, m->want, m->rows);
}

static struct example_result spmv(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    struct matrix m = {0};
    if (!make(&run, &m, 256 * workload_pick(scale, 24, 2 * scale->sms, 8 * scale->sms)))
        return run_finish(&run, " ");
    const uint64_t column = run_upload(&run, m.column, m.entries * sizeof *m.column);
    const uint64_t value = run_upload(&run, m.value, m.entries * sizeof *m.value);
    const uint64_t x = run_upload(&run, m.x, m.rows * sizeof *m.x);
    csr(&run, &m, column, value, x);
    ell(&run, &m, x);
    coo(&run, &m, column, value, x);
    return run_finish(&run, "four products with %u rows and %u entries equal the CPU's, bit for bit", (unsigned)m.rows,
                      (unsigned)m.entries);
}

const struct workload workload_spmv = {
    .name = "spmv",
    .module = "spmv",
    .class = "sparse linear algebra",
    .summary = "sparse matrix times vector: CSR by threads and by pairs of lanes, ELL, COO with atomics",
    .arch = 60,
    .run = spmv,
};
