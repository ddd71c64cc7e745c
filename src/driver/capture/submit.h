/* Commands on their way into a stream, which either captures or runs them. */
#ifndef SUBCORE_DRIVER_SUBMIT_H
#define SUBCORE_DRIVER_SUBMIT_H

#include "driver/queue/queue.h"

/* Takes the command over, also when it fails. A stream that captures gets it as a node of its graph. */
CUresult stream_submit(struct CUstream_st *stream, struct command *command);
/* Submits, and waits until the command has run. Returns the context's error. While the stream captures:
 * CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and the capture becomes invalid. */
CUresult stream_submit_and_wait(struct CUstream_st *stream, struct command *command);
/* Records the event in the stream, or in the graph that the stream captures into. */
CUresult stream_record(struct CUstream_st *stream, struct CUevent_st *event);

#endif
