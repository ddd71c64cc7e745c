/* Functions of the driver API: streams and events. A function without a definition in this folder answers "not
 * supported" (driver/device/stubs.c). */
#ifndef SUBCORE_DRIVER_ABI_API_STREAM_H
#define SUBCORE_DRIVER_ABI_API_STREAM_H

#include "driver/abi/export.h"
#include "driver/abi/handles.h"
#include "driver/abi/launch_structs.h"
#include "driver/abi/result.h"
#include "driver/abi/stream_enums.h"
#include "driver/abi/stream_structs.h"

DRIVER_API CUresult cuCtxSynchronize(void);
DRIVER_API CUresult cuCtxSynchronize_v2(CUcontext ctx);
DRIVER_API CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags);
DRIVER_API CUresult cuEventDestroy(CUevent hEvent);
DRIVER_API CUresult cuEventDestroy_v2(CUevent hEvent);
DRIVER_API CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);
DRIVER_API CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd);
DRIVER_API CUresult cuEventQuery(CUevent hEvent);
DRIVER_API CUresult cuEventRecord(CUevent hEvent, CUstream hStream);
DRIVER_API CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags);
DRIVER_API CUresult cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream, unsigned int flags);
DRIVER_API CUresult cuEventRecord_ptsz(CUevent hEvent, CUstream hStream);
DRIVER_API CUresult cuEventSynchronize(CUevent hEvent);
DRIVER_API CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData);
DRIVER_API CUresult cuLaunchHostFunc_ptsz(CUstream hStream, CUhostFn fn, void *userData);
DRIVER_API CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                        unsigned int flags);
DRIVER_API CUresult cuStreamAddCallback_ptsz(CUstream hStream, CUstreamCallback callback, void *userData,
                                             unsigned int flags);
DRIVER_API CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags);
DRIVER_API CUresult cuStreamAttachMemAsync_ptsz(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags);
DRIVER_API CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                                       unsigned int flags);
DRIVER_API CUresult cuStreamBatchMemOp_ptsz(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                                            unsigned int flags);
DRIVER_API CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                                          unsigned int flags);
DRIVER_API CUresult cuStreamBatchMemOp_v2_ptsz(CUstream stream, unsigned int count,
                                               CUstreamBatchMemOpParams *paramArray, unsigned int flags);
DRIVER_API CUresult cuStreamCopyAttributes(CUstream dstStream, CUstream srcStream);
DRIVER_API CUresult cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src);
DRIVER_API CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags);
DRIVER_API CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority);
DRIVER_API CUresult cuStreamDestroy(CUstream hStream);
DRIVER_API CUresult cuStreamDestroy_v2(CUstream hStream);
DRIVER_API CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value);
DRIVER_API CUresult cuStreamGetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out);
DRIVER_API CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx);
DRIVER_API CUresult cuStreamGetCtx_ptsz(CUstream hStream, CUcontext *pctx);
DRIVER_API CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx);
DRIVER_API CUresult cuStreamGetCtx_v2_ptsz(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx);
DRIVER_API CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device);
DRIVER_API CUresult cuStreamGetDevice_ptsz(CUstream hStream, CUdevice *device);
DRIVER_API CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags);
DRIVER_API CUresult cuStreamGetFlags_ptsz(CUstream hStream, unsigned int *flags);
DRIVER_API CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId);
DRIVER_API CUresult cuStreamGetId_ptsz(CUstream hStream, unsigned long long *streamId);
DRIVER_API CUresult cuStreamGetPriority(CUstream hStream, int *priority);
DRIVER_API CUresult cuStreamGetPriority_ptsz(CUstream hStream, int *priority);
DRIVER_API CUresult cuStreamQuery(CUstream hStream);
DRIVER_API CUresult cuStreamQuery_ptsz(CUstream hStream);
DRIVER_API CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param);
DRIVER_API CUresult cuStreamSetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value);
DRIVER_API CUresult cuStreamSynchronize(CUstream hStream);
DRIVER_API CUresult cuStreamSynchronize_ptsz(CUstream hStream);
DRIVER_API CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags);
DRIVER_API CUresult cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent, unsigned int Flags);
DRIVER_API CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWaitValue32_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWaitValue32_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                                unsigned int flags);
DRIVER_API CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWaitValue64_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWaitValue64_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                                unsigned int flags);
DRIVER_API CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWriteValue32_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                                 unsigned int flags);
DRIVER_API CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWriteValue64_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags);
DRIVER_API CUresult cuStreamWriteValue64_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                                 unsigned int flags);
DRIVER_API CUresult cuProfilerStart(void);
DRIVER_API CUresult cuProfilerStop(void);

#endif
