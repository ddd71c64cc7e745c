/* Functions that only the runtime of CUDA 12 has, and functions whose names mean something else in CUDA 13. Compiled
 * for libcudart.so.12 only, behind twelve.h. */
#include <assert.h>
#include <string.h>

#include "driver/abi/api_device.h"
#include "runtime/abi/api_copy.h"
#include "runtime/abi/api_device.h"
#include "runtime/abi/api_graph.h"
#include "runtime/abi/api_memory.h"
#include "runtime/abi/api_stream.h"
#include "runtime/runtime.h"

/* struct cudaDeviceProp of CUDA 12: order and sizes are the documented ones. */
struct properties {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int reserved[63];
};

static_assert(sizeof(struct properties) == 1032, "as in CUDA 12");

static cudaError_t properties_read(struct properties *prop, int device)
{
    struct cudaDeviceProp now;
    cudaError_t error = prop == NULL ? runtime_done(cudaErrorInvalidValue) : runtime_device_properties(&now, device);
    if (error != cudaSuccess)
        return error;
    memset(prop, 0, sizeof *prop);
    memcpy(prop->name, now.name, sizeof prop->name);
    prop->uuid = now.uuid;
    prop->totalGlobalMem = now.totalGlobalMem;
#define NUMBER(field, attribute) prop->field = now.field;
#define SIZE(field, attribute) prop->field = now.field;
#define NEWER(field, attribute)
#include "runtime/properties.def"
#undef NUMBER
#undef SIZE
#undef NEWER
    prop->clockRate = runtime_attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
    prop->deviceOverlap = runtime_attribute(CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, device);
    prop->kernelExecTimeoutEnabled = runtime_attribute(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, device);
    prop->computeMode = runtime_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device);
    prop->maxTexture1DLinear = runtime_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, device);
    prop->memoryClockRate = runtime_attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device);
    prop->singleToDoublePrecisionPerfRatio =
        runtime_attribute(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, device);
    return cudaSuccess;
}

RUNTIME_API cudaError_t cudaGetDeviceProperties_v2(struct properties *prop, int device);
cudaError_t cudaGetDeviceProperties_v2(struct properties *prop, int device)
{
    RUNTIME_CALL;
    return properties_read(prop, device);
}

/* Programs of CUDA 11 have the fields up to hostRegisterSupported only. */
#undef cudaGetDeviceProperties
RUNTIME_API cudaError_t cudaGetDeviceProperties(void *prop, int device);
cudaError_t cudaGetDeviceProperties(void *prop, int device)
{
    RUNTIME_CALL;
    struct properties all;
    cudaError_t error = prop == NULL ? runtime_done(cudaErrorInvalidValue) : properties_read(&all, device);
    if (error == cudaSuccess)
        memcpy(prop, &all, offsetof(struct properties, hostRegisterSupported));
    return error;
}

/* ---- pointers and managed memory --------------------------------------------------------------------------------- */

#undef cudaPointerGetAttributes
RUNTIME_API cudaError_t cudaPointerGetAttributes(void *attributes, const void *ptr);
cudaError_t cudaPointerGetAttributes(void *attributes, const void *ptr)
{
    RUNTIME_CALL;
    struct cudaPointerAttributes now;
    cudaError_t error = runtime_pointer_attributes(attributes == NULL ? NULL : &now, ptr);
    if (error == cudaSuccess)
        memcpy(attributes, &now, offsetof(struct cudaPointerAttributes, reserved));
    return error;
}

/* The host is device -1. */
static struct cudaMemLocation location(int device)
{
    return device < 0 ? (struct cudaMemLocation){.type = cudaMemLocationTypeHost}
                      : (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

#undef cudaMemAdvise
RUNTIME_API cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice, int device);
cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice, int device)
{
    RUNTIME_CALL;
    return cudaMemAdvise_v2(pointer, count, advice, location(device));
}

#undef cudaMemPrefetchAsync
RUNTIME_API cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemPrefetchAsync_v2(pointer, count, location(device), 0, stream);
}

#undef cudaMemPrefetchAsync_ptsz
RUNTIME_API cudaError_t cudaMemPrefetchAsync_ptsz(const void *pointer, size_t count, int device, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_ptsz(const void *pointer, size_t count, int device, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemPrefetchAsync_v2(pointer, count, location(device), 0, runtime_own(stream));
}

/* ---- copies in batches: which one failed is told ----------------------------------------------------------------- */

/* SIZE_MAX says that the failure is not one copy's own. */
static cudaError_t failed(cudaError_t error, size_t *index)
{
    if (error != cudaSuccess && index != NULL)
        *index = SIZE_MAX;
    return error;
}

#define COPY_BATCH(name, copy)                                                                                         \
    RUNTIME_API cudaError_t name(void **to, void **from, size_t *sizes, size_t count,                                  \
                                 struct cudaMemcpyAttributes *attributes, size_t *indices, size_t number,              \
                                 size_t *failed_index, cudaStream_t stream);                                           \
    cudaError_t name(void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes,     \
                     size_t *indices, size_t number, size_t *failed_index, cudaStream_t stream)                        \
    {                                                                                                                  \
        return failed(                                                                                                 \
            copy((void *const *)to, (const void *const *)from, sizes, count, attributes, indices, number, stream),     \
            failed_index);                                                                                             \
    }
#undef cudaMemcpyBatchAsync
COPY_BATCH(cudaMemcpyBatchAsync, runtime_copy_batch)
#undef cudaMemcpyBatchAsync_ptsz
COPY_BATCH(cudaMemcpyBatchAsync_ptsz, runtime_copy_batch_ptsz)

#define COPY_BOXES(name, copy)                                                                                         \
    RUNTIME_API cudaError_t name(size_t count, struct cudaMemcpy3DBatchOp *list, size_t *failed_index,                 \
                                 unsigned long long flags, cudaStream_t stream);                                       \
    cudaError_t name(size_t count, struct cudaMemcpy3DBatchOp *list, size_t *failed_index, unsigned long long flags,   \
                     cudaStream_t stream)                                                                              \
    {                                                                                                                  \
        return failed(copy(count, list, flags, stream), failed_index);                                                 \
    }
#undef cudaMemcpy3DBatchAsync
COPY_BOXES(cudaMemcpy3DBatchAsync, runtime_copy_boxes)
#undef cudaMemcpy3DBatchAsync_ptsz
COPY_BOXES(cudaMemcpy3DBatchAsync_ptsz, runtime_copy_boxes_ptsz)
