/* Capture of streams into graphs. With the lock held. */
#ifndef SUBCORE_DRIVER_CAPTURE_H
#define SUBCORE_DRIVER_CAPTURE_H

#include "driver/stream.h"

struct CUevent_st;

/* The command becomes a node of the graph that the stream captures; it is taken over, also when this fails. */
CUresult capture_append(struct CUstream_st *stream, struct command *command);

/* The event stands for where the capture of the stream has come; with EVENT_RECORD_EXTERNAL it becomes a node. */
CUresult capture_record(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags);
/* What the stream is given next comes behind the event. If the event was recorded in a capture, the stream joins it. */
CUresult capture_wait(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags);

/* Whether work may go to a stream that does not capture: not to the legacy stream while a blocking stream of its
 * context captures (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, and these captures become invalid). */
CUresult capture_check(struct CUstream_st *stream);
/* Whether a thread may wait for the stream: as above, and not while it captures (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
 * and its capture becomes invalid). */
CUresult capture_forbid_wait(struct CUstream_st *stream);

/* The stream is destroyed: what it captures becomes invalid. */
void capture_leave(struct CUstream_st *stream);

/* For functions that must not be called while streams capture, such as cuMemAlloc: as the mode of the calling thread
 * and of the captures says, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and these captures become invalid. */
CUresult capture_forbid(struct call *call);

#endif
