/* The activity interface: kinds, functions, buffers. */
#include <stdio.h>
#include <string.h>

#include "cupti/state.h"

static struct cupti *locked(void)
{
    struct cupti *cupti = cupti_state();
    pthread_mutex_lock(&cupti->lock);
    return cupti;
}

static enum cupti_result unlocked(struct cupti *cupti, enum cupti_result result)
{
    bool listens = cupti_listen(cupti);
    pthread_mutex_unlock(&cupti->lock);
    return listens ? result : CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

/* ---- kinds with records ------------------------------------------------------------------------------------------ */

static void refuse_kind(struct cupti *cupti, int kind)
{
    if (!cupti->told_kinds[kind])
        fprintf(stderr, "subcore: activity records of kind %d are not supported by the simulator's own CUPTI\n", kind);
    cupti->told_kinds[kind] = true;
}

/* Concurrent kernels have one kind of record, serialized kernels another: a profiler cannot have both. The times never
 * include the library's overhead, and so it has no record. */
static enum cupti_result check_kind(struct cupti *cupti, int kind, bool enable)
{
    if (kind <= 0 || kind >= ACTIVITY_KINDS)
        return CUPTI_ERROR_INVALID_KIND;
    if (record_bytes((uint32_t)kind) == 0 && kind != ACTIVITY_OVERHEAD) {
        if (enable)
            refuse_kind(cupti, kind);
        return CUPTI_ERROR_NOT_SUPPORTED;
    }
    int other = kind == ACTIVITY_KERNEL              ? ACTIVITY_CONCURRENT_KERNEL
                : kind == ACTIVITY_CONCURRENT_KERNEL ? ACTIVITY_KERNEL
                                                     : 0;
    return enable && cupti->kinds[other] ? CUPTI_ERROR_NOT_COMPATIBLE : CUPTI_SUCCESS;
}

static void put_kind(struct cupti *cupti, int kind, bool enable)
{
    int api = kind == ACTIVITY_DRIVER ? PROFILE_DRIVER : PROFILE_RUNTIME;
    cupti->kinds[kind] = enable;
    if (kind == ACTIVITY_DRIVER || kind == ACTIVITY_RUNTIME)
        memset(cupti->functions[api], enable ? 0xff : 0, sizeof cupti->functions[api]);
}

static enum cupti_result set_kind(int kind, bool enable)
{
    struct cupti *cupti = locked();
    enum cupti_result result = check_kind(cupti, kind, enable);
    if (result == CUPTI_SUCCESS) {
        bool before = cupti->kinds[kind];
        put_kind(cupti, kind, enable);
        if (!cupti_listen(cupti)) {
            put_kind(cupti, kind, before);
            result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
        }
    }
    pthread_mutex_unlock(&cupti->lock);
    return result;
}

CUPTI_API(cuptiActivityEnable, int kind) { return set_kind(kind, true); }

CUPTI_API(cuptiActivityDisable, int kind) { return set_kind(kind, false); }

static enum cupti_result set_function(enum profile_api api, uint32_t number, bool enable)
{
    if (number == 0 || number >= FUNCTION_NUMBERS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    struct cupti *cupti = locked();
    bit_put(cupti->functions[api], number, enable);
    return unlocked(cupti, CUPTI_SUCCESS);
}

CUPTI_API(cuptiActivityEnableDriverApi, uint32_t number, uint8_t enable)
{
    return set_function(PROFILE_DRIVER, number, enable != 0);
}

CUPTI_API(cuptiActivityEnableRuntimeApi, uint32_t number, uint8_t enable)
{
    return set_function(PROFILE_RUNTIME, number, enable != 0);
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

CUPTI_API(cuptiActivityRegisterCallbacks, buffer_request request, buffer_complete complete)
{
    if (!request || !complete)
        return CUPTI_ERROR_INVALID_PARAMETER;
    struct cupti *cupti = locked();
    cupti->request = request;
    cupti->complete = complete;
    return unlocked(cupti, CUPTI_SUCCESS);
}

CUPTI_API(cuptiActivityFlushAll, uint32_t flag)
{
    struct cupti *cupti = locked();
    bool registered = cupti->request != NULL;
    (void)flag; /* a record is complete from the begin on: both forms do the same */
    pthread_mutex_unlock(&cupti->lock);
    if (!registered)
        return CUPTI_ERROR_INVALID_OPERATION;
    cupti_deliver(cupti, DELIVER_ALL);
    return CUPTI_SUCCESS;
}

CUPTI_API(cuptiActivityGetNumDroppedRecords, CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context; /* one queue has the records of all contexts and streams */
    (void)stream;
    if (!dropped)
        return CUPTI_ERROR_INVALID_PARAMETER;
    struct cupti *cupti = locked();
    *dropped = cupti->dropped;
    cupti->dropped = 0;
    return unlocked(cupti, CUPTI_SUCCESS);
}

CUPTI_API(cuptiActivityGetNextRecord, uint8_t *buffer, size_t valid, void **record)
{
    if (!buffer || !record)
        return CUPTI_ERROR_INVALID_PARAMETER;
    size_t at = 0;
    if (*record) {
        uintptr_t place = (uintptr_t)*record, begin = (uintptr_t)buffer;
        if (place < begin || place - begin >= valid || valid - (place - begin) < sizeof(uint32_t))
            return CUPTI_ERROR_INVALID_PARAMETER;
        size_t bytes = record_bytes(*(const uint32_t *)*record);
        if (bytes == 0)
            return CUPTI_ERROR_INVALID_KIND;
        at = place - begin + bytes;
    }
    if (at >= valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    if (valid - at < sizeof(uint32_t))
        return CUPTI_ERROR_INVALID_KIND;
    size_t bytes = record_bytes(*(const uint32_t *)(const void *)(buffer + at));
    if (bytes == 0 || bytes > valid - at)
        return CUPTI_ERROR_INVALID_KIND;
    *record = buffer + at;
    return CUPTI_SUCCESS;
}
