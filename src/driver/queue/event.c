#include "driver/queue/event.h"

#include "driver/state/context.h"

struct CUevent_st *event_find(const struct call *call, CUevent handle)
{
    return handle_is(call->driver->handles, HANDLE_EVENT, handle) ? handle : NULL;
}

CUresult event_record(struct CUevent_st *event, struct command *command)
{
    struct mark *mark = mark_create();
    if (mark == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event_forget_capture(event);
    mark_release(event->mark);
    event->mark = mark;
    *command = (struct command){.kind = COMMAND_RECORD, .event = {.event = event, .mark = mark_hold(mark)}};
    return CUDA_SUCCESS;
}

void event_wait(struct CUevent_st *event, struct command *command)
{
    *command = (struct command){.kind = COMMAND_WAIT, .event = {.event = event, .mark = mark_hold(event->mark)}};
}

void event_forget_capture(struct CUevent_st *event)
{
    node_set_clear(&event->after);
    event->capture = 0;
}

void event_free(struct CUevent_st *event)
{
    struct CUevent_st **link = &event->context->events;
    while (*link != event)
        link = &(*link)->next;
    *link = event->next;
    mark_release(event->mark);
    event_forget_capture(event);
    handle_free(event->context->driver->handles, event);
}

void events_clear(struct CUctx_st *context)
{
    while (context->events != NULL)
        event_free(context->events);
}
