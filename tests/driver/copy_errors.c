/* Copies that are refused. */
#include <sys/mman.h>

#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { ROOM = 1 << 16 };

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr p = 0;
    SUCCEEDS(cuMemAlloc_v2(&p, bytes));
    return p;
}

static uint64_t number(const void *p) { return (uintptr_t)p; }

static void ranges_have_to_lie_in_one_allocation(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    static uint8_t host[8192];
    CUdeviceptr a = allocate(4096), b = allocate(4096), gone = allocate(4096);
    SUCCEEDS(cuMemFree_v2(gone));
    SUCCEEDS(cuMemcpyHtoD_v2(a + 96, host, 4000));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a + 96, host, 4001));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(host, a, 4097));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(host, a - 1, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD_v2(a, b, 4097));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD_v2(a, gone, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD_v2(gone, a, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(host, a, SIZE_MAX));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(0, host, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a, NULL, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(NULL, a, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy(a, 0, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy(gone, a, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(number(host), host + 4096, 1));     /* not known to the device */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a, (const void *)(uintptr_t)b, 1)); /* not seen by the host */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2((void *)(uintptr_t)b, a, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2((void *)(uintptr_t)gone, a, 1));
    SUCCEEDS(cuMemcpyHtoD_v2(gone, NULL, 0));
    SUCCEEDS(cuMemcpyDtoD_v2(0, 0, 0));
    SUCCEEDS(cuMemcpyDtoHAsync_v2(NULL, 0, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyHtoDAsync_v2(a, host, 1, (CUstream)(void *)host));
    SUCCEEDS(cuCtxDestroy_v2(context));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyHtoD_v2(a, host, 1));
}

static void host_memory_that_is_not_there_is_found_out(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr a = allocate(3 * 4096);
    char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(munmap(p + 8192, 4096), 0);
    assert_int_equal(mprotect(p + 4096, 4096, PROT_READ), 0);
    SUCCEEDS(cuMemcpyHtoD_v2(a, p, 8192));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a, p, 8193));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoDAsync_v2(a, p + 8191, 2, NULL));
    SUCCEEDS(cuMemcpyDtoH_v2(p, a, 4096));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(p, a, 4097));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoHAsync_v2(p + 4096, a, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a, (const void *)(uintptr_t)0x10, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a, (const void *)(uintptr_t)0xdead000000000000, 16));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a, (const void *)UINTPTR_MAX, 16));
    munmap(p, 8192);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void pitches_and_heights_have_to_hold_the_box(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    static uint8_t host[ROOM];
    const CUDA_MEMCPY3D good = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = host,
                                .srcXInBytes = 4,
                                .srcPitch = 20,
                                .srcHeight = 5,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = allocate(16 * 5 * 3),
                                .dstPitch = 16,
                                .dstHeight = 5,
                                .WidthInBytes = 16,
                                .Height = 5,
                                .Depth = 3};
    CUDA_MEMCPY3D box = good;
    SUCCEEDS(cuMemcpy3D_v2(&box));
    box.srcPitch = 19;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.srcPitch = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.srcHeight = 4;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.srcPitch = (size_t)1 << 31;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.srcLOD = 1;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.dstPitch = 17;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box)); /* past the allocation */
    box = good, box.dstZ = 1;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.dstZ = SIZE_MAX / 2;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.dstMemoryType = (CUmemorytype)0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.dstMemoryType = (CUmemorytype)5;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box = good, box.Depth = 0, box.srcPitch = 0;
    SUCCEEDS(cuMemcpy3D_v2(&box));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DAsync_v2(NULL, NULL));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void peers_have_to_be_contexts(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr a = allocate(64), b = allocate(64);
    uint8_t out[64];
    SUCCEEDS(cuMemsetD8_v2(b, 3, 64));
    SUCCEEDS(cuMemcpyPeer(a, context, b, context, 64));
    SUCCEEDS(cuMemcpyPeerAsync(a, context, b, context, 64, NULL));
    SUCCEEDS(cuMemcpyDtoH_v2(out, a, 64));
    assert_int_equal(out[63], 3);
    CUDA_MEMCPY3D_PEER box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcDevice = b,
                              .srcContext = context,
                              .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                              .dstDevice = a,
                              .dstContext = context,
                              .WidthInBytes = 64,
                              .Height = 1,
                              .Depth = 1};
    SUCCEEDS(cuMemcpy3DPeer(&box));
    SUCCEEDS(cuMemcpy3DPeerAsync(&box, NULL));
    box.srcContext = NULL;
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpy3DPeer(&box));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DPeer(NULL));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(a, context, b, NULL, 64));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(a, (CUcontext)(void *)out, b, context, 64));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(ranges_have_to_lie_in_one_allocation), UNIT(host_memory_that_is_not_there_is_found_out),
           UNIT(pitches_and_heights_have_to_hold_the_box), UNIT(peers_have_to_be_contexts))
