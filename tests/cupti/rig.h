/* The part that tests of CUPTI have in common: prototypes as the documentation has them, buffers, and the records that
 * came in them. */
#ifndef SUBCORE_TESTS_CUPTI_RIG_H
#define SUBCORE_TESTS_CUPTI_RIG_H

#include <pthread.h>
#include <time.h>

#include "cupti/cupti.h"
#include "cupti/records.h"
#include "tests/unit.h"

#define GOOD(call) assert_int_equal((call), CUPTI_SUCCESS)
#define GIVES(code, call) assert_int_equal((call), (code))

struct subscriber;
typedef void (*request_function)(uint8_t **buffer, size_t *size, size_t *most);
typedef void (*complete_function)(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
typedef void (*callback_function)(void *data, int domain, uint32_t number, const void *what);

enum cupti_result cuptiActivityDisable(int kind);
enum cupti_result cuptiActivityEnable(int kind);
enum cupti_result cuptiActivityEnableDriverApi(uint32_t number, uint8_t enable);
enum cupti_result cuptiActivityEnableRuntimeApi(uint32_t number, uint8_t enable);
enum cupti_result cuptiActivityFlushAll(uint32_t flag);
enum cupti_result cuptiActivityGetAttribute(int attribute, size_t *size, void *value);
enum cupti_result cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record);
enum cupti_result cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped);
enum cupti_result cuptiActivityPopExternalCorrelationId(int kind, uint64_t *last);
enum cupti_result cuptiActivityPushExternalCorrelationId(int kind, uint64_t id);
enum cupti_result cuptiActivityRegisterCallbacks(request_function request, complete_function complete);
enum cupti_result cuptiActivityRegisterTimestampCallback(uint64_t (*function)(void));
enum cupti_result cuptiActivitySetAttribute(int attribute, size_t *size, void *value);
enum cupti_result cuptiEnableCallback(uint32_t enable, struct subscriber *subscriber, int domain, uint32_t number);
enum cupti_result cuptiEnableDomain(uint32_t enable, struct subscriber *subscriber, int domain);
enum cupti_result cuptiFinalize(void);
enum cupti_result cuptiGetCallbackName(int domain, uint32_t number, const char **name);
enum cupti_result cuptiGetCallbackState(uint32_t *enable, struct subscriber *subscriber, int domain, uint32_t number);
enum cupti_result cuptiGetContextId(CUcontext context, uint32_t *number);
enum cupti_result cuptiGetDeviceId(CUcontext context, uint32_t *number);
enum cupti_result cuptiGetErrorMessage(enum cupti_result result, const char **text);
enum cupti_result cuptiGetResultString(enum cupti_result result, const char **text);
enum cupti_result cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread, uint32_t *number);
enum cupti_result cuptiGetThreadIdType(int *type);
enum cupti_result cuptiGetTimestamp(uint64_t *time);
enum cupti_result cuptiGetVersion(uint32_t *version);
enum cupti_result cuptiSetThreadIdType(int type);
enum cupti_result cuptiSubscribe(struct subscriber **subscriber, callback_function function, void *data);
enum cupti_result cuptiUnsubscribe(struct subscriber *subscriber);

enum { CUSTOM = 3, CUSTOM_OTHER = 4 }; /* CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, _CUSTOM1 */

enum { LOG_BYTES = 2 << 20, LOG_RECORDS = 1 << 16 };

/* All records that came, in this order. It is global: the functions that CUPTI calls get no pointer. */
struct record_log {
    pthread_mutex_t lock;
    size_t size, most;           /* of the next buffers; size 0: none is given */
    size_t requested, completed; /* buffers */
    _Alignas(8) uint8_t data[LOG_BYTES];
    size_t used, count;
    const void *records[LOG_RECORDS];
};

static struct record_log record_log = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline void log_request(uint8_t **buffer, size_t *size, size_t *most)
{
    pthread_mutex_lock(&record_log.lock);
    record_log.requested++;
    *size = record_log.size;
    *most = record_log.most;
    *buffer = *size > 0 ? aligned_alloc(RECORD_ALIGNMENT, (*size + 7) / 8 * 8) : NULL;
    pthread_mutex_unlock(&record_log.lock);
}

/* Keeps a copy of the buffer's records. */
static inline void log_complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    void *record = NULL;
    (void)context;
    (void)stream;
    pthread_mutex_lock(&record_log.lock);
    record_log.completed++;
    assert_true(valid <= size && record_log.used + valid <= LOG_BYTES);
    uint8_t *copy = record_log.data + record_log.used;
    memcpy(copy, buffer, valid);
    while (cuptiActivityGetNextRecord(copy, valid, &record) == CUPTI_SUCCESS) {
        assert_true(record_log.count < LOG_RECORDS);
        record_log.records[record_log.count++] = record;
    }
    record_log.used += valid;
    free(buffer);
    pthread_mutex_unlock(&record_log.lock);
}

/* Forgets all records, and gives buffers of this size. */
static inline void log_start(size_t size, size_t most)
{
    record_log.size = size;
    record_log.most = most;
    record_log.requested = record_log.completed = record_log.used = record_log.count = 0;
    GOOD(cuptiActivityRegisterCallbacks(log_request, log_complete));
}

/* Ends the profiling of a test: nothing is left for the next. */
static inline void log_end(void)
{
    size_t dropped;
    GOOD(cuptiActivityFlushAll(1));
    GOOD(cuptiFinalize());
    GOOD(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
}

/* The n-th record of a kind, from 0 (NULL: there are not so many). */
static inline const void *log_record(uint32_t kind, size_t n)
{
    for (size_t i = 0; i < record_log.count; i++)
        if (*(const uint32_t *)record_log.records[i] == kind && n-- == 0)
            return record_log.records[i];
    return NULL;
}

static inline size_t log_count(uint32_t kind)
{
    size_t count = 0;
    while (log_record(kind, count))
        count++;
    return count;
}

/* The record of the call with this number, the n-th from 0. */
static inline const struct record_api *log_call(uint32_t kind, uint32_t number, size_t n)
{
    const struct record_api *record;
    for (size_t i = 0; (record = log_record(kind, i)); i++)
        if (record->number == number && n-- == 0)
            return record;
    return NULL;
}

static inline uint64_t time_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
