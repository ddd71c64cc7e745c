/* Functions of the driver API: modules, libraries, kernels, functions and launches. A function without a definition
 * in this folder answers "not supported" (driver/device/stubs.c). */
#ifndef SUBCORE_DRIVER_ABI_API_MODULE_H
#define SUBCORE_DRIVER_ABI_API_MODULE_H

#include "driver/abi/array_structs.h"
#include "driver/abi/device.h"
#include "driver/abi/device_structs.h"
#include "driver/abi/enums.h"
#include "driver/abi/export.h"
#include "driver/abi/handles.h"
#include "driver/abi/launch_structs.h"
#include "driver/abi/result.h"

DRIVER_API CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type);
DRIVER_API CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc);
DRIVER_API CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc);
DRIVER_API CUresult cuFuncGetName(const char **name, CUfunction hfunc);
DRIVER_API CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize);
DRIVER_API CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function);
DRIVER_API CUresult cuFuncLoad(CUfunction function);
DRIVER_API CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value);
DRIVER_API CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z);
DRIVER_API CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config);
DRIVER_API CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config);
DRIVER_API CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes);
DRIVER_API CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev);
DRIVER_API CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel);
DRIVER_API CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel);
DRIVER_API CUresult cuKernelGetName(const char **name, CUkernel hfunc);
DRIVER_API CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize);
DRIVER_API CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev);
DRIVER_API CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev);
DRIVER_API CUresult cuLaunch(CUfunction f);
DRIVER_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                              unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                              unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                              void **kernelParams);
DRIVER_API CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList, unsigned int numDevices,
                                                         unsigned int flags);
DRIVER_API CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                                   unsigned int gridDimZ, unsigned int blockDimX,
                                                   unsigned int blockDimY, unsigned int blockDimZ,
                                                   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams);
DRIVER_API CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height);
DRIVER_API CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream);
DRIVER_API CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra);
DRIVER_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra);
DRIVER_API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                                          void **extra);
DRIVER_API CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                        void **kernelParams, void **extra);
DRIVER_API CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib);
DRIVER_API CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name);
DRIVER_API CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name);
DRIVER_API CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib);
DRIVER_API CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name);
DRIVER_API CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library);
DRIVER_API CUresult cuLibraryGetUnifiedFunction(void **fptr, CUlibrary library, const char *symbol);
DRIVER_API CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                      void **jitOptionsValues, unsigned int numJitOptions,
                                      CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                      unsigned int numLibraryOptions);
DRIVER_API CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                                          void **jitOptionsValues, unsigned int numJitOptions,
                                          CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                          unsigned int numLibraryOptions);
DRIVER_API CUresult cuLibraryUnload(CUlibrary library);
DRIVER_API CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                                  unsigned int numOptions, CUjit_option *options, void **optionValues);
DRIVER_API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                                     unsigned int numOptions, CUjit_option *options, void **optionValues);
DRIVER_API CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                                  CUjit_option *options, void **optionValues);
DRIVER_API CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                                     CUjit_option *options, void **optionValues);
DRIVER_API CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut);
DRIVER_API CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                                 CUlinkState *stateOut);
DRIVER_API CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                                    CUlinkState *stateOut);
DRIVER_API CUresult cuLinkDestroy(CUlinkState state);
DRIVER_API CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod);
DRIVER_API CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name);
DRIVER_API CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod);
DRIVER_API CUresult cuModuleGetGlobal(CUdeviceptr_v1 *dptr, unsigned int *bytes, CUmodule hmod, const char *name);
DRIVER_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name);
DRIVER_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
DRIVER_API CUresult cuModuleLoad(CUmodule *module, const char *fname);
DRIVER_API CUresult cuModuleLoadData(CUmodule *module, const void *image);
DRIVER_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                       CUjit_option *options, void **optionValues);
DRIVER_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin);
DRIVER_API CUresult cuModuleUnload(CUmodule hmod);
DRIVER_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks,
                                                            int blockSize);
DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                                size_t dynamicSMemSize);
DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                                         size_t dynamicSMemSize, unsigned int flags);
DRIVER_API CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func, const CUlaunchConfig *config);
DRIVER_API CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                                     CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                     size_t dynamicSMemSize, int blockSizeLimit);
DRIVER_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                              CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                              size_t dynamicSMemSize, int blockSizeLimit,
                                                              unsigned int flags);
DRIVER_API CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func, const CUlaunchConfig *config);
DRIVER_API CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes);
DRIVER_API CUresult cuParamSetf(CUfunction hfunc, int offset, float value);
DRIVER_API CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value);
DRIVER_API CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes);
DRIVER_API CUresult cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name);
DRIVER_API CUresult cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name);
DRIVER_API CUresult cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef);
DRIVER_API CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags);
DRIVER_API CUresult cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim);
DRIVER_API CUresult cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetMaxAnisotropy(int *pmaxAniso, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *pfm, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetMipmapLevelBias(float *pbias, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                                CUtexref hTexRef);
DRIVER_API CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef);
DRIVER_API CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr,
                                            size_t Pitch);
DRIVER_API CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am);
DRIVER_API CUresult cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes);
DRIVER_API CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags);
DRIVER_API CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor);
DRIVER_API CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm);
DRIVER_API CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags);
DRIVER_API CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents);
DRIVER_API CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso);
DRIVER_API CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm);
DRIVER_API CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias);
DRIVER_API CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp);
DRIVER_API CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags);

#endif
