/* Poisson distributions for programs whose kernels draw their own numbers. */
#include "rand/discrete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver/abi/api_memory.h"
#include "driver/abi/enter.h"
#include "rand/poisson.h"

/* The head of a distribution's memory. The numbers V and then K follow, with one more entry than there are intervals:
 * a draw of exactly 1 falls there. */
struct head {
    struct discrete discrete;
    struct discrete_shift shift;
    struct discrete_histogram histogram;
};

static size_t bytes_of(unsigned length)
{
    return sizeof(struct head) + (length + 1) * (sizeof(double) + sizeof(unsigned));
}

/* Divides the intervals. Each one that its own number does not fill gets its rest from a number that has too much. */
static void divide(double *p, unsigned length, double *v, unsigned *k, unsigned *order)
{
    unsigned small = 0, large = length; /* order[0 .. small) have too little, order[large .. length) enough */
    for (unsigned i = 0; i < length; i++) {
        p[i] *= length;
        k[i] = i;
        v[i] = (i + 1.0) / length;
        if (p[i] < 1)
            order[small++] = i;
        else
            order[--large] = i;
    }
    while (small > 0 && large < length) {
        unsigned one = order[--small], other = order[large];
        k[one] = other;
        v[one] = (one + p[one]) / length;
        p[other] -= 1 - p[one];
        if (p[other] < 1) {
            large++;
            order[small++] = other;
        }
    }
}

/* Fills in the memory of a distribution at address `at` on the device. `order` is room for as many numbers as there are
 * intervals. */
static void fill(char *memory, CUdeviceptr at, double *probabilities, unsigned length, unsigned least, double lambda,
                 unsigned *order)
{
    CUdeviceptr v = at + sizeof(struct head), k = v + (length + 1) * sizeof(double);
    bool square = length > 0;
    struct head head = {
        .discrete = {.square = square ? (void *)(uintptr_t)(at + offsetof(struct head, shift)) : NULL,
                     .deviation = sqrt(lambda),
                     .mean = lambda,
                     .method = square ? DISCRETE_SQUARE : DISCRETE_NORMAL},
        .shift = {.histogram = (void *)(uintptr_t)(at + offsetof(struct head, histogram)),
                  .shift = least,
                  .length = length},
        .histogram = {.v = (double *)(uintptr_t)v, .k = (unsigned *)(uintptr_t)k},
    };
    memcpy(memory, &head, sizeof head);
    double *host_v = (double *)(void *)(memory + sizeof head);
    unsigned *host_k = (unsigned *)(void *)(host_v + length + 1);
    if (square)
        divide(probabilities, length, host_v, host_k, order);
    host_v[length] = 0;
    host_k[length] = square ? (unsigned)lambda - least : 0;
}

static curandStatus_t upload(const void *memory, CUdeviceptr at, size_t bytes)
{
    return cuMemcpyHtoD_v2(at, memory, bytes) == CUDA_SUCCESS ? CURAND_STATUS_SUCCESS
                                                              : CURAND_STATUS_INITIALIZATION_FAILED;
}

static curandStatus_t make(double lambda, void **out)
{
    enum { SQUARE_MOST = 2000 }; /* as documented */
    unsigned length = 0, least = 0;
    CUdeviceptr at = 0;
    double *probabilities = lambda <= SQUARE_MOST ? poisson_probabilities(lambda, &length, &least) : NULL;
    size_t bytes = bytes_of(length);
    char *memory = calloc(1, bytes);
    unsigned *order = calloc(length + 1, sizeof *order);
    curandStatus_t status = CURAND_STATUS_ALLOCATION_FAILED;
    if (memory != NULL && order != NULL && (probabilities != NULL || lambda > SQUARE_MOST) &&
        cuMemAlloc_v2(&at, bytes) == CUDA_SUCCESS) {
        fill(memory, at, probabilities, length, least, lambda, order);
        status = upload(memory, at, bytes);
    }
    free(probabilities);
    free(memory);
    free(order);
    if (status == CURAND_STATUS_SUCCESS)
        *out = (void *)(uintptr_t)at;
    else if (at != 0)
        cuMemFree_v2(at);
    return status;
}

RAND_API(curandCreatePoissonDistribution, double lambda, void **distribution)
{
    CUdevice device;
    if (distribution == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!(lambda > 0 && lambda <= POISSON_MOST))
        return CURAND_STATUS_OUT_OF_RANGE;
    return abi_enter(&device) ? make(lambda, distribution) : CURAND_STATUS_INITIALIZATION_FAILED;
}

RAND_API(curandDestroyDistribution, void *distribution)
{
    return distribution != NULL && cuMemFree_v2((CUdeviceptr)(uintptr_t)distribution) == CUDA_SUCCESS
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_NOT_INITIALIZED;
}
