#include "driver/abi/api_module.h"
#include "runtime/abi/api_launch.h"
#include "runtime/images.h"
#include "runtime/runtime.h"

static cudaError_t enter_and_find(const void *func, CUkernel *kernel)
{
    cudaError_t error = runtime_enter();
    return error == cudaSuccess ? images_kernel(func, kernel) : error;
}

static cudaError_t read_attributes(struct cudaFuncAttributes *attr, CUkernel kernel, CUdevice device)
{
    int values[CU_FUNC_ATTRIBUTE_MAX] = {0};
    for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX; i++) {
        CUresult result = cuKernelGetAttribute(&values[i], (CUfunction_attribute)i, kernel, device);
        if (result != CUDA_SUCCESS)
            return (cudaError_t)result;
    }
    *attr = (struct cudaFuncAttributes){
        .sharedSizeBytes = (size_t)values[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES],
        .constSizeBytes = (size_t)values[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES],
        .localSizeBytes = (size_t)values[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES],
        .maxThreadsPerBlock = values[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK],
        .numRegs = values[CU_FUNC_ATTRIBUTE_NUM_REGS],
        .ptxVersion = values[CU_FUNC_ATTRIBUTE_PTX_VERSION],
        .binaryVersion = values[CU_FUNC_ATTRIBUTE_BINARY_VERSION],
        .cacheModeCA = values[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA],
        .maxDynamicSharedSizeBytes = values[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES],
        .preferredShmemCarveout = values[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT],
        .clusterDimMustBeSet = values[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET],
        .requiredClusterWidth = values[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH],
        .requiredClusterHeight = values[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT],
        .requiredClusterDepth = values[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH],
        .clusterSchedulingPolicyPreference = values[CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE],
        .nonPortableClusterSizeAllowed = values[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED],
    };
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    RUNTIME_CALL;
    CUkernel kernel;
    CUdevice device = 0;
    cudaError_t error = attr == NULL ? cudaErrorInvalidValue : enter_and_find(func, &kernel);
    if (error == cudaSuccess)
        error = (cudaError_t)cuCtxGetDevice(&device);
    return runtime_done(error == cudaSuccess ? read_attributes(attr, kernel, device) : error);
}

static cudaError_t set_attribute(CUkernel kernel, enum cudaFuncAttribute attr, int value, CUdevice device)
{
    if (attr < cudaFuncAttributeMaxDynamicSharedMemorySize || attr >= cudaFuncAttributeMax)
        return cudaErrorInvalidValue;
    return (cudaError_t)cuKernelSetAttribute((CUfunction_attribute)attr, value, kernel, device);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    RUNTIME_CALL;
    CUkernel kernel;
    CUdevice device = 0;
    cudaError_t error = enter_and_find(func, &kernel);
    if (error == cudaSuccess)
        error = (cudaError_t)cuCtxGetDevice(&device);
    return runtime_done(error == cudaSuccess ? set_attribute(kernel, attr, value, device) : error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value, int device)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_check_device(device);
    if (error == cudaSuccess)
        error = runtime_enter();
    return runtime_done(error == cudaSuccess ? set_attribute(kernel, attr, value, device) : error);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    RUNTIME_CALL;
    CUkernel kernel;
    CUdevice device = 0;
    cudaError_t error = enter_and_find(func, &kernel);
    if (error == cudaSuccess)
        error = (cudaError_t)cuCtxGetDevice(&device);
    if (error == cudaSuccess)
        error = (cudaError_t)cuKernelSetCacheConfig(kernel, (CUfunc_cache)cacheConfig, device);
    return runtime_done(error);
}

/* The width of banks has been fixed since compute capability 5: a valid wish changes nothing. */
cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    RUNTIME_CALL;
    CUkernel kernel;
    cudaError_t error = enter_and_find(func, &kernel);
    if (error == cudaSuccess && (unsigned)config > cudaSharedMemBankSizeEightByte)
        error = cudaErrorInvalidValue;
    return runtime_done(error);
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    RUNTIME_CALL;
    CUkernel kernel;
    cudaError_t error = name == NULL ? cudaErrorInvalidValue : enter_and_find(func, &kernel);
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuKernelGetName(name, kernel) : error);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    RUNTIME_CALL;
    CUkernel kernel;
    cudaError_t error = paramOffset == NULL ? cudaErrorInvalidValue : enter_and_find(func, &kernel);
    if (error == cudaSuccess)
        error = (cudaError_t)cuKernelGetParamInfo(kernel, paramIndex, paramOffset, paramSize);
    return runtime_done(error);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    RUNTIME_CALL;
    CUkernel kernel;
    cudaError_t error = functionPtr == NULL ? cudaErrorInvalidValue : enter_and_find(symbolPtr, &kernel);
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuKernelGetFunction(functionPtr, kernel) : error);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    RUNTIME_CALL;
    return runtime_done(kernelPtr == NULL ? cudaErrorInvalidValue : enter_and_find(entryFuncAddr, kernelPtr));
}
