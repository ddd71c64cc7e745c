#include "driver/abi/api_graph.h"
#include "runtime/abi/api_graph.h"
#include "runtime/runtime.h"

static const CUgraphEdgeData *edges(const cudaGraphEdgeData *data)
{
    return (const CUgraphEdgeData *)(const void *)data;
}

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphCreate(pGraph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphDestroy(graph));
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphClone(pGraphClone, originalGraph));
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphDestroyNode(node));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphNodeFindInClone(pNode, originalNode, clonedGraph));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphNodeGetType(node, (CUgraphNodeType *)pType));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphGetNodes(graph, nodes, numNodes));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphGetRootNodes(graph, pRootNodes, pNumRootNodes));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edgeData, size_t *numEdges)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphGetEdges_v2(graph, from, to, (CUgraphEdgeData *)(void *)edgeData, numEdges));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                         cudaGraphEdgeData *edgeData, size_t *pNumDependencies)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(
        cuGraphNodeGetDependencies_v2(node, pDependencies, (CUgraphEdgeData *)(void *)edgeData, pNumDependencies));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                           cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphNodeGetDependentNodes_v2(node, pDependentNodes, (CUgraphEdgeData *)(void *)edgeData,
                                                   pNumDependentNodes));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphAddDependencies_v2(graph, from, to, edges(edgeData), numDependencies));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphRemoveDependencies_v2(graph, from, to, edges(edgeData), numDependencies));
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphDebugDotPrint(graph, path, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
    RUNTIME_CALL;
    return cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *instantiateParams)
{
    RUNTIME_CALL;
    if (instantiateParams == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = instantiateParams->flags,
                                            .hUploadStream = instantiateParams->uploadStream};
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphInstantiateWithParams(pGraphExec, graph, &params);
    instantiateParams->errNode_out = params.hErrNode_out;
    instantiateParams->result_out = (cudaGraphInstantiateResult)params.result_out;
    return runtime_done(error);
}

cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *instantiateParams)
{
    RUNTIME_CALL;
    enum { UPLOAD = 2 }; /* the flag with which the stream counts */
    if (instantiateParams == NULL)
        return runtime_done(cudaErrorInvalidValue);
    if ((instantiateParams->flags & UPLOAD) != 0)
        instantiateParams->uploadStream = runtime_own(instantiateParams->uploadStream);
    return cudaGraphInstantiateWithParams(pGraphExec, graph, instantiateParams);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphUpload(graphExec, stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphLaunch(graphExec, stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphExecDestroy(graphExec));
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags)
{
    RUNTIME_CALL;
    cuuint64_t value = 0;
    cudaError_t error = flags == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphExecGetFlags(graphExec, &value);
    if (error == cudaSuccess)
        *flags = value;
    return runtime_done(error);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo)
{
    RUNTIME_CALL;
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    cudaError_t error = resultInfo == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error != cudaSuccess)
        return runtime_done(error);
    error = (cudaError_t)cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);
    *resultInfo = (cudaGraphExecUpdateResultInfo){.result = (enum cudaGraphExecUpdateResult)info.result,
                                                  .errorNode = info.errorNode,
                                                  .errorFromNode = info.errorFromNode};
    return runtime_done(error);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int *isEnabled)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphNodeGetEnabled(hGraphExec, hNode, isEnabled));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphNodeSetEnabled(hGraphExec, hNode, isEnabled));
}
