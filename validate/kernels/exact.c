#include "exact.h"

#include <string.h>

float *exact_floats(struct run *run, uint32_t *seed, size_t count)
{
    float *to = run_memory(run, count, sizeof *to);
    if (to)
        random_eighths(seed, to, count);
    return to;
}

void exact_row(float *c, const float *a, const float *b, uint32_t n, uint32_t k)
{
    memset(c, 0, n * sizeof *c);
    for (size_t i = 0; i < k; i++)
        for (size_t x = 0; x < n; x++)
            c[x] += a[i] * b[i * n + x];
}

void exact_check(struct run *run, uint64_t c, const struct exact_product *p)
{
    const float *got = run_download(run, c, (size_t)p->m * p->n);
    float *want = run_memory(run, p->n, sizeof *want);
    for (size_t y = 0; y < p->m && !run->failed; y += p->step) {
        exact_row(want, p->a + y * p->k, p->b, p->n, p->k);
        run_check_floats(run, "c", got + y * p->n, want, p->n);
    }
}
