#include "runtime/node.h"

#include "driver/abi/api_graph.h"
#include "driver/abi/api_module.h"
#include "runtime/abi/api_graph.h"
#include "runtime/copy.h"
#include "runtime/images.h"
#include "runtime/launch.h"
#include "runtime/runtime.h"

cudaError_t node_kernel(const struct cudaKernelNodeParams *params, CUDA_KERNEL_NODE_PARAMS *driver)
{
    CUkernel kernel;
    CUfunction function;
    if (params == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = images_kernel(params->func, &kernel);
    if (error == cudaSuccess)
        error = (cudaError_t)cuKernelGetFunction(&function, kernel);
    struct launch_shape shape = {.grid = params->gridDim, .block = params->blockDim};
    if (error == cudaSuccess)
        error = launch_check(&shape);
    if (error != cudaSuccess)
        return error;
    *driver = (CUDA_KERNEL_NODE_PARAMS){
        .func = function,
        .gridDimX = params->gridDim.x,
        .gridDimY = params->gridDim.y,
        .gridDimZ = params->gridDim.z,
        .blockDimX = params->blockDim.x,
        .blockDimY = params->blockDim.y,
        .blockDimZ = params->blockDim.z,
        .sharedMemBytes = params->sharedMemBytes,
        .kernelParams = params->kernelParams,
        .extra = params->extra,
    };
    return cudaSuccess;
}

cudaError_t node_memset(const struct cudaMemsetParams *params, CUDA_MEMSET_NODE_PARAMS *driver)
{
    if (params == NULL)
        return cudaErrorInvalidValue;
    *driver = (CUDA_MEMSET_NODE_PARAMS){.dst = runtime_pointer(params->dst),
                                        .pitch = params->pitch,
                                        .value = params->value,
                                        .elementSize = params->elementSize,
                                        .width = params->width,
                                        .height = params->height};
    return cudaSuccess;
}

cudaError_t node_host(const struct cudaHostNodeParams *params, CUDA_HOST_NODE_PARAMS *driver)
{
    if (params == NULL || params->fn == NULL)
        return cudaErrorInvalidValue;
    *driver = (CUDA_HOST_NODE_PARAMS){.fn = params->fn, .userData = params->userData};
    return cudaSuccess;
}

cudaError_t node_line(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, CUDA_MEMCPY3D *driver)
{
    struct cudaMemcpy3DParms parms = {.srcPtr = {(void *)(uintptr_t)src, count, count, 1},
                                      .dstPtr = {dst, count, count, 1},
                                      .extent = {count, 1, 1},
                                      .kind = kind};
    return copy_box_of(&parms, driver);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams)
{
    RUNTIME_CALL;
    CUDA_KERNEL_NODE_PARAMS driver = {.func = NULL};
    cudaError_t error = pNodeParams == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphKernelNodeGetParams_v2(node, &driver);
    if (error != cudaSuccess)
        return runtime_done(error);
    CUfunction function = driver.func != NULL ? driver.func : (CUfunction)(void *)driver.kern;
    const void *host = images_host(function);
    *pNodeParams = (struct cudaKernelNodeParams){
        .func = host != NULL ? (void *)(uintptr_t)host : (void *)function,
        .gridDim = {driver.gridDimX, driver.gridDimY, driver.gridDimZ},
        .blockDim = {driver.blockDimX, driver.blockDimY, driver.blockDimZ},
        .sharedMemBytes = driver.sharedMemBytes,
        .kernelParams = driver.kernelParams,
        .extra = driver.extra,
    };
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *pNodeParams)
{
    RUNTIME_CALL;
    CUDA_MEMCPY3D driver;
    cudaError_t error = pNodeParams == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphMemcpyNodeGetParams(node, &driver);
    return runtime_done(error == cudaSuccess ? copy_parms_of(&driver, pNodeParams) : error);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams)
{
    RUNTIME_CALL;
    CUDA_MEMSET_NODE_PARAMS driver;
    cudaError_t error = pNodeParams == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphMemsetNodeGetParams(node, &driver);
    if (error == cudaSuccess)
        *pNodeParams = (struct cudaMemsetParams){.dst = (void *)(uintptr_t)driver.dst,
                                                 .pitch = driver.pitch,
                                                 .value = driver.value,
                                                 .elementSize = driver.elementSize,
                                                 .width = driver.width,
                                                 .height = driver.height};
    return runtime_done(error);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams)
{
    RUNTIME_CALL;
    CUDA_HOST_NODE_PARAMS driver;
    cudaError_t error = pNodeParams == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphHostNodeGetParams(node, &driver);
    if (error == cudaSuccess)
        *pNodeParams = (struct cudaHostNodeParams){.fn = driver.fn, .userData = driver.userData};
    return runtime_done(error);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphChildGraphNodeGetGraph(node, pGraph));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphEventRecordNodeGetEvent(node, event_out));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphEventWaitNodeGetEvent(node, event_out));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphMemAllocNodeGetParams(node, (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)params_out));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphMemFreeNodeGetParams(node, (CUdeviceptr *)dptr_out));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphKernelNodeCopyAttributes(hDst, hSrc));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue *value_out)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(
        cuGraphKernelNodeGetAttribute(hNode, (CUkernelNodeAttrID)attr, (CUkernelNodeAttrValue *)(void *)value_out));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue *value)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphKernelNodeSetAttribute(hNode, (CUkernelNodeAttrID)attr,
                                                 (const CUkernelNodeAttrValue *)(const void *)value));
}
