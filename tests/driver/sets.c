/* Sets of memory against a plain model, and the refusals. */
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { ROOM = 1 << 14 };

struct rng {
    uint64_t state;
};

static size_t below(struct rng *r, size_t n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((r->state >> 33) % n);
}

/* The three widths in the forms that exist. */
static CUresult line(unsigned form, CUdeviceptr to, unsigned bytes, unsigned value, size_t count)
{
    unsigned char c = (unsigned char)value;
    unsigned short s = (unsigned short)value;
    switch (form * 8 + bytes) {
    case 1: return cuMemsetD8_v2(to, c, count);
    case 2: return cuMemsetD16_v2(to, s, count);
    case 4: return cuMemsetD32_v2(to, value, count);
    case 8 + 1: return cuMemsetD8_v2_ptds(to, c, count);
    case 8 + 2: return cuMemsetD16_v2_ptds(to, s, count);
    case 8 + 4: return cuMemsetD32_v2_ptds(to, value, count);
    case 16 + 1: return cuMemsetD8Async(to, c, count, NULL);
    case 16 + 2: return cuMemsetD16Async(to, s, count, NULL);
    case 16 + 4: return cuMemsetD32Async(to, value, count, NULL);
    case 24 + 1: return cuMemsetD8Async_ptsz(to, c, count, NULL);
    case 24 + 2: return cuMemsetD16Async_ptsz(to, s, count, NULL);
    default: return cuMemsetD32Async_ptsz(to, value, count, NULL);
    }
}

static CUresult rows(unsigned form, CUdeviceptr to, size_t pitch, unsigned bytes, unsigned value, size_t width,
                     size_t height)
{
    unsigned char c = (unsigned char)value;
    unsigned short s = (unsigned short)value;
    switch (form * 8 + bytes) {
    case 1: return cuMemsetD2D8_v2(to, pitch, c, width, height);
    case 2: return cuMemsetD2D16_v2(to, pitch, s, width, height);
    case 4: return cuMemsetD2D32_v2(to, pitch, value, width, height);
    case 8 + 1: return cuMemsetD2D8_v2_ptds(to, pitch, c, width, height);
    case 8 + 2: return cuMemsetD2D16_v2_ptds(to, pitch, s, width, height);
    case 8 + 4: return cuMemsetD2D32_v2_ptds(to, pitch, value, width, height);
    case 16 + 1: return cuMemsetD2D8Async(to, pitch, c, width, height, NULL);
    case 16 + 2: return cuMemsetD2D16Async(to, pitch, s, width, height, NULL);
    case 16 + 4: return cuMemsetD2D32Async(to, pitch, value, width, height, NULL);
    case 24 + 1: return cuMemsetD2D8Async_ptsz(to, pitch, c, width, height, NULL);
    case 24 + 2: return cuMemsetD2D16Async_ptsz(to, pitch, s, width, height, NULL);
    default: return cuMemsetD2D32Async_ptsz(to, pitch, value, width, height, NULL);
    }
}

static void model_rows(uint8_t *to, size_t pitch, unsigned bytes, unsigned value, size_t width, size_t height)
{
    for (size_t y = 0; y < height; y++)
        for (size_t i = 0; i < width * bytes; i++)
            to[y * pitch + i] = (uint8_t)(value >> 8 * (i % bytes));
}

static void all_forms_write_their_elements_and_nothing_else(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct rng r = {5};
    static uint8_t model[ROOM], have[ROOM];
    CUdeviceptr p = 0;
    SUCCEEDS(cuMemAlloc_v2(&p, ROOM));
    for (unsigned i = 0; i < 240; i++) {
        unsigned bytes = 1u << i % 3, form = i / 3 % 4, value = (unsigned)below(&r, 1u << 31) * 2 + 1;
        size_t to = below(&r, ROOM / bytes) * bytes;
        if (i % 2 == 0) {
            size_t count = below(&r, (ROOM - to) / bytes + 1);
            SUCCEEDS(line(form, p + to, bytes, value, count));
            model_rows(model + to, 0, bytes, value, count, count > 0);
        } else {
            size_t width = 1 + below(&r, 30), height = 1 + below(&r, 20);
            size_t pitch = (width + below(&r, 30)) * bytes, span = (height - 1) * pitch + width * bytes;
            if (span > ROOM - to)
                to = 0;
            SUCCEEDS(rows(form, p + to, pitch, bytes, value, width, height));
            model_rows(model + to, pitch, bytes, value, width, height);
        }
        SUCCEEDS(cuCtxSynchronize());
        SUCCEEDS(cuMemcpyDtoH_v2(have, p, ROOM));
        assert_memory_equal(have, model, ROOM);
    }
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void sets_outside_of_memory_or_alignment_are_refused(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = 0;
    char host[64];
    SUCCEEDS(cuMemAlloc_v2(&p, 100));
    SUCCEEDS(cuMemsetD8_v2(p, 1, 100));
    SUCCEEDS(cuMemsetD32_v2(p, 1, 25));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(p, 1, 101));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(p, 1, 26));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD16_v2(p + 1, 1, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(p + 2, 1, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(p, 1, SIZE_MAX / 2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(0, 1, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2((CUdeviceptr)(uintptr_t)host, 1, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8_v2(p, 9, 1, 10, 2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D16_v2(p, 11, 1, 5, 2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32_v2(p, 48, 1, 13, 2));
    SUCCEEDS(cuMemsetD2D32_v2(p, 48, 1, 12, 2));
    SUCCEEDS(cuMemsetD2D8_v2(p, 0, 1, 100, 1));
    SUCCEEDS(cuMemsetD8_v2(0, 1, 0));
    SUCCEEDS(cuMemsetD2D32_v2(p, 0, 1, 0, 5));
    SUCCEEDS(cuMemsetD2D32_v2(p, 0, 1, 5, 0));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMemsetD8Async(p, 1, 1, (CUstream)(void *)host));
    SUCCEEDS(cuMemFree_v2(p));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(p, 1, 1));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(all_forms_write_their_elements_and_nothing_else), UNIT(sets_outside_of_memory_or_alignment_are_refused))
