/* The error log of the driver API (cuLogs*): why calls have failed. An entry is one line,
 *
 *     [HH:MM:SS.mmm][THREAD][CUDA][E][FUNCTION] REASON
 *
 * in the format of the CUDA programming guide for CUDA 13.0 (section "Error Log Management"). Callbacks get it from
 * [FUNCTION] on. A call that fails without a known reason makes no entry. */
#ifndef SUBCORE_DRIVER_LOGS_H
#define SUBCORE_DRIVER_LOGS_H

#include <pthread.h>
#include <stddef.h>

#include "driver/abi/handles.h"
#include "driver/abi/result.h"

struct call;

/* Limits of the guide: at most 100 entries, and a buffer of 25600 bytes takes them all. */
enum {
    LOGS_ENTRIES = 100,
    LOGS_BYTES = 25600,
    LOGS_NOTE = 80, /* bytes for the line about entries that are missing */
    LOGS_REASON = 1024
};

struct logs {
    char text[LOGS_BYTES - LOGS_NOTE]; /* the entries, the oldest first, each with its line end */
    size_t length;
    unsigned entries;
    CUlogIterator next; /* number of the next entry, from 0 */
    struct CUlogsCallbackEntry_st *callbacks;
    unsigned long long registered; /* callbacks so far */
    pthread_cond_t returned;       /* a callback has */
};

#define LOGS_INITIALIZER                                                                                               \
    {                                                                                                                  \
        .returned = PTHREAD_COND_INITIALIZER                                                                           \
    }

/* Adds to the reason of the calling thread (thread.reason), which stays one line. */
void logs_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Notes why an argument is wrong. Returns CUDA_ERROR_INVALID_VALUE. */
CUresult logs_refuse(const char *reason);
/* Enters a call that fails with `result` if a reason is known, and runs the callbacks. Releases the lock meanwhile. */
void logs_enter(struct call *call, CUresult result);

/* The parts of a dump. */
struct logs_dump {
    char note[LOGS_NOTE]; /* first: that entries are missing ("": none is) */
    size_t offset;        /* then, all entries from here */
};

/* Chooses as many of the entries from `*iterator` on (NULL: from the oldest on) as fit into `room` bytes, the newest
 * ones. CUDA_ERROR_INVALID_VALUE: `*iterator` is none, or not even one entry fits. */
CUresult logs_choose(const struct logs *logs, const CUlogIterator *iterator, size_t room, struct logs_dump *dump);

#endif
