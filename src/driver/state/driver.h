/* The state of libcuda.so.1 in this process. There is one, made on first use, and it is never torn down: destructors of
 * other libraries may call us until the process is gone.
 *
 * The lock. Every public function takes `lock` (driver/state/call.h) and gives it back before it returns. The lock
 * guards all that hangs on this struct. It is released in two ways only: by a function that waits for commands
 * (driver/queue/queue.h), and by the executor thread while it runs a command. A command that runs may read and write
 * device memory, but the map of device memory changes only while none runs: see queue_pause.
 */
#ifndef SUBCORE_DRIVER_DRIVER_H
#define SUBCORE_DRIVER_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/abi/result.h"
#include "driver/state/device.h"
#include "driver/state/entries.h"
#include "driver/state/handles.h"
#include "driver/state/logs.h"
#include "driver/state/process_trace.h"
#include "driver/state/ranges.h"
#include "driver/state/settings.h"

/* The answer of cuDriverGetVersion: 1000 * major + 10 * minor. */
enum { DRIVER_CUDA_VERSION = 13000 };

struct queue;
struct allocations;
struct jit;
struct launches;

struct driver {
    pthread_mutex_t lock;
    bool initialised; /* cuInit has succeeded */
    CUresult refusal; /* of cuInit, for good: the settings are wrong or hide the device (CUDA_SUCCESS: none) */
    bool forked;      /* in a child of the process that called cuInit: nothing works */
    struct settings settings;
    struct device device;
    uint64_t threads; /* that have called us */
    uint64_t events;  /* that were made */
    struct handles *handles;
    struct queue *queue;             /* commands and the executor thread */
    struct capture *captures;        /* that go on */
    struct allocations *allocations; /* all memory that programs hold addresses of */
    struct jit *jit;                 /* compilers of PTX; made at first use */
    struct launches *launches;       /* of the executor thread (driver/launch/launches.h) */
    struct process_trace trace;      /* has a lock of its own (driver/state/process_trace.h) */
    struct ranges ranges;            /* has a lock of its own (driver/state/ranges.h) */
    struct logs logs;                /* of failing calls */
    struct CUctx_st *primary;        /* made at cuInit; active while retained */
    struct CUctx_st *contexts;       /* all that live, the primary one too */
    uint64_t next_id;                /* last one of contexts, allocations, streams: unique in the process, from 1 */
    uint32_t refused[(ENTRIES + 31) / 32]; /* by enum entry, a bit each: said to be missing (driver/device/stubs.c) */
    atomic_uintptr_t
        askers[32]; /* libraries that asked for undocumented tables; 0: none (driver/device/export_table.c) */
};

/* Without the lock; the same pointer always. */
struct driver *driver_get(void);

/* The next of these numbers, from 1. */
uint64_t driver_new_id(struct driver *driver);

#endif
