/* Generators, and the numbers that they make on the device. */
#include <stdlib.h>

#include "base/embed.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_module.h"
#include "driver/abi/enter.h"
#include "rand/kernels/rand.h"
#include "rand/rand.h"

typedef struct rand *curandGenerator_t;

static bool lives(const struct rand *rand) { return rand != NULL && rand->magic == RAND_MAGIC; }

RAND_API(curandCreateGenerator, curandGenerator_t *out, int type)
{
    CUdevice device;
    size_t count;
    if (out == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (type != RAND_DEFAULT && type != RAND_PHILOX) {
        rand_refuse("curandCreateGenerator", "this generator: ours are the default and Philox");
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (!abi_enter(&device))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    struct rand *rand = calloc(1, sizeof *rand);
    if (rand == NULL)
        return CURAND_STATUS_ALLOCATION_FAILED;
    *rand = (struct rand){.magic = RAND_MAGIC};
    cuDeviceGetAttribute(&rand->processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    const struct embedded *files = embedded_rand(&count);
    if (count == 0 || cuLibraryLoadData(&rand->image, files[0].data, NULL, NULL, 0, NULL, NULL, 0) != CUDA_SUCCESS) {
        free(rand);
        return CURAND_STATUS_ARCH_MISMATCH;
    }
    *out = rand;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandDestroyGenerator, curandGenerator_t rand)
{
    if (!lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    cuLibraryUnload(rand->image);
    rand->magic = 0;
    free(rand);
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandGetVersion, int *version)
{
    if (version == NULL)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = 10400;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandGetProperty, int which, int *value)
{
    static const int numbers[] = {10, 4, 0};
    if (value == NULL || which < 0 || which > 2)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = numbers[which];
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandSetStream, curandGenerator_t rand, CUstream stream)
{
    if (!lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    rand->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandSetPseudoRandomGeneratorSeed, curandGenerator_t rand, unsigned long long seed)
{
    if (!lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    rand->seed = seed;
    rand->used = 0;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandSetGeneratorOffset, curandGenerator_t rand, unsigned long long offset)
{
    if (!lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    rand->offset = offset;
    rand->used = 0;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandSetGeneratorOrdering, curandGenerator_t rand, int ordering)
{
    if (!lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    return ordering >= RAND_BEST && ordering <= RAND_DYNAMIC ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}

RAND_API(curandGenerateSeeds, curandGenerator_t rand)
{
    return lives(rand) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED; /* nothing has to be prepared */
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Generates `count` numbers, each of so many words. They come in pairs if `paired`. */
static curandStatus_t generate(struct rand *rand, const char *kernel, void *result, size_t count, unsigned each,
                               bool paired, double mean, double deviation)
{
    CUkernel function;
    struct rand_arguments g = {
        .result = result, .count = count, .seed = rand != NULL ? rand->seed : 0, .mean = mean, .deviation = deviation};
    if (!lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (paired && count % 2 != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (count == 0)
        return CURAND_STATUS_SUCCESS;
    if (result == NULL || (paired && !(deviation >= 0)))
        return CURAND_STATUS_OUT_OF_RANGE;
    g.offset = rand->offset + rand->used;
    if (cuLibraryGetKernel(&function, rand->image, kernel) != CUDA_SUCCESS)
        return CURAND_STATUS_ARCH_MISMATCH;
    size_t blocks = (count + RAND_THREADS - 1) / RAND_THREADS, most = 8 * (size_t)rand->processors;
    void *arguments[] = {&g};
    if (cuLaunchKernel((CUfunction)(void *)function, (unsigned)(blocks < most ? blocks : most), 1, 1, RAND_THREADS, 1,
                       1, 0, rand->stream, arguments, NULL) != CUDA_SUCCESS)
        return CURAND_STATUS_LAUNCH_FAILURE;
    rand->used += count * each;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandGenerate, curandGenerator_t rand, unsigned *result, size_t count)
{
    return generate(rand, "subcore_rand_bits", result, count, 1, false, 0, 0);
}

RAND_API(curandGenerateUniform, curandGenerator_t rand, float *result, size_t count)
{
    return generate(rand, "subcore_rand_uniform_f32", result, count, 1, false, 0, 0);
}

RAND_API(curandGenerateUniformDouble, curandGenerator_t rand, double *result, size_t count)
{
    return generate(rand, "subcore_rand_uniform_f64", result, count, 2, false, 0, 0);
}

RAND_API(curandGenerateNormal, curandGenerator_t rand, float *result, size_t count, float mean, float deviation)
{
    return generate(rand, "subcore_rand_normal_f32", result, count, 1, true, (double)mean, (double)deviation);
}

RAND_API(curandGenerateNormalDouble, curandGenerator_t rand, double *result, size_t count, double mean,
         double deviation)
{
    return generate(rand, "subcore_rand_normal_f64", result, count, 2, true, mean, deviation);
}

RAND_API(curandGenerateLogNormal, curandGenerator_t rand, float *result, size_t count, float mean, float deviation)
{
    return generate(rand, "subcore_rand_lognormal_f32", result, count, 1, true, (double)mean, (double)deviation);
}

RAND_API(curandGenerateLogNormalDouble, curandGenerator_t rand, double *result, size_t count, double mean,
         double deviation)
{
    return generate(rand, "subcore_rand_lognormal_f64", result, count, 2, true, mean, deviation);
}
