/* The functions that make numbers. */
#include <stdio.h>

#include "driver/abi/api_module.h"
#include "rand/host.h"
#include "rand/kernels/rand.h"
#include "rand/poisson.h"
#include "rand/streams.h"

typedef struct rand *curandGenerator_t;

/* One call. */
struct call {
    enum rand_kind kind;
    void *result;
    size_t count;
    double mean, deviation;
};

static const char *kind_name(enum rand_kind kind)
{
    switch (kind) {
    case RAND_BITS: return "bits";
    case RAND_UNIFORM_F32: return "uniform_f32";
    case RAND_UNIFORM_F64: return "uniform_f64";
    case RAND_NORMAL_F32: return "normal_f32";
    case RAND_NORMAL_F64: return "normal_f64";
    case RAND_LOGNORMAL_F32: return "lognormal_f32";
    case RAND_LOGNORMAL_F64: return "lognormal_f64";
    default: return "poisson";
    }
}

static const char *type_name(int type)
{
    return type == RAND_PHILOX ? "" : type == RAND_MRG32K3A ? "mrg32k3a_" : "xorwow_";
}

/* The words of Philox's sequence that a number takes. */
static unsigned words_of(enum rand_kind kind)
{
    return kind == RAND_UNIFORM_F64 || kind == RAND_NORMAL_F64 || kind == RAND_LOGNORMAL_F64 || kind == RAND_POISSON
               ? 2
               : 1;
}

static struct rand_arguments arguments_of(const struct rand *rand, const struct call *c)
{
    return (struct rand_arguments){
        .result = c->result,
        .count = c->count,
        .seed = rand->seed,
        .offset = rand->offset + rand->used,
        .mean = c->mean,
        .deviation = c->deviation,
        .states = (unsigned *)(uintptr_t)rand->streams.device,
        .streams = rand->streams.count,
        .first = rand->streams.first,
        .table = (const double *)(uintptr_t)rand->table.device,
        .entries = rand->table.entries,
        .least = rand->table.least,
    };
}

static curandStatus_t launch(const struct rand *rand, const struct call *c)
{
    CUkernel function;
    char name[64];
    struct rand_arguments g = arguments_of(rand, c);
    void *arguments[] = {&g};
    snprintf(name, sizeof name, "subcore_rand_%s%s", type_name(rand->type), kind_name(c->kind));
    if (cuLibraryGetKernel(&function, rand->image, name) != CUDA_SUCCESS)
        return CURAND_STATUS_ARCH_MISMATCH;
    size_t threads = rand->type == RAND_PHILOX ? c->count : rand->streams.count;
    size_t blocks = (threads + RAND_THREADS - 1) / RAND_THREADS, most = 8 * (size_t)rand->processors;
    return cuLaunchKernel((CUfunction)(void *)function, (unsigned)(blocks < most ? blocks : most), 1, 1, RAND_THREADS,
                          1, 1, 0, rand->stream, arguments, NULL) == CUDA_SUCCESS
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_LAUNCH_FAILURE;
}

static curandStatus_t check(const struct rand *rand, const struct call *c)
{
    bool pairs = rand_in_pairs(c->kind);
    if (!rand_lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (pairs && c->count % 2 != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (c->kind == RAND_POISSON && !(c->mean > 0 && c->mean <= POISSON_MOST))
        return CURAND_STATUS_OUT_OF_RANGE;
    if (c->count > 0 && (c->result == NULL || (pairs && !(c->deviation >= 0))))
        return CURAND_STATUS_OUT_OF_RANGE;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t generate(struct rand *rand, const struct call *c)
{
    curandStatus_t status = check(rand, c);
    if (status != CURAND_STATUS_SUCCESS || c->count == 0)
        return status;
    status = streams_prepare(rand);
    if (status == CURAND_STATUS_SUCCESS && c->kind == RAND_POISSON)
        status = poisson_prepare(rand, c->mean);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    if (rand->on_host)
        host_numbers(rand, c->kind, c->result, c->count, c->mean, c->deviation);
    else
        status = launch(rand, c);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    rand->used += c->count * words_of(c->kind);
    if (rand->type != RAND_PHILOX) {
        size_t groups = rand_in_pairs(c->kind) ? c->count / 2 : c->count;
        rand->streams.first = (unsigned)((rand->streams.first + groups) % rand->streams.count);
    }
    return status;
}

RAND_API(curandGenerateSeeds, curandGenerator_t rand)
{
    return rand_lives(rand) ? streams_prepare(rand) : CURAND_STATUS_NOT_INITIALIZED;
}

RAND_API(curandGenerate, curandGenerator_t rand, unsigned *result, size_t count)
{
    struct call c = {RAND_BITS, result, count, 0, 0};
    return generate(rand, &c);
}

/* Only quasi-random generators of 64 bits have such numbers. */
RAND_API(curandGenerateLongLong, curandGenerator_t rand, unsigned long long *result, size_t count)
{
    (void)result, (void)count;
    return rand_lives(rand) ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_NOT_INITIALIZED;
}

RAND_API(curandGenerateUniform, curandGenerator_t rand, float *result, size_t count)
{
    struct call c = {RAND_UNIFORM_F32, result, count, 0, 0};
    return generate(rand, &c);
}

RAND_API(curandGenerateUniformDouble, curandGenerator_t rand, double *result, size_t count)
{
    struct call c = {RAND_UNIFORM_F64, result, count, 0, 0};
    return generate(rand, &c);
}

RAND_API(curandGenerateNormal, curandGenerator_t rand, float *result, size_t count, float mean, float deviation)
{
    struct call c = {RAND_NORMAL_F32, result, count, (double)mean, (double)deviation};
    return generate(rand, &c);
}

RAND_API(curandGenerateNormalDouble, curandGenerator_t rand, double *result, size_t count, double mean,
         double deviation)
{
    struct call c = {RAND_NORMAL_F64, result, count, mean, deviation};
    return generate(rand, &c);
}

RAND_API(curandGenerateLogNormal, curandGenerator_t rand, float *result, size_t count, float mean, float deviation)
{
    struct call c = {RAND_LOGNORMAL_F32, result, count, (double)mean, (double)deviation};
    return generate(rand, &c);
}

RAND_API(curandGenerateLogNormalDouble, curandGenerator_t rand, double *result, size_t count, double mean,
         double deviation)
{
    struct call c = {RAND_LOGNORMAL_F64, result, count, mean, deviation};
    return generate(rand, &c);
}

RAND_API(curandGeneratePoisson, curandGenerator_t rand, unsigned *result, size_t count, double lambda)
{
    struct call c = {RAND_POISSON, result, count, lambda, 0};
    return generate(rand, &c);
}
