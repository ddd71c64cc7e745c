/* Parameters of graph nodes in the driver's form. All need a context. */
#ifndef SUBCORE_RUNTIME_NODE_H
#define SUBCORE_RUNTIME_NODE_H

#include "driver/abi/graph_structs.h"
#include "runtime/abi/graph.h"

cudaError_t node_kernel(const struct cudaKernelNodeParams *params, CUDA_KERNEL_NODE_PARAMS *driver);
cudaError_t node_memset(const struct cudaMemsetParams *params, CUDA_MEMSET_NODE_PARAMS *driver);
cudaError_t node_host(const struct cudaHostNodeParams *params, CUDA_HOST_NODE_PARAMS *driver);
/* A copy of one line, as a box. */
cudaError_t node_line(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, CUDA_MEMCPY3D *driver);

#endif
