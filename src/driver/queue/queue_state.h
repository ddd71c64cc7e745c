/* The parts of the queue: for queue.c, submit.c, wait.c, turn.c, together.c and executor.c only. */
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
    double host;              /* simulated time that the program had seen when it submitted this */
    struct range_place place; /* among the program's ranges */
    struct profile_origin origin;
    bool held;     /* it waited for a value */
    bool awaited;  /* someone may go on when it has ended */
    bool overlaps; /* it may run beside others */
    bool started;  /* it does */
    bool released; /* and has let those begin that depend on it (programmatic dependent launch), at: */
    double released_at;
    struct execution execution; /* while it does */
    struct graph_run *run;
    uint32_t node;
    struct command command;
};

/* A thread that waits, for one of the three. */
struct waiter {
    struct waiter *next;
    const struct CUstream_st *stream; /* for its work up to `order`, NULL: */
    const struct CUctx_st *context;   /* for the work of all its streams, NULL: */
    const struct mark *mark;
    uint64_t order;
};

struct queue {
    struct driver *driver;
    const struct command_handler *handlers; /* [COMMAND_KINDS] */
    pthread_cond_t work;                    /* for the executor: something was submitted, or a pause has ended */
    pthread_cond_t done;                    /* for waiting threads: a command has ended */
    bool started;                           /* the executor thread exists */
    const struct queued *running;           /* NULL: none */
    bool on_device;                         /* a command runs, and it is none of the program's own functions */
    unsigned pausers;
    struct waiter *waiters;
    bool asked;   /* a program that does not wait wants to know how far the device is: until a command ends */
    bool stirred; /* the commands that may begin have to be found again */
    double again; /* and at this simulated time */
    const struct together *together; /* commands run beside each other (NULL: none do) */
    uint64_t order;                  /* of the last command */
    struct queued *first, *last;
    struct timeline timeline;
    int activities; /* file of settings.activities (0: not open yet) */
    bool activities_failed;
};

/* The executor thread, started at the first submission. */
CUresult executor_start(struct queue *queue);

void queue_append(struct queue *queue, struct queued *item);
/* Frees the item, too. */
void queue_remove(struct queue *queue, struct queued *item);
/* Whether a thread still waits, or one has asked: simulated time may go on. */
bool queue_may_advance(const struct queue *queue);

enum { TURN_POLL = 10000 }; /* nanoseconds, at first, between two looks at a value in memory */

/* The first command that can run. `polls` is set when one has to be asked again. With `until`, commands that run beside
 * others are among them if they can begin by that time; *again is when the next one can. NULL: there are none. */
struct queued *turn_pick(struct queue *queue, const double *until, double *again, bool *polls);
/* Of the commands that run beside others, the one that can begin first. */
struct queued *turn_pick_overlapping(const struct queue *queue);
/* When the command can begin. */
double turn_ready(const struct queue *queue, const struct queued *item);
/* Returns the priority of a kernel, its own or its stream's. */
int turn_priority(const struct queued *item);
/* Runs one. */
void turn_run(struct queue *queue, struct queued *item);
/* It has ended at `end`. The item is gone then. */
void turn_finish(struct queue *queue, struct queued *item, CUresult result, double end);
/* Waits until something happens, and not for long if a command has to be asked again. */
void turn_sleep(struct queue *queue, bool polls, long *poll);

/* Runs commands beside each other, beginning with those that can begin first, until nothing is in flight. */
void together_run(struct queue *queue, const struct queued *first);

/* Drops a context's commands but its callbacks, which get to know the error. */
void queue_drop(struct CUctx_st *context);

#endif
