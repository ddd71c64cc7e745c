#include "rand/poisson.h"

#include <math.h>
#include <stdlib.h>

#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"

/* Each probability follows from its neighbour, away from the most likely number, so that no factorial is needed. Their
 * sum makes them probabilities. */
static void fill(double *table, unsigned entries, unsigned least, double lambda)
{
    unsigned mode = (unsigned)lambda - least;
    double sum = 0;
    table[mode] = 1;
    for (unsigned k = mode; k > 0; k--)
        table[k - 1] = table[k] * (double)(least + k) / lambda;
    for (unsigned k = mode + 1; k < entries; k++)
        table[k] = table[k - 1] * lambda / (double)(least + k);
    for (unsigned k = 0; k < entries; k++)
        sum += table[k];
    for (unsigned k = 0; k < entries; k++)
        table[k] /= sum;
}

double *poisson_probabilities(double lambda, unsigned *entries, unsigned *least)
{
    enum { DEVIATIONS = 12, MORE = 40 }; /* numbers beyond have a probability below 1e-30 */
    double spread = DEVIATIONS * sqrt(lambda) + MORE;
    *least = lambda > spread ? (unsigned)(lambda - spread) : 0;
    *entries = (unsigned)(lambda + spread) - *least + 1;
    double *table = malloc(*entries * sizeof *table);
    if (table != NULL)
        fill(table, *entries, *least, lambda);
    return table;
}

static curandStatus_t upload(struct rand *rand, const double *table, size_t bytes)
{
    struct rand_table *t = &rand->table;
    if (cuStreamSynchronize(rand->stream) != CUDA_SUCCESS) /* kernels of earlier calls may read the old table */
        return CURAND_STATUS_LAUNCH_FAILURE;
    if (t->device != 0)
        cuMemFree_v2(t->device);
    t->device = 0;
    if (cuMemAlloc_v2(&t->device, bytes) != CUDA_SUCCESS)
        return CURAND_STATUS_ALLOCATION_FAILED;
    return cuMemcpyHtoD_v2(t->device, table, bytes) == CUDA_SUCCESS ? CURAND_STATUS_SUCCESS
                                                                    : CURAND_STATUS_LAUNCH_FAILURE;
}

curandStatus_t poisson_prepare(struct rand *rand, double lambda)
{
    struct rand_table *t = &rand->table;
    unsigned entries, least;
    if (t->lambda == lambda)
        return CURAND_STATUS_SUCCESS;
    double *table = poisson_probabilities(lambda, &entries, &least), sum = 0;
    if (table == NULL)
        return CURAND_STATUS_ALLOCATION_FAILED;
    for (unsigned k = 0; k < entries; k++)
        table[k] = sum += table[k];
    table[entries - 1] = 1;
    t->lambda = 0;
    curandStatus_t status = rand->on_host ? CURAND_STATUS_SUCCESS : upload(rand, table, entries * sizeof *table);
    free(t->host);
    t->host = table;
    t->entries = entries;
    t->least = least;
    if (status == CURAND_STATUS_SUCCESS)
        t->lambda = lambda;
    return status;
}

void poisson_release(struct rand *rand)
{
    free(rand->table.host);
    if (rand->table.device != 0)
        cuMemFree_v2(rand->table.device);
}
