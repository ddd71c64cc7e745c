#include "driver/abi/api_module.h"
#include "runtime/abi/api_launch.h"
#include "runtime/images.h"
#include "runtime/launch.h"
#include "runtime/runtime.h"

/* The driver takes kernels for functions. */
static cudaError_t enter_and_find(const void *func, CUfunction *function)
{
    CUkernel kernel = NULL;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = images_kernel(func, &kernel);
    *function = (CUfunction)(void *)kernel;
    return error;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
                                                                   size_t dynamicSMemSize, unsigned int flags)
{
    RUNTIME_CALL;
    CUfunction function;
    cudaError_t error = numBlocks == NULL ? cudaErrorInvalidValue : enter_and_find(func, &function);
    if (error == cudaSuccess)
        error = (cudaError_t)cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, function, blockSize,
                                                                                  dynamicSMemSize, flags);
    return runtime_done(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                          size_t dynamicSMemSize)
{
    RUNTIME_CALL;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func, int numBlocks,
                                                      int blockSize)
{
    RUNTIME_CALL;
    CUfunction function;
    cudaError_t error = dynamicSmemSize == NULL ? cudaErrorInvalidValue : enter_and_find(func, &function);
    if (error == cudaSuccess)
        error = (cudaError_t)cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, function, numBlocks, blockSize);
    return runtime_done(error);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func, const cudaLaunchConfig_t *launchConfig)
{
    RUNTIME_CALL;
    CUfunction function;
    bool given = numClusters != NULL && launchConfig != NULL;
    cudaError_t error = given ? enter_and_find(func, &function) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return runtime_done(error);
    CUlaunchConfig config = launch_config(launchConfig);
    return runtime_answer(cuOccupancyMaxActiveClusters(numClusters, function, &config));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                 const cudaLaunchConfig_t *launchConfig)
{
    RUNTIME_CALL;
    CUfunction function;
    bool given = clusterSize != NULL && launchConfig != NULL;
    cudaError_t error = given ? enter_and_find(func, &function) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return runtime_done(error);
    CUlaunchConfig config = launch_config(launchConfig);
    return runtime_answer(cuOccupancyMaxPotentialClusterSize(clusterSize, function, &config));
}
