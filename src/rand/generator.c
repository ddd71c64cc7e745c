/* Generators and their settings. */
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_module.h"
#include "driver/abi/enter.h"
#include "rand/poisson.h"
#include "rand/streams.h"

typedef struct rand *curandGenerator_t;

/* Loads the kernels of a generator's type. */
static bool load(struct rand *rand)
{
    size_t count;
    const char *name = rand->type == RAND_PHILOX ? "rand" : "streams";
    const struct embedded *files = embedded_rand(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].name, name) == 0)
            return cuLibraryLoadData(&rand->image, files[i].data, NULL, NULL, 0, NULL, NULL, 0) == CUDA_SUCCESS;
    return false;
}

/* Writes the type without its alias. */
static curandStatus_t type_of(const char *function, int *type)
{
    if (*type == RAND_DEFAULT)
        *type = RAND_XORWOW;
    if (*type == RAND_XORWOW || *type == RAND_MRG32K3A || *type == RAND_PHILOX)
        return CURAND_STATUS_SUCCESS;
    rand_refuse(function, "this generator: there are XORWOW, MRG32k3a and Philox");
    return CURAND_STATUS_TYPE_ERROR;
}

static curandStatus_t make(curandGenerator_t *out, int type, bool on_host)
{
    struct rand *rand = calloc(1, sizeof *rand);
    if (rand == NULL)
        return CURAND_STATUS_ALLOCATION_FAILED;
    *rand = (struct rand){.magic = RAND_MAGIC, .type = type, .ordering = RAND_IN_ORDER, .on_host = on_host};
    *out = rand;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandCreateGenerator, curandGenerator_t *out, int type)
{
    CUdevice device;
    struct rand *rand;
    if (out == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    curandStatus_t status = type_of("curandCreateGenerator", &type);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    if (!abi_enter(&device))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    status = make(&rand, type, false);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    cuDeviceGetAttribute(&rand->processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    if (!load(rand)) {
        free(rand);
        return CURAND_STATUS_ARCH_MISMATCH;
    }
    *out = rand;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandCreateGeneratorHost, curandGenerator_t *out, int type)
{
    if (out == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    curandStatus_t status = type_of("curandCreateGeneratorHost", &type);
    return status == CURAND_STATUS_SUCCESS ? make(out, type, true) : status;
}

RAND_API(curandDestroyGenerator, curandGenerator_t rand)
{
    if (!rand_lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    streams_release(rand);
    poisson_release(rand);
    if (rand->image != NULL)
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
    if (!rand_lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    rand->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandSetPseudoRandomGeneratorSeed, curandGenerator_t rand, unsigned long long seed)
{
    if (!rand_lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    rand->seed = seed;
    streams_restart(rand);
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandSetGeneratorOffset, curandGenerator_t rand, unsigned long long offset)
{
    if (!rand_lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    rand->offset = offset;
    streams_restart(rand);
    return CURAND_STATUS_SUCCESS;
}

RAND_API(curandSetGeneratorOrdering, curandGenerator_t rand, int ordering)
{
    if (!rand_lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (ordering < RAND_BEST || ordering > RAND_DYNAMIC || (ordering == RAND_DYNAMIC && rand->on_host))
        return CURAND_STATUS_OUT_OF_RANGE;
    rand->ordering = ordering;
    if (rand->type != RAND_PHILOX)
        streams_restart(rand);
    return CURAND_STATUS_SUCCESS;
}

/* There is no quasi-random generator yet. */
RAND_API(curandSetQuasiRandomGeneratorDimensions, curandGenerator_t rand, unsigned dimensions)
{
    enum { MOST = 20000 };
    if (!rand_lives(rand))
        return CURAND_STATUS_NOT_INITIALIZED;
    return dimensions < 1 || dimensions > MOST ? CURAND_STATUS_OUT_OF_RANGE : CURAND_STATUS_TYPE_ERROR;
}
