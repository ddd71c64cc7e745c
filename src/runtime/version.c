#include "driver/abi/api_device.h"
#include "runtime/abi/api_device.h"
#include "runtime/runtime.h"

/* 1000 times major and 10 times minor version of CUDA. */
#ifdef RUNTIME_TWELVE
enum { RUNTIME_VERSION = 12090 };
#else
enum { RUNTIME_VERSION = 13000 };
#endif

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    RUNTIME_CALL;
    if (runtimeVersion == NULL)
        return runtime_done(cudaErrorInvalidValue);
    *runtimeVersion = RUNTIME_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    RUNTIME_CALL;
    if (driverVersion == NULL)
        return runtime_done(cudaErrorInvalidValue);
    return runtime_answer(cuDriverGetVersion(driverVersion));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *driverStatus)
{
    RUNTIME_CALL;
    if (symbol == NULL || funcPtr == NULL || symbol[0] == '\0' || flags > 2)
        return runtime_done(cudaErrorInvalidValue);
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    CUresult result = cuGetProcAddress_v2(symbol, funcPtr, (int)cudaVersion, flags, &status);
    if (driverStatus != NULL)
        *driverStatus = (enum cudaDriverEntryPointQueryResult)status;
    return runtime_answer(result);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *driverStatus)
{
    RUNTIME_CALL;
    return cudaGetDriverEntryPointByVersion(symbol, funcPtr, RUNTIME_VERSION, flags, driverStatus);
}

/* Flag 0 means the variant that the calling code was compiled for: 2 is the one with a default stream per thread. */
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *driverStatus)
{
    RUNTIME_CALL;
    return cudaGetDriverEntryPointByVersion(symbol, funcPtr, cudaVersion, flags == 0 ? 2 : flags, driverStatus);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *driverStatus)
{
    RUNTIME_CALL;
    return cudaGetDriverEntryPoint(symbol, funcPtr, flags == 0 ? 2 : flags, driverStatus);
}

/* There is no profiler to tell. */
cudaError_t cudaProfilerStart(void)
{
    RUNTIME_CALL;
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    RUNTIME_CALL;
    return cudaSuccess;
}
