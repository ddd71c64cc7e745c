/* The door for profilers: a private part of the library that our runtime and our libcupti.so use, not programs. The
 * runtime tells the begin and the end of its functions. A listener gets these calls, those of the driver's own
 * functions, and the commands that have run. Without a listener, each place costs one test. */
#ifndef SUBCORE_DRIVER_ABI_PROFILE_H
#define SUBCORE_DRIVER_ABI_PROFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/export.h"
#include "driver/abi/handles.h"

enum profile_api {
    PROFILE_DRIVER,
    PROFILE_RUNTIME,
    PROFILE_NONE /* no listener gets the call, nor calls inside it */
};

enum profile_wait_kind {
    PROFILE_NO_WAIT,
    PROFILE_FOR_EVENT,
    PROFILE_STREAM_FOR_EVENT, /* a stream waits, not the program */
    PROFILE_FOR_STREAM,
    PROFILE_FOR_CONTEXT
};

/* The thing that a call waits for. */
struct profile_wait {
    enum profile_wait_kind kind;
    uint64_t context, stream, event; /* ids (0: it is not one of these) */
};

/* A call of the program that is not inside another one. */
struct profile_call {
    enum profile_api api;
    const char *name;     /* of the function, as exported: cuMemcpyHtoD_v2 */
    uint32_t correlation; /* from 1, one for each call (0: no call, or one that began without a listener) */
    uint32_t result;      /* the function's answer, once it has ended */
    uint64_t begin, end;  /* host time (CLOCK_REALTIME), nanoseconds */
    struct profile_wait wait;
};

/* The call that submitted a command. */
struct profile_origin {
    uint32_t correlation; /* (0: there was no listener) */
    bool waits;           /* its name is not that of an asynchronous function */
    uint64_t time;        /* host time of the submission, nanoseconds */
};

enum profile_memory {
    PROFILE_PAGEABLE,
    PROFILE_PINNED,
    PROFILE_DEVICE,
    PROFILE_ARRAY,
    PROFILE_MANAGED,
    PROFILE_VARIABLE /* of a module, on the device */
};

enum profile_command_kind { PROFILE_KERNEL, PROFILE_COPY, PROFILE_SET };

struct profile_kernel {
    const char *name; /* mangled; it lives as long as its module */
    uint32_t grid[3], block[3], cluster[3];
    uint32_t registers;                     /* of a thread */
    uint32_t static_shared, dynamic_shared; /* bytes of a CTA */
    uint32_t local;                         /* bytes of a thread */
    int priority;
    bool timed; /* false: its time is the least that the GPU needs, not a simulated one */
};

struct profile_transfer {
    enum profile_memory from, to; /* of a set `to` only */
    uint64_t bytes;
    uint32_t value; /* of a set */
};

/* A command that has run. */
struct profile_command {
    enum profile_command_kind kind;
    struct profile_origin origin;
    double begin, end; /* simulated time, seconds */
    uint64_t context, stream;
    union {
        struct profile_kernel kernel;
        struct profile_transfer transfer;
    };
};

/* A listener. No lock of the driver is held while `enter`, `leave` and `context` run, in the thread of the call.
 * `context` tells about a context that has been made, or will be destroyed. `command` runs on the executor thread, one
 * at a time, and must not call the driver. */
struct profile_listener {
    void (*enter)(const struct profile_call *call);
    void (*leave)(const struct profile_call *call);
    void (*context)(CUcontext context, bool made);
    void (*command)(const struct profile_command *command);
};

struct profile {
    _Atomic(const struct profile_listener *) listener; /* NULL: none. It lives as long as the process */
    _Atomic uint32_t calls;                            /* the last correlation */
};

extern DRIVER_API struct profile subcore_profile;

static inline bool profile_on(void)
{
    return atomic_load_explicit(&subcore_profile.listener, memory_order_acquire) != NULL;
}

/* A function of the program begins and ends in this thread: the two nest. */
DRIVER_API void subcore_profile_enter(enum profile_api api, const char *name);
DRIVER_API void subcore_profile_leave(uint32_t result);
/* Returns the present host time in nanoseconds. */
DRIVER_API uint64_t subcore_profile_time(void);

#endif
