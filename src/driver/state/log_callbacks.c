#include "driver/state/log_callbacks.h"

#include <stdlib.h>
#include <string.h>

#include "driver/state/driver.h"
#include "driver/state/lock.h"

struct CUlogsCallbackEntry_st {
    struct CUlogsCallbackEntry_st *next; /* registered later */
    CUlogsCallback function;
    void *data;
    unsigned long long number; /* from 1, in the order of registration */
    unsigned users;            /* the list or log_callback_remove, and each thread that runs it */
};

static void release(struct CUlogsCallbackEntry_st *callback)
{
    if (--callback->users == 0)
        free(callback);
}

CUlogsCallbackHandle log_callback_add(struct driver *driver, CUlogsCallback function, void *data)
{
    struct logs *logs = &driver->logs;
    struct CUlogsCallbackEntry_st *callback = calloc(1, sizeof *callback), **end;
    if (!callback)
        return NULL;
    *callback = (struct CUlogsCallbackEntry_st){NULL, function, data, ++logs->registered, 1};
    for (end = &logs->callbacks; *end; end = &(*end)->next)
        ;
    *end = callback;
    return callback;
}

bool log_callback_remove(struct driver *driver, CUlogsCallbackHandle callback, bool wait)
{
    struct logs *logs = &driver->logs;
    struct CUlogsCallbackEntry_st **link = &logs->callbacks;
    while (*link && *link != callback)
        link = &(*link)->next;
    if (!*link)
        return false;
    *link = callback->next;
    while (callback->users > 1 && wait)
        pthread_cond_wait(&logs->returned, &driver->lock);
    release(callback);
    return true;
}

void log_callbacks_run(struct driver *driver, char *message)
{
    struct logs *logs = &driver->logs;
    unsigned long long last = logs->registered, done = 0;
    while (done < last) {
        struct CUlogsCallbackEntry_st *callback = logs->callbacks;
        while (callback && callback->number <= done)
            callback = callback->next;
        if (!callback || callback->number > last)
            return;
        done = callback->number;
        callback->users++;
        lock_leave(driver);
        callback->function(callback->data, CU_LOG_LEVEL_ERROR, message, strlen(message));
        lock_return(driver);
        release(callback);
        pthread_cond_broadcast(&logs->returned);
    }
}
