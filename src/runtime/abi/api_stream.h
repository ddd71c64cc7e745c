/* Functions of the runtime API: streams and events. With _ptsz or _ptds no stream is the thread's own. */
#ifndef SUBCORE_RUNTIME_ABI_API_STREAM_H
#define SUBCORE_RUNTIME_ABI_API_STREAM_H

#include "runtime/abi/export.h"
#include "runtime/abi/launch.h"

RUNTIME_API cudaError_t cudaEventCreate(cudaEvent_t *event);
RUNTIME_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
RUNTIME_API cudaError_t cudaEventDestroy(cudaEvent_t event);
RUNTIME_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);
RUNTIME_API cudaError_t cudaEventQuery(cudaEvent_t event);
RUNTIME_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
RUNTIME_API cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream);
RUNTIME_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags);
RUNTIME_API cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned int flags);
RUNTIME_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
RUNTIME_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData);
RUNTIME_API cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t fn, void *userData);
RUNTIME_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                              unsigned int flags);
RUNTIME_API cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                                   unsigned int flags);
RUNTIME_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags);
RUNTIME_API cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void *devPtr, size_t length,
                                                      unsigned int flags);
RUNTIME_API cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
RUNTIME_API cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t dst, cudaStream_t src);
RUNTIME_API cudaError_t cudaStreamCreate(cudaStream_t *pStream);
RUNTIME_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags);
RUNTIME_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority);
RUNTIME_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
RUNTIME_API cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                               cudaLaunchAttributeValue *value_out);
RUNTIME_API cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                                    cudaLaunchAttributeValue *value_out);
RUNTIME_API cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device);
RUNTIME_API cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t hStream, int *device);
RUNTIME_API cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags);
RUNTIME_API cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t hStream, unsigned int *flags);
RUNTIME_API cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId);
RUNTIME_API cudaError_t cudaStreamGetId_ptsz(cudaStream_t hStream, unsigned long long *streamId);
RUNTIME_API cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority);
RUNTIME_API cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t hStream, int *priority);
RUNTIME_API cudaError_t cudaStreamQuery(cudaStream_t stream);
RUNTIME_API cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream);
RUNTIME_API cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                               const cudaLaunchAttributeValue *value);
RUNTIME_API cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                                    const cudaLaunchAttributeValue *value);
RUNTIME_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
RUNTIME_API cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
RUNTIME_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
RUNTIME_API cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned int flags);

#endif
