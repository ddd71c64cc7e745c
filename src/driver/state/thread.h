/* State of one host thread: its stack of contexts, its ranges, the call that a profiler sees. */
#ifndef SUBCORE_DRIVER_THREAD_H
#define SUBCORE_DRIVER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/abi/stream_enums.h"
#include "driver/state/logs.h"
#include "driver/state/profile.h"
#include "driver/state/ranges.h"

enum { THREAD_CONTEXTS = 64 };

struct thread {
    struct CUctx_st *context[THREAD_CONTEXTS]; /* [depth - 1] is current */
    unsigned depth;
    uint64_t id;                 /* from 1 (0: not given yet) */
    CUstreamCaptureMode capture; /* cuThreadExchangeStreamCaptureMode */
    unsigned
        inside; /* calls that hold the lock; more than one if a called function calls back (not after lock_leave) */
    char reason[LOGS_REASON]; /* why its call fails (driver/state/logs.h) ("": it has not been said) */
    struct thread_ranges ranges;
    struct profile_thread profile;
    bool logging;  /* runs a callback of the log */
    bool executor; /* runs functions of the program that must not call CUDA: CUDA_ERROR_NOT_PERMITTED */
};

struct thread *thread_get(void); /* of the caller */

#endif
