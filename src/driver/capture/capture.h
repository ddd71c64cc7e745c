/* Capture of streams into graphs. With the lock held.
 *
 * A stream that captures adds nodes to a graph instead of running commands. An event that is recorded in it stands
 * for the last of its nodes, and another stream that waits for this event joins the capture. All such streams have
 * to be joined again, by events, by the stream in which the capture began and has to end. A call that cannot be
 * captured makes the capture invalid: it still has to be ended. */
#ifndef SUBCORE_DRIVER_CAPTURE_H
#define SUBCORE_DRIVER_CAPTURE_H

#include "driver/capture/graph.h"
#include "driver/queue/stream.h"

struct CUevent_st;

struct capture {
    struct capture *next; /* of driver.captures */
    uint64_t id;
    struct CUgraph_st *graph;
    struct CUstream_st *origin; /* where it began (NULL: that stream was destroyed) */
    CUstreamCaptureMode mode;
    uint64_t thread; /* that began it */
    bool given;      /* the graph is a program's own: it stays when the capture fails */
    bool invalid;
};

/* Makes the capture invalid. Returns the error. */
static inline CUresult capture_fail(struct capture *capture, CUresult error)
{
    capture->invalid = true;
    return error;
}

/* The command becomes a node of the graph that the stream captures. It is taken over, also when this fails. */
CUresult capture_append(struct CUstream_st *stream, struct command *command);
/* A node that allocates memory, which is there already (driver/memory/graph_memory.h). */
CUresult capture_alloc(struct CUstream_st *stream, uint64_t address, size_t bytes, const CUmemPoolProps *pool);
/* For a node that has been added: the next one of the stream comes behind it. */
CUresult capture_follow(struct CUstream_st *stream, struct CUgraphNode_st *node);

/* The event stands for where the capture of the stream has come. With EVENT_RECORD_EXTERNAL it becomes a node. */
CUresult capture_record(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags);
/* The stream's next work comes behind the event. If the event was recorded in a capture, the stream joins it. */
CUresult capture_wait(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags);

/* Whether work may go to a stream that does not capture: not to the legacy stream while a blocking stream of its
 * context captures (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, and these captures become invalid). */
CUresult capture_check(struct CUstream_st *stream);
/* Whether a thread may wait for the stream: as above, and not while it captures (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
 * and its capture becomes invalid), and else as capture_forbid says. */
CUresult capture_forbid_wait(struct CUstream_st *stream);
/* For functions that must not be called while streams capture, such as cuMemAlloc: as the calling thread's mode and the
 * captures' modes say, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and these captures become invalid. */
CUresult capture_forbid(struct call *call);

/* Returns true if the legacy stream is asked about while a blocking stream of its context captures. */
bool capture_is_implicit(const struct CUstream_st *stream);
CUresult capture_begin(struct call *call, struct CUstream_st *stream, struct CUgraph_st *graph,
                       const struct node_set *after, CUstreamCaptureMode mode);
CUresult capture_end(struct call *call, struct CUstream_st *stream, struct CUgraph_st **graph);

/* Notes that the stream is destroyed: its capture becomes invalid. */
void capture_leave(struct CUstream_st *stream);
/* The same for all streams of a context. */
void captures_leave(struct CUctx_st *context);
/* The graph is about to be destroyed: the streams that capture into it, or into a graph inside of it, go on without it.
 * These captures are gone then. */
void captures_abandon(struct CUgraph_st *graph);
/* The node is about to be destroyed: nothing comes behind it any more. */
void capture_forget_node(struct CUgraphNode_st *node);

#endif
