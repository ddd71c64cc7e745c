/* Names of the runtime's handles: the objects are the driver's. */
#ifndef SUBCORE_RUNTIME_ABI_HANDLES_H
#define SUBCORE_RUNTIME_ABI_HANDLES_H

#include "driver/abi/device_structs.h"
#include "driver/abi/handles.h"

struct dim3 {
    unsigned int x;
    unsigned int y;
    unsigned int z;
};
typedef struct dim3 dim3;
struct cudaArray;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct CUuuid_st cudaUUID_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphDeviceUpdatableNode_st *cudaGraphDeviceNode_t;
typedef struct CUlogsCallbackEntry_st *cudaLogsCallbackHandle;
typedef unsigned int cudaLogIterator;

#endif
