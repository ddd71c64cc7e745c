/* Functions of the runtime API: devices, errors, versions. With _ptsz or _ptds no stream is the thread's own. */
#ifndef SUBCORE_RUNTIME_ABI_API_DEVICE_H
#define SUBCORE_RUNTIME_ABI_API_DEVICE_H

#include "runtime/abi/device.h"
#include "runtime/abi/export.h"
#include "runtime/abi/launch.h"

RUNTIME_API cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
RUNTIME_API cudaError_t cudaCtxResetPersistingL2Cache(void);
RUNTIME_API cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice);
RUNTIME_API cudaError_t cudaDeviceDisablePeerAccess(int peerDevice);
RUNTIME_API cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
RUNTIME_API cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                                           enum cudaFlushGPUDirectRDMAWritesScope scope);
RUNTIME_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
RUNTIME_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);
RUNTIME_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig);
RUNTIME_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device);
RUNTIME_API cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                            const enum cudaAtomicOperation *operations,
                                                            unsigned int count, int device);
RUNTIME_API cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit);
RUNTIME_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device);
RUNTIME_API cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                                           const enum cudaAtomicOperation *operations,
                                                           unsigned int count, int srcDevice, int dstDevice);
RUNTIME_API cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                                  int dstDevice);
RUNTIME_API cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
RUNTIME_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig);
RUNTIME_API cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
RUNTIME_API cudaError_t cudaDeviceReset(void);
RUNTIME_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);
RUNTIME_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
RUNTIME_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);
RUNTIME_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
RUNTIME_API cudaError_t cudaDeviceSynchronize(void);
RUNTIME_API cudaError_t cudaDriverGetVersion(int *driverVersion);
RUNTIME_API cudaError_t cudaGetDevice(int *device);
RUNTIME_API cudaError_t cudaGetDeviceCount(int *count);
RUNTIME_API cudaError_t cudaGetDeviceFlags(unsigned int *flags);
RUNTIME_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
RUNTIME_API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                                enum cudaDriverEntryPointQueryResult *driverStatus);
RUNTIME_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr, unsigned long long flags,
                                                     enum cudaDriverEntryPointQueryResult *driverStatus);
RUNTIME_API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                                         unsigned long long flags,
                                                         enum cudaDriverEntryPointQueryResult *driverStatus);
RUNTIME_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr,
                                                              unsigned int cudaVersion, unsigned long long flags,
                                                              enum cudaDriverEntryPointQueryResult *driverStatus);
RUNTIME_API const char *cudaGetErrorName(cudaError_t error);
RUNTIME_API const char *cudaGetErrorString(cudaError_t error);
RUNTIME_API cudaError_t cudaGetLastError(void);
RUNTIME_API cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
RUNTIME_API cudaError_t cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags);
RUNTIME_API cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile, unsigned int flags);
RUNTIME_API cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size, unsigned int flags);
RUNTIME_API cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                                 cudaLogsCallbackHandle *callback_out);
RUNTIME_API cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback);
RUNTIME_API cudaError_t cudaPeekAtLastError(void);
RUNTIME_API cudaError_t cudaProfilerStart(void);
RUNTIME_API cudaError_t cudaProfilerStop(void);
RUNTIME_API cudaError_t cudaRuntimeGetVersion(int *runtimeVersion);
RUNTIME_API cudaError_t cudaSetDevice(int device);
RUNTIME_API cudaError_t cudaSetDeviceFlags(unsigned int flags);
RUNTIME_API cudaError_t cudaSetValidDevices(int *device_arr, int len);

#endif
