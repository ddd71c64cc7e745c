/* Streams' commands and the one thread that runs them, in the order of submission; a command that has to wait (for a
 * value in memory, for an event that is recorded behind it) holds up its own stream only.
 *
 * All functions are called with the big lock held. Those that wait release it meanwhile: what a caller knew
 * before may have changed, and handles have to be looked up again. */
#ifndef SUBCORE_DRIVER_QUEUE_H
#define SUBCORE_DRIVER_QUEUE_H

#include "driver/command.h"
#include "driver/driver.h"

struct CUstream_st;
struct CUctx_st;

struct queue *queue_create(struct driver *driver); /* NULL: out of memory */

/* Takes the command over, also when it fails. A stream that captures gets it as a node of its graph. */
CUresult queue_submit(struct CUstream_st *stream, struct command *command);
/* Submits, and waits until it has run; gives the context's error. Not while the stream captures:
 * CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and the capture becomes invalid. */
CUresult queue_submit_and_wait(struct CUstream_st *stream, struct command *command);

CUresult queue_wait_stream(struct CUstream_st *stream);
CUresult queue_wait_context(struct CUctx_st *context);

/* Waits until no command runs; none starts before the caller gives the lock back. The map of device memory
 * (memory_alloc, memory_free and the like), modules and the GPU's settings change only after this. */
void queue_pause(struct driver *driver);

#endif
