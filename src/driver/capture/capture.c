#include "driver/capture/capture.h"

#include <stdlib.h>

#include "driver/queue/event.h"
#include "driver/state/context.h"
#include "driver/state/thread.h"

CUresult capture_begin(struct call *call, struct CUstream_st *stream, struct CUgraph_st *graph,
                       const struct node_set *after, CUstreamCaptureMode mode)
{
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->legacy)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture != NULL || (graph != NULL && graph->capture != NULL))
        return CUDA_ERROR_ILLEGAL_STATE;
    struct capture *capture = calloc(1, sizeof *capture);
    struct CUgraph_st *made = graph == NULL ? graph_create(call->driver) : NULL;
    if (capture == NULL || (graph == NULL && made == NULL) ||
        (after != NULL && !node_set_copy(&stream->after, after))) {
        free(capture);
        if (made != NULL)
            graph_free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *capture = (struct capture){
        .next = call->driver->captures,
        .id = driver_new_id(call->driver),
        .graph = graph != NULL ? graph : made,
        .origin = stream,
        .mode = mode,
        .thread = call->thread->id,
        .given = graph != NULL,
    };
    capture->graph->capture = capture;
    call->driver->captures = capture;
    stream->capture = capture;
    return CUDA_SUCCESS;
}

static struct CUstream_st *next_member(const struct capture *capture, struct CUstream_st *stream)
{
    while (stream != NULL && stream->capture != capture)
        stream = stream->next;
    return stream;
}

/* Marks all nodes that the stream's next node would depend on. */
static bool mark_before(const struct capture *capture, const struct node_set *after)
{
    struct node_set open = {0};
    for (size_t i = 0; i < capture->graph->nodes.count; i++)
        capture->graph->nodes.node[i]->mark = 0;
    bool enough = node_set_copy(&open, after);
    while (enough && open.count > 0) {
        struct CUgraphNode_st *node = open.node[--open.count];
        if (node->mark != 0)
            continue;
        node->mark = 1;
        for (size_t i = 0; i < node->from.count && enough; i++)
            enough = node->from.node[i]->mark != 0 || node_set_add(&open, node->from.node[i], NULL);
    }
    node_set_clear(&open);
    return enough;
}

/* Returns true if all streams that joined have been joined again by the one where the capture began. */
static bool joined(const struct capture *capture, bool *enough)
{
    *enough = mark_before(capture, &capture->origin->after);
    struct CUstream_st *stream = next_member(capture, capture->origin->context->streams);
    for (; stream != NULL; stream = next_member(capture, stream->next))
        for (size_t i = 0; i < stream->after.count; i++)
            if (stream->after.node[i]->mark == 0)
                return false;
    return true;
}

/* The streams are as they were before. */
static void finish(struct driver *driver, struct capture *capture)
{
    for (struct CUctx_st *context = driver->contexts; context != NULL; context = context->next) {
        struct CUstream_st *stream = next_member(capture, context->streams);
        for (; stream != NULL; stream = next_member(capture, stream->next)) {
            stream->capture = NULL;
            node_set_clear(&stream->after);
        }
    }
    struct capture **link = &driver->captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    capture->graph->capture = NULL;
    free(capture);
}

CUresult capture_end(struct call *call, struct CUstream_st *stream, struct CUgraph_st **graph)
{
    struct capture *capture = stream->capture;
    if (capture == NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->origin != stream)
        return capture_fail(capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != call->thread->id)
        return capture_fail(capture, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    CUresult result = CUDA_SUCCESS;
    bool enough = true;
    if (capture->invalid)
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!joined(capture, &enough))
        result = enough ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED : CUDA_ERROR_OUT_OF_MEMORY;
    struct CUgraph_st *captured = capture->graph;
    bool given = capture->given;
    finish(call->driver, capture);
    *graph = result == CUDA_SUCCESS ? captured : NULL;
    if (result != CUDA_SUCCESS && !given) {
        captures_abandon(captured);
        graph_free(captured);
    }
    return result;
}

void captures_abandon(struct CUgraph_st *graph)
{
    if (graph->capture != NULL)
        finish(graph->driver, graph->capture);
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.node[i]->child != NULL)
            captures_abandon(graph->nodes.node[i]->child);
}

void capture_leave(struct CUstream_st *stream)
{
    struct capture *capture = stream->capture;
    if (capture == NULL)
        return;
    capture->invalid = true;
    stream->capture = NULL;
    node_set_clear(&stream->after);
    if (capture->origin != stream)
        return;
    struct CUgraph_st *graph = capture->graph;
    bool given = capture->given;
    finish(stream->driver, capture); /* no call could end it any more */
    if (!given) {
        captures_abandon(graph);
        graph_free(graph);
    }
}

void captures_leave(struct CUctx_st *context)
{
    for (struct CUstream_st *stream = context->streams; stream != NULL; stream = stream->next)
        capture_leave(stream);
}

static void forget(struct node_set *set, const struct CUgraphNode_st *node)
{
    size_t index = node_set_find(set, node);
    if (index < set->count)
        node_set_remove(set, index);
}

void capture_forget_node(struct CUgraphNode_st *node)
{
    struct driver *driver = node->graph->driver;
    if (node->child != NULL)
        captures_abandon(node->child);
    for (struct CUctx_st *context = driver->contexts; context != NULL; context = context->next) {
        for (struct CUstream_st *stream = context->streams; stream != NULL; stream = stream->next)
            forget(&stream->after, node);
        for (struct CUevent_st *event = context->events; event != NULL; event = event->next)
            forget(&event->after, node);
    }
}
