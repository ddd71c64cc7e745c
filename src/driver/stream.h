/* Streams: queues of commands, each with its own simulated time. */
#ifndef SUBCORE_DRIVER_STREAM_H
#define SUBCORE_DRIVER_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/call.h"
#include "driver/command.h"

struct queued; /* a command in a stream */
struct CUgraph_st;

struct CUstream_st {
    struct CUctx_st *context;
    struct CUstream_st *next; /* of context.streams */
    uint64_t id;
    unsigned flags; /* CU_STREAM_NON_BLOCKING */
    int priority;
    bool legacy, per_thread;
    struct queued *first, *last;
    double time;                /* simulated seconds: when its last finished command ended */
    struct CUgraph_st *capture; /* being captured into; NULL: none */
};

/* The stream that a program means: NULL is the legacy stream, or the thread's own one in functions with the suffix
 * _ptsz or _ptds; 1 and 2 name these two. NULL when `handle` is none: CUDA_ERROR_INVALID_HANDLE. */
struct CUstream_st *stream_find(struct call *call, CUstream handle, bool per_thread);

/* Frees all streams and events of a context, whose commands have ended. */
void streams_clear(struct CUctx_st *context);

#endif
