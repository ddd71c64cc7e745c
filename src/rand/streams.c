#include "rand/streams.h"

#include <stdlib.h>

#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "rand/kernels/rand.h"

/* As documented for the orderings. */
static unsigned count_of(const struct rand *rand)
{
    enum { FEW = 4096, MANY = 81920 };
    return rand->type == RAND_MRG32K3A && rand->ordering != RAND_LEGACY ? MANY : FEW;
}

static void fill(const struct rand *rand, uint32_t *words, unsigned count)
{
    if (rand->type == RAND_MRG32K3A)
        mrg_streams(words, count, rand->seed, rand->offset);
    else if (rand->ordering == RAND_SEEDED)
        xorwow_seeded_streams(words, count, rand->seed, rand->offset);
    else
        xorwow_streams(words, count, rand->seed, rand->offset);
}

/* Copies the states to the device. Kernels of earlier calls may still change the old ones. */
static curandStatus_t upload(struct rand *rand, const uint32_t *words, size_t bytes)
{
    struct rand_streams *s = &rand->streams;
    if (cuStreamSynchronize(rand->stream) != CUDA_SUCCESS)
        return CURAND_STATUS_LAUNCH_FAILURE;
    if (s->bytes != bytes && s->device != 0) {
        cuMemFree_v2(s->device);
        s->device = 0;
    }
    if (s->device == 0 && cuMemAlloc_v2(&s->device, bytes) != CUDA_SUCCESS)
        return CURAND_STATUS_ALLOCATION_FAILED;
    s->bytes = bytes;
    return cuMemcpyHtoD_v2(s->device, words, bytes) == CUDA_SUCCESS ? CURAND_STATUS_SUCCESS
                                                                    : CURAND_STATUS_LAUNCH_FAILURE;
}

curandStatus_t streams_prepare(struct rand *rand)
{
    struct rand_streams *s = &rand->streams;
    if (rand->type == RAND_PHILOX || s->ready)
        return CURAND_STATUS_SUCCESS;
    unsigned count = count_of(rand);
    size_t bytes = (size_t)count * RAND_STATE_WORDS * sizeof(uint32_t);
    uint32_t *words = malloc(bytes);
    if (words == NULL)
        return CURAND_STATUS_ALLOCATION_FAILED;
    fill(rand, words, count);
    curandStatus_t status = rand->on_host ? CURAND_STATUS_SUCCESS : upload(rand, words, bytes);
    free(s->host);
    s->host = NULL;
    if (rand->on_host)
        s->host = words;
    else
        free(words);
    s->count = count;
    s->first = (unsigned)(rand->offset % count);
    s->ready = status == CURAND_STATUS_SUCCESS;
    return status;
}

void streams_restart(struct rand *rand)
{
    rand->streams.ready = false;
    rand->used = 0;
}

void streams_release(struct rand *rand)
{
    free(rand->streams.host);
    if (rand->streams.device != 0)
        cuMemFree_v2(rand->streams.device);
}
