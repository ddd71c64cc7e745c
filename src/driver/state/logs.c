#include "driver/state/logs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/abi/api_device.h"
#include "driver/state/call.h"
#include "driver/state/context.h"
#include "driver/state/thread.h"

/* ---- entries ----------------------------------------------------------------------------------------------------- */

void logs_note(const char *format, ...)
{
    char *reason = thread_get()->reason;
    size_t length = strlen(reason);
    va_list arguments;
    va_start(arguments, format);
    if (length > 0)
        length += (size_t)snprintf(reason + length, LOGS_REASON - length, "; ");
    if (length < LOGS_REASON)
        vsnprintf(reason + length, LOGS_REASON - length, format, arguments);
    va_end(arguments);
    for (char *end = strchr(reason, '\n'); end; end = strchr(end, '\n'))
        *end = ' ';
}

/* Returns the message of the call, else the message of the command that ended a context, the current one first. */
static const char *reason_of(const struct call *call, CUresult result)
{
    const char *reason = call->thread->reason;
    for (const struct CUctx_st *c = *reason ? NULL : call->driver->contexts; c; c = c->next)
        if (c->sticky == result && (c == call->context || *reason == '\0'))
            reason = c->reason;
    return reason;
}

/* Offset of the entry that `skipped` entries lie before. */
static size_t offset_of(const struct logs *logs, unsigned skipped)
{
    const char *at = logs->text;
    for (; skipped > 0; skipped--)
        at = strchr(at, '\n') + 1;
    return (size_t)(at - logs->text);
}

static void append(struct logs *logs, const char *line)
{
    size_t length = strlen(line);
    while (logs->entries == LOGS_ENTRIES || logs->length + length >= sizeof logs->text) {
        size_t oldest = offset_of(logs, 1);
        logs->length -= oldest;
        logs->entries--;
        memmove(logs->text, logs->text + oldest, logs->length + 1);
    }
    memcpy(logs->text + logs->length, line, length + 1);
    logs->length += length;
    logs->entries++;
    logs->next++;
}

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

struct CUlogsCallbackEntry_st {
    struct CUlogsCallbackEntry_st *next; /* registered later */
    CUlogsCallback function;
    void *data;
    unsigned long long number; /* from 1, in the order of registration */
    unsigned users;            /* the list or cuLogsUnregisterCallback, and each thread that runs it */
};

static void release(struct CUlogsCallbackEntry_st *callback)
{
    if (--callback->users == 0)
        free(callback);
}

static void deliver(struct call *call, char *message)
{
    struct logs *logs = &call->driver->logs;
    unsigned long long last = logs->registered, done = 0;
    while (done < last) {
        struct CUlogsCallbackEntry_st *callback = logs->callbacks;
        while (callback && callback->number <= done)
            callback = callback->next;
        if (!callback || callback->number > last)
            return;
        done = callback->number;
        callback->users++;
        call_leave(call->driver);
        callback->function(callback->data, CU_LOG_LEVEL_ERROR, message, strlen(message));
        call_return(call->driver);
        release(callback);
        pthread_cond_broadcast(&logs->returned);
    }
}

void logs_enter(struct call *call, CUresult result)
{
    const char *reason = reason_of(call, result);
    char line[LOGS_REASON + 160], message[LOGS_REASON + 80];
    struct timespec now;
    struct tm local;
    if (*reason == '\0')
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    snprintf(message, sizeof message, "[%s] %s", call->name, reason);
    snprintf(line, sizeof line, "[%02d:%02d:%02d.%03d][%llu][CUDA][E]%s\n", local.tm_hour, local.tm_min, local.tm_sec,
             (int)(now.tv_nsec / 1000000), (unsigned long long)call->thread->id, message);
    append(&call->driver->logs, line);
    if (call->thread->logging) /* by a callback: it would be called for its own failures without an end */
        return;
    call->thread->logging = true;
    deliver(call, message);
    call->thread->logging = false;
}

/* ---- functions of the API; they need no cuInit ------------------------------------------------------------------- */

static CUresult wrong(const char *what)
{
    logs_note("%s", what);
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData, CUlogsCallbackHandle *callback_out)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    struct logs *logs = &call.driver->logs;
    struct CUlogsCallbackEntry_st *callback = callbackFunc ? calloc(1, sizeof *callback) : NULL, **end;
    if (!callbackFunc)
        return call_end(&call, wrong("callbackFunc is NULL"));
    if (!callback)
        return call_end(&call, CUDA_ERROR_OUT_OF_MEMORY);
    *callback = (struct CUlogsCallbackEntry_st){NULL, callbackFunc, userData, ++logs->registered, 1};
    for (end = &logs->callbacks; *end; end = &(*end)->next)
        ;
    *end = callback;
    if (callback_out)
        *callback_out = callback;
    return call_end(&call, result);
}

/* The callback does not run any more when this returns, but for a call from within a callback: that one may be it. */
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    struct logs *logs = &call.driver->logs;
    struct CUlogsCallbackEntry_st **link = &logs->callbacks;
    while (*link && *link != callback)
        link = &(*link)->next;
    if (!*link)
        return call_end(&call, wrong("callback is not registered"));
    *link = callback->next;
    while (callback->users > 1 && !call.thread->logging)
        pthread_cond_wait(&logs->returned, &call.driver->lock);
    release(callback);
    return call_end(&call, result);
}

CUresult cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    if (!iterator_out || flags != 0)
        result = wrong(iterator_out ? "flags is not 0" : "iterator_out is NULL");
    else
        *iterator_out = call.driver->logs.next;
    return call_end(&call, result);
}

/* The parts of a dump. */
struct dump {
    char note[LOGS_NOTE]; /* first: that entries are missing; "": none is */
    size_t offset;        /* then, all entries from here */
};

/* As many of the entries from `*iterator` on as fit into `room` bytes, the newest ones. */
static CUresult choose(const struct logs *logs, const CUlogIterator *iterator, size_t room, struct dump *dump)
{
    *dump = (struct dump){.offset = logs->length}; /* nothing */
    if (iterator && *iterator > logs->next)
        return wrong("iterator is neither from cuLogsCurrent nor from a dump");
    unsigned wanted = logs->next - (iterator ? *iterator : 0);
    unsigned given = wanted < logs->entries ? wanted : logs->entries;
    for (; given > 0; given--) {
        struct dump d = {.offset = offset_of(logs, logs->entries - given)};
        if (given < wanted)
            snprintf(d.note, sizeof d.note, "The log is truncated: %u older messages are missing.\n", wanted - given);
        if (strlen(d.note) + logs->length - d.offset <= room) {
            *dump = d;
            return CUDA_SUCCESS;
        }
    }
    return wanted == 0 ? CUDA_SUCCESS : wrong("the buffer is too small for the latest message");
}

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile, unsigned int flags)
{
    struct call call;
    struct dump dump;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    const struct logs *logs = &call.driver->logs;
    if (!pathToFile || flags != 0)
        return call_end(&call, wrong(pathToFile ? "flags is not 0" : "pathToFile is NULL"));
    result = choose(logs, iterator, SIZE_MAX, &dump);
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
    struct dump dump;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    const struct logs *logs = &call.driver->logs;
    if (!buffer || !size || flags != 0)
        return call_end(&call, wrong(!buffer ? "buffer is NULL" : !size ? "size is NULL" : "flags is not 0"));
    size_t bytes = *size;
    result = choose(logs, iterator, bytes > 0 ? bytes - 1 : 0, &dump);
    *size = 0;
    if (result == CUDA_SUCCESS && iterator)
        *iterator = logs->next;
    if (bytes > 0)
        *size = (size_t)snprintf(buffer, bytes, "%s%s", dump.note, logs->text + dump.offset);
    return call_end(&call, result);
}
