/* cuRAND's functions, and memory on a simulated GPU. */
#ifndef SUBCORE_TESTS_RAND_RIG_H
#define SUBCORE_TESTS_RAND_RIG_H

#include <math.h>

#include "driver/abi/api_memory.h"
#include "rand/rand.h"
#include "tests/unit.h"

typedef struct rand *generator_t;
curandStatus_t curandCreateGenerator(generator_t *, int);
curandStatus_t curandCreateGeneratorHost(generator_t *, int);
curandStatus_t curandDestroyGenerator(generator_t);
curandStatus_t curandSetPseudoRandomGeneratorSeed(generator_t, unsigned long long);
curandStatus_t curandSetGeneratorOffset(generator_t, unsigned long long);
curandStatus_t curandSetGeneratorOrdering(generator_t, int);
curandStatus_t curandSetQuasiRandomGeneratorDimensions(generator_t, unsigned);
curandStatus_t curandGenerateSeeds(generator_t);
curandStatus_t curandGetVersion(int *);
curandStatus_t curandGetProperty(int, int *);
curandStatus_t curandGenerate(generator_t, unsigned *, size_t);
curandStatus_t curandGenerateLongLong(generator_t, unsigned long long *, size_t);
curandStatus_t curandGenerateUniform(generator_t, float *, size_t);
curandStatus_t curandGenerateUniformDouble(generator_t, double *, size_t);
curandStatus_t curandGenerateNormal(generator_t, float *, size_t, float, float);
curandStatus_t curandGenerateNormalDouble(generator_t, double *, size_t, double, double);
curandStatus_t curandGenerateLogNormal(generator_t, float *, size_t, float, float);
curandStatus_t curandGenerateLogNormalDouble(generator_t, double *, size_t, double, double);
curandStatus_t curandGeneratePoisson(generator_t, unsigned *, size_t, double);

#define GOOD(call) assert_int_equal((call), CURAND_STATUS_SUCCESS)

static inline generator_t generator_of(int type)
{
    generator_t g;
    setenv("SUBCORE_GPU", "a100", 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
    GOOD(curandCreateGenerator(&g, type));
    return g;
}

static inline void *room_of(size_t bytes)
{
    CUdeviceptr at;
    assert_int_equal(cuMemAlloc_v2(&at, bytes), CUDA_SUCCESS);
    return (void *)(uintptr_t)at;
}

static inline void fetch(void *host, const void *device, size_t bytes)
{
    assert_int_equal(cuMemcpyDtoH_v2(host, (CUdeviceptr)(uintptr_t)device, bytes), CUDA_SUCCESS);
}

static inline void release(void *device)
{
    assert_int_equal(cuMemFree_v2((CUdeviceptr)(uintptr_t)device), CUDA_SUCCESS);
}

/* Makes numbers of a kind, with mean 3 and deviation 0.5, or a Poisson mean of 3. */
static inline void make(generator_t g, enum rand_kind kind, void *at, size_t count)
{
    switch (kind) {
    case RAND_BITS: GOOD(curandGenerate(g, at, count)); break;
    case RAND_UNIFORM_F32: GOOD(curandGenerateUniform(g, at, count)); break;
    case RAND_UNIFORM_F64: GOOD(curandGenerateUniformDouble(g, at, count)); break;
    case RAND_NORMAL_F32: GOOD(curandGenerateNormal(g, at, count, 3, 0.5f)); break;
    case RAND_NORMAL_F64: GOOD(curandGenerateNormalDouble(g, at, count, 3, 0.5)); break;
    case RAND_LOGNORMAL_F32: GOOD(curandGenerateLogNormal(g, at, count, 3, 0.5f)); break;
    case RAND_LOGNORMAL_F64: GOOD(curandGenerateLogNormalDouble(g, at, count, 3, 0.5)); break;
    case RAND_POISSON: GOOD(curandGeneratePoisson(g, at, count, 3)); break;
    }
}

static inline size_t size_of(enum rand_kind kind)
{
    return kind == RAND_UNIFORM_F64 || kind == RAND_NORMAL_F64 || kind == RAND_LOGNORMAL_F64 ? 8 : 4;
}

/* Reads number i of a kind. */
static inline double number(const void *data, enum rand_kind kind, size_t i)
{
    if (kind == RAND_BITS || kind == RAND_POISSON)
        return ((const unsigned *)data)[i];
    return size_of(kind) == 8 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

#endif
