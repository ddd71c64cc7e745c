#include "runtime/abi/api_device.h"
#include "runtime/runtime.h"

cudaError_t cudaGetLastError(void)
{
    RUNTIME_CALL;
    return runtime_last_error(true);
}

cudaError_t cudaPeekAtLastError(void)
{
    RUNTIME_CALL;
    return runtime_last_error(false);
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch ((int)error) {
#define ERROR(name, text)                                                                                              \
    case name:                                                                                                         \
        return #name;
#include "runtime/errors.def"
#undef ERROR
    default: return "unrecognized error code";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
#define ERROR(name, text)                                                                                              \
    case name:                                                                                                         \
        return text;
#include "runtime/errors.def"
#undef ERROR
    default: return "unrecognized error code";
    }
}
