/* Structures of devices, contexts and the log. The documented fields stand in their order. */
#ifndef SUBCORE_DRIVER_ABI_DEVICE_STRUCTS_H
#define SUBCORE_DRIVER_ABI_DEVICE_STRUCTS_H

#include "driver/abi/enums.h"
#include "driver/abi/handles.h"

typedef void (*CUlogsCallback)(void *, CUlogLevel, char *, size_t);

typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;

typedef struct CUdevprop_st {
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int sharedMemPerBlock;
    int totalConstantMemory;
    int SIMDWidth;
    int memPitch;
    int regsPerBlock;
    int clockRate;
    int textureAlign;
} CUdevprop;
typedef CUdevprop CUdevprop_v1;

typedef struct CUexecAffinitySmCount_st {
    unsigned int val;
} CUexecAffinitySmCount;
typedef CUexecAffinitySmCount CUexecAffinitySmCount_v1;

typedef struct CUexecAffinityParam_st {
    CUexecAffinityType type;
    union {
        CUexecAffinitySmCount smCount;
    } param;
} CUexecAffinityParam;
typedef CUexecAffinityParam CUexecAffinityParam_v1;

typedef struct CUctxCigParam_st {
    CUcigDataType sharedDataType;
    void *sharedData;
} CUctxCigParam;

typedef struct CUctxCreateParams_st {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    CUctxCigParam *cigParams;
} CUctxCreateParams;

#endif
