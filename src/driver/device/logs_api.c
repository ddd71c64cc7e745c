/* The functions of the error log. They need no cuInit. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "driver/abi/api_device.h"
#include "driver/state/call.h"
#include "driver/state/log_callbacks.h"
#include "driver/state/logs.h"
#include "driver/state/thread.h"

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData, CUlogsCallbackHandle *callback_out)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    if (!callbackFunc)
        return call_end(&call, logs_refuse("callbackFunc is NULL"));
    CUlogsCallbackHandle callback = log_callback_add(call.driver, callbackFunc, userData);
    if (!callback)
        return call_end(&call, CUDA_ERROR_OUT_OF_MEMORY);
    if (callback_out)
        *callback_out = callback;
    return call_end(&call, result);
}

/* The callback does not run any more when this returns, except for a call from within a callback: that one may be
 * it. */
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    if (!log_callback_remove(call.driver, callback, !call.thread->logging))
        result = logs_refuse("callback is not registered");
    return call_end(&call, result);
}

CUresult cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    if (!iterator_out || flags != 0)
        result = logs_refuse(iterator_out ? "flags is not 0" : "iterator_out is NULL");
    else
        *iterator_out = call.driver->logs.next;
    return call_end(&call, result);
}

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile, unsigned int flags)
{
    struct call call;
    struct logs_dump dump;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    const struct logs *logs = &call.driver->logs;
    if (!pathToFile || flags != 0)
        return call_end(&call, logs_refuse(pathToFile ? "flags is not 0" : "pathToFile is NULL"));
    result = logs_choose(logs, iterator, SIZE_MAX, &dump);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    FILE *file = fopen(pathToFile, "ae"); /* a program that dumps new entries keeps the old ones */
    bool written = file && fprintf(file, "%s%s", dump.note, logs->text + dump.offset) >= 0;
    if ((file && fclose(file) != 0) || !written) {
        logs_note("%s: %s", pathToFile, strerror(errno));
        return call_end(&call, CUDA_ERROR_INVALID_VALUE);
    }
    if (iterator)
        *iterator = logs->next;
    return call_end(&call, result);
}

CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size, unsigned int flags)
{
    struct call call;
    struct logs_dump dump;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    const struct logs *logs = &call.driver->logs;
    if (!buffer || !size || flags != 0)
        return call_end(&call, logs_refuse(!buffer ? "buffer is NULL" : !size ? "size is NULL" : "flags is not 0"));
    size_t bytes = *size;
    result = logs_choose(logs, iterator, bytes > 0 ? bytes - 1 : 0, &dump);
    *size = 0;
    if (result == CUDA_SUCCESS && iterator)
        *iterator = logs->next;
    if (bytes > 0)
        *size = (size_t)snprintf(buffer, bytes, "%s%s", dump.note, logs->text + dump.offset);
    return call_end(&call, result);
}
