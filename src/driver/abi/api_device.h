/* Functions of the driver API: start, devices, contexts, errors, peers. A function without a definition in this
 * folder answers "not supported" (driver/device/stubs.c). */
#ifndef SUBCORE_DRIVER_ABI_API_DEVICE_H
#define SUBCORE_DRIVER_ABI_API_DEVICE_H

#include "driver/abi/device.h"
#include "driver/abi/device_structs.h"
#include "driver/abi/enums.h"
#include "driver/abi/export.h"
#include "driver/abi/handles.h"
#include "driver/abi/result.h"
#include "driver/abi/stream_enums.h"

DRIVER_API CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags);
DRIVER_API CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev);
DRIVER_API CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
DRIVER_API CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags,
                                   CUdevice dev);
DRIVER_API CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                                   CUdevice dev);
DRIVER_API CUresult cuCtxDestroy(CUcontext ctx);
DRIVER_API CUresult cuCtxDestroy_v2(CUcontext ctx);
DRIVER_API CUresult cuCtxDetach(CUcontext ctx);
DRIVER_API CUresult cuCtxDisablePeerAccess(CUcontext peerContext);
DRIVER_API CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags);
DRIVER_API CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version);
DRIVER_API CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig);
DRIVER_API CUresult cuCtxGetCurrent(CUcontext *pctx);
DRIVER_API CUresult cuCtxGetDevice(CUdevice *device);
DRIVER_API CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx);
DRIVER_API CUresult cuCtxGetFlags(unsigned int *flags);
DRIVER_API CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId);
DRIVER_API CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit);
DRIVER_API CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig);
DRIVER_API CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
DRIVER_API CUresult cuCtxPopCurrent(CUcontext *pctx);
DRIVER_API CUresult cuCtxPopCurrent_v2(CUcontext *pctx);
DRIVER_API CUresult cuCtxPushCurrent(CUcontext ctx);
DRIVER_API CUresult cuCtxPushCurrent_v2(CUcontext ctx);
DRIVER_API CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent);
DRIVER_API CUresult cuCtxResetPersistingL2Cache(void);
DRIVER_API CUresult cuCtxSetCacheConfig(CUfunc_cache config);
DRIVER_API CUresult cuCtxSetCurrent(CUcontext ctx);
DRIVER_API CUresult cuCtxSetFlags(unsigned int flags);
DRIVER_API CUresult cuCtxSetLimit(CUlimit limit, size_t value);
DRIVER_API CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);
DRIVER_API CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent);
DRIVER_API CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev);
DRIVER_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev);
DRIVER_API CUresult cuDeviceGet(CUdevice *device, int ordinal);
DRIVER_API CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev);
DRIVER_API CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId);
DRIVER_API CUresult cuDeviceGetCount(int *count);
DRIVER_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev);
DRIVER_API CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev);
DRIVER_API CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value);
DRIVER_API CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
                                                      unsigned int count, CUdevice dev);
DRIVER_API CUresult cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev);
DRIVER_API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev);
DRIVER_API CUresult cuDeviceGetName(char *name, int len, CUdevice dev);
DRIVER_API CUresult cuDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, CUdevice dev, int flags);
DRIVER_API CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
                                                     unsigned int count, CUdevice srcDevice, CUdevice dstDevice);
DRIVER_API CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                            CUdevice dstDevice);
DRIVER_API CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev);
DRIVER_API CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev);
DRIVER_API CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                                       unsigned int numChannels, CUdevice dev);
DRIVER_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev);
DRIVER_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev);
DRIVER_API CUresult cuDeviceGraphMemTrim(CUdevice device);
DRIVER_API CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active);
DRIVER_API CUresult cuDevicePrimaryCtxRelease(CUdevice dev);
DRIVER_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev);
DRIVER_API CUresult cuDevicePrimaryCtxReset(CUdevice dev);
DRIVER_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev);
DRIVER_API CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev);
DRIVER_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags);
DRIVER_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags);
DRIVER_API CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value);
DRIVER_API CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool);
DRIVER_API CUresult cuDeviceTotalMem(unsigned int *bytes, CUdevice dev);
DRIVER_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev);
DRIVER_API CUresult cuDriverGetVersion(int *driverVersion);
DRIVER_API CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                               CUflushGPUDirectRDMAWritesScope scope);
DRIVER_API CUresult cuGetErrorName(CUresult error, const char **pStr);
DRIVER_API CUresult cuGetErrorString(CUresult error, const char **pStr);
DRIVER_API CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId);
DRIVER_API CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags);
DRIVER_API CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult *symbolStatus);
DRIVER_API CUresult cuInit(unsigned int Flags);
DRIVER_API CUresult cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags);
DRIVER_API CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile, unsigned int flags);
DRIVER_API CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size, unsigned int flags);
DRIVER_API CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
                                           CUlogsCallbackHandle *callback_out);
DRIVER_API CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback);

#endif
