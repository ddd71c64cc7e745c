/* Events: marks that streams reach. */
#ifndef SUBCORE_DRIVER_EVENT_H
#define SUBCORE_DRIVER_EVENT_H

#include "driver/queue/node_set.h"
#include "driver/queue/queue.h"
#include "driver/state/call.h"

enum {
    EVENT_BLOCKING_SYNC = 1, /* CU_EVENT_... */
    EVENT_DISABLE_TIMING = 2,
    EVENT_INTERPROCESS = 4,
    EVENT_RECORD_EXTERNAL = 1, /* in a capture: its own node */
    EVENT_WAIT_EXTERNAL = 1
};

struct CUevent_st {
    struct CUctx_st *context;
    struct CUevent_st *next; /* of context.events */
    uint64_t id;             /* for profilers */
    unsigned flags;
    struct mark *mark; /* of the latest record (NULL: never recorded) */
    /* Its latest record was captured: by this stream, behind these nodes. */
    uint64_t capture; /* id (0: none) */
    struct node_set after;
};

/* NULL: not an event. */
struct CUevent_st *event_find(const struct call *call, CUevent handle);

/* A command that records the event, or waits for its latest record. */
CUresult event_record(struct CUevent_st *event, struct command *command);
void event_wait(struct CUevent_st *event, struct command *command);

/* It is no longer one that was recorded in a capture. */
void event_forget_capture(struct CUevent_st *event);
void event_free(struct CUevent_st *event);
/* Frees all events of a context. */
void events_clear(struct CUctx_st *context);

#endif
