/* Streams: queues of commands, each with its own simulated time.
 *
 * Commands that a program gives to one stream run in that order. The legacy stream and the blocking streams of its
 * context (all but those made with CU_STREAM_NON_BLOCKING; the per-thread default streams are blocking) wait for
 * earlier work of the others. A stream that the program destroys goes on until it is empty. */
#ifndef SUBCORE_DRIVER_STREAM_H
#define SUBCORE_DRIVER_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/abi/launch_structs.h"
#include "driver/queue/command.h"
#include "driver/queue/node_set.h"
#include "driver/state/call.h"

enum { STREAM_NON_BLOCKING = 1 }; /* CU_STREAM_NON_BLOCKING */
enum { STREAM_PRIORITY_LEAST = 0, STREAM_PRIORITY_GREATEST = -5 };

struct queued; /* a command in a stream */
struct capture;

struct CUstream_st {
    struct driver *driver;
    struct CUctx_st *context;
    struct CUstream_st *next; /* of context.streams */
    uint64_t id;
    unsigned flags; /* STREAM_NON_BLOCKING */
    int priority;
    bool legacy, per_thread;
    uint64_t thread; /* whose default stream it is */
    struct queued *first, *last;
    double time;                         /* simulated seconds: when its last finished command ended */
    double gone;                         /* of a legacy stream: the latest time of blocking streams that are no more */
    bool destroyed;                      /* by the program; it remains until it is empty */
    unsigned waiters;                    /* threads that wait for it and will look at it again */
    bool detached;                       /* its context is gone */
    struct capture *capture;             /* being captured (driver/capture/capture.h) (NULL: not) */
    struct node_set after;               /* dependences of its next node then */
    CUsynchronizationPolicy sync_policy; /* attributes that change nothing here but are kept */
    CUaccessPolicyWindow window;
    CUlaunchMemSyncDomainMap domain_map;
    CUlaunchMemSyncDomain domain;
};

/* The stream that a program means: NULL is the legacy stream, or the thread's own one in functions with the suffix
 * _ptsz or _ptds; 1 and 2 name these two. NULL when `handle` is none: CUDA_ERROR_INVALID_HANDLE; NULL also when memory
 * is short. */
struct CUstream_st *stream_find(struct call *call, CUstream handle, bool per_thread);

enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 }; /* handles that are no pointers */

/* Makes a stream that is found once it is entered into its context's list. Returns NULL if out of memory. */
struct CUstream_st *stream_make(struct CUctx_st *context, unsigned flags, int priority);
void stream_enter(struct CUstream_st *stream);

/* True for those that wait for the legacy stream, and it for them. */
bool stream_blocking(const struct CUstream_st *stream);
/* When the stream's work so far has ended. For the legacy stream, with the streams that it waits for. */
double stream_time(const struct CUstream_st *stream);
/* Frees a stream that is destroyed and empty, if it is. */
void stream_release(struct CUstream_st *stream);
/* Frees all streams and events of a context. The streams are empty and capture nothing. */
void streams_clear(struct CUctx_st *context);

#endif
