/* Streams' commands and the one thread that runs them, in the order of submission. A command that has to wait (for a
 * value in memory, for an event that is recorded behind it) holds up its own stream only.
 *
 * All functions are called with the big lock held. Those that wait release it meanwhile: a caller's earlier
 * knowledge may be wrong, and handles have to be looked up again. */
#ifndef SUBCORE_DRIVER_QUEUE_H
#define SUBCORE_DRIVER_QUEUE_H

#include "driver/queue/command.h"
#include "driver/queue/mark.h"
#include "driver/state/driver.h"

struct CUstream_st;
struct CUctx_st;
struct graph_run;

/* `handlers` has a row for each command kind (driver/queue/command.h). Returns NULL if out of memory. */
struct queue *queue_create(struct driver *driver, const struct command_handler handlers[static COMMAND_KINDS]);

/* Takes the command over, also when it fails. The stream does not capture: driver/capture/submit.h asks that first. */
CUresult queue_submit(struct CUstream_st *stream, struct command *command);
/* The same for node `node` of a graph's launch: it begins when the nodes before it have ended
 * (driver/queue/graph_run.h). */
CUresult queue_submit_node(struct CUstream_st *stream, struct command *command, struct graph_run *run, uint32_t node);

/* Wait for all that was submitted before the call; the error of the context. */
CUresult queue_wait_stream(struct CUstream_st *stream);
CUresult queue_wait_context(struct CUctx_st *context);
/* Waits for all that the process has submitted before the call. */
void queue_wait_all(struct driver *driver);
CUresult queue_wait_mark(struct CUctx_st *context, struct mark *mark);

/* Returns whether all submitted work has ended. For the legacy stream, nothing of the streams that it waits for. */
bool queue_stream_idle(struct CUstream_st *stream);
/* A program that does not wait has asked how far the device is: commands run until one has ended. */
void queue_ask(struct driver *driver);
/* The program has seen that the device is as far as this: its later work begins no earlier. */
void queue_seen(struct driver *driver, double time);

/* Drops a context's commands but its callbacks, which get to know the error, and waits for the running one, so that
 * nothing of the context is left. */
void queue_clear(struct CUctx_st *context);

/* Waits until no command runs. None starts before the caller gives the lock back. The map of device memory
 * (memory_alloc, memory_free and the like), modules and the GPU's settings change only after this. */
void queue_pause(struct driver *driver);

#endif
