/* What the queue consists of: for queue.c, submit.c, wait.c and executor.c only. */
#ifndef SUBCORE_DRIVER_QUEUE_STATE_H
#define SUBCORE_DRIVER_QUEUE_STATE_H

#include <pthread.h>

#include "driver/queue/queue.h"
#include "driver/queue/stream.h"
#include "driver/queue/timeline.h"

/* A command in a stream. It stays at the stream's head while it runs. */
struct queued {
    struct queued *before, *after; /* of all streams, in the order of submission */
    struct queued *next;           /* of its stream */
    struct CUstream_st *stream;
    uint64_t order;
    double host;  /* simulated time that the program had seen when it submitted this */
    bool held;    /* it waited for a value */
    bool awaited; /* someone may go on when it has ended */
    struct graph_run *run;
    uint32_t node;
    struct command command;
};

struct queue {
    struct driver *driver;
    const struct command_handler *handlers; /* [COMMAND_KINDS] */
    pthread_cond_t work;                    /* for the executor: something was submitted, or a pause has ended */
    pthread_cond_t done;                    /* for who waits: a command has ended */
    bool started;                           /* the executor thread exists */
    const struct queued *running;           /* NULL: none */
    bool on_device;                         /* a command runs, and it is none of the program's own functions */
    unsigned pausers;
    uint64_t order; /* of the last command */
    struct queued *first, *last;
    struct timeline timeline;
};

/* The executor thread, started at the first submission. */
CUresult executor_start(struct queue *queue);

void queue_append(struct queue *queue, struct queued *item);
/* Frees the item, too. */
void queue_remove(struct queue *queue, struct queued *item);
/* Drops a context's commands but its callbacks, which get to know the error. */
void queue_drop(struct CUctx_st *context);

#endif
