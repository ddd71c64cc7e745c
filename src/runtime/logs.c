/* The error log: it is the driver's. */
#include "runtime/abi/api_device.h"
#include "runtime/runtime.h"

/* The levels of both have the same numbers. */
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                     cudaLogsCallbackHandle *callback_out)
{
    RUNTIME_CALL;
    return runtime_answer(cuLogsRegisterCallback((CUlogsCallback)callbackFunc, userData, callback_out));
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback)
{
    RUNTIME_CALL;
    return runtime_answer(cuLogsUnregisterCallback(callback));
}

cudaError_t cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags)
{
    RUNTIME_CALL;
    return runtime_answer(cuLogsCurrent(iterator_out, flags));
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile, unsigned int flags)
{
    RUNTIME_CALL;
    return runtime_answer(cuLogsDumpToFile(iterator, pathToFile, flags));
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size, unsigned int flags)
{
    RUNTIME_CALL;
    return runtime_answer(cuLogsDumpToMemory(iterator, buffer, size, flags));
}
