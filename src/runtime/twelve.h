/* The runtime of CUDA 12 is the one of CUDA 13 compiled once more, with this header in front of each file. Where a name
 * of CUDA 13 means another function in CUDA 12, the code gets the name that CUDA 12 has for it, or one that is not
 * exported; twelve.c has the older functions. */
#ifndef SUBCORE_RUNTIME_TWELVE_H
#define SUBCORE_RUNTIME_TWELVE_H

#define RUNTIME_TWELVE

#define cudaGetDeviceProperties runtime_device_properties
#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#define cudaMemAdvise cudaMemAdvise_v2
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#define cudaMemPrefetchAsync_ptsz cudaMemPrefetchAsync_v2_ptsz
#define cudaMemcpy3DBatchAsync runtime_copy_boxes
#define cudaMemcpy3DBatchAsync_ptsz runtime_copy_boxes_ptsz
#define cudaMemcpyBatchAsync runtime_copy_batch
#define cudaMemcpyBatchAsync_ptsz runtime_copy_batch_ptsz
#define cudaPointerGetAttributes runtime_pointer_attributes
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamGetCaptureInfo_ptsz cudaStreamGetCaptureInfo_v3_ptsz
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
#define cudaStreamUpdateCaptureDependencies_ptsz cudaStreamUpdateCaptureDependencies_v2_ptsz

#endif
