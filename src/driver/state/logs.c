#include "driver/state/logs.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "driver/state/call.h"
#include "driver/state/context.h"
#include "driver/state/log_callbacks.h"
#include "driver/state/thread.h"

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
    log_callbacks_run(call->driver, message);
    call->thread->logging = false;
}

CUresult logs_refuse(const char *reason)
{
    logs_note("%s", reason);
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult logs_choose(const struct logs *logs, const CUlogIterator *iterator, size_t room, struct logs_dump *dump)
{
    *dump = (struct logs_dump){.offset = logs->length}; /* nothing */
    if (iterator && *iterator > logs->next)
        return logs_refuse("iterator is neither from cuLogsCurrent nor from a dump");
    unsigned wanted = logs->next - (iterator ? *iterator : 0);
    unsigned given = wanted < logs->entries ? wanted : logs->entries;
    for (; given > 0; given--) {
        struct logs_dump d = {.offset = offset_of(logs, logs->entries - given)};
        if (given < wanted)
            snprintf(d.note, sizeof d.note, "The log is truncated: %u older messages are missing.\n", wanted - given);
        if (strlen(d.note) + logs->length - d.offset <= room) {
            *dump = d;
            return CUDA_SUCCESS;
        }
    }
    return wanted == 0 ? CUDA_SUCCESS : logs_refuse("the buffer is too small for the latest message");
}
