/* Captured work of a stream: nodes, and places at which events stand. */
#include "driver/capture/capture.h"
#include "driver/queue/event.h"

CUresult capture_follow(struct CUstream_st *stream, struct CUgraphNode_st *node)
{
    stream->after.count = 0;
    return node_set_add(&stream->after, node, NULL) ? CUDA_SUCCESS
                                                    : capture_fail(stream->capture, CUDA_ERROR_OUT_OF_MEMORY);
}

/* A launch with programmatic stream serialization depends on a kernel before it by an edge from that one's port of
 * launch_dependents. */
static void mark_programmatic(struct node_set *after, const struct command *command)
{
    if (command->kind != COMMAND_KERNEL || !command->kernel.programmatic || after->count != 1 ||
        after->node[0]->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return;
    after->data[0] = (CUgraphEdgeData){.from_port = GRAPH_PORT_PROGRAMMATIC, .type = GRAPH_EDGE_PROGRAMMATIC};
}

CUresult capture_append(struct CUstream_st *stream, struct command *command)
{
    struct capture *capture = stream->capture;
    CUresult result = CUDA_SUCCESS;
    if (capture->invalid)
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (command->kind == COMMAND_CALL || (command->kind == COMMAND_HOST && command->host.callback != NULL))
        result = capture_fail(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    if (result != CUDA_SUCCESS) {
        command_clear(command);
        return result;
    }
    mark_programmatic(&stream->after, command);
    struct CUgraphNode_st *node = graph_node_add(capture->graph, graph_type_of(command), &stream->after);
    if (node == NULL) {
        command_clear(command);
        return capture_fail(capture, CUDA_ERROR_OUT_OF_MEMORY);
    }
    if (command->kind == COMMAND_FREE) { /* driver/memory/graph_memory.h */
        node->address = command->free_address;
        *command = (struct command){.kind = COMMAND_EMPTY};
    }
    if (!graph_node_give_one(node, command))
        return capture_fail(capture, CUDA_ERROR_OUT_OF_MEMORY);
    return capture_follow(stream, node);
}

CUresult capture_alloc(struct CUstream_st *stream, uint64_t address, size_t bytes, const CUmemPoolProps *pool)
{
    struct command command = {.kind = COMMAND_EMPTY};
    CUresult result = capture_append(stream, &command);
    if (result != CUDA_SUCCESS)
        return result;
    struct CUgraphNode_st *node = stream->after.node[0];
    node->type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    node->address = address;
    node->alloc = (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = *pool, .bytesize = bytes, .dptr = address};
    return CUDA_SUCCESS;
}

CUresult capture_record(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags)
{
    struct capture *capture = stream->capture;
    if (capture->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if ((flags & EVENT_RECORD_EXTERNAL) != 0) {
        struct command command = {.kind = COMMAND_RECORD, .event = {.event = event}};
        return capture_append(stream, &command);
    }
    if (!node_set_copy(&event->after, &stream->after))
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->capture = capture->id;
    return CUDA_SUCCESS;
}

static struct capture *capture_of(const struct driver *driver, uint64_t id)
{
    struct capture *capture = driver->captures;
    while (capture != NULL && capture->id != id)
        capture = capture->next;
    return capture;
}

CUresult capture_wait(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags)
{
    struct capture *capture = stream->capture;
    if (capture != NULL && capture->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (capture != NULL && (flags & EVENT_WAIT_EXTERNAL) != 0) {
        struct command command = {.kind = COMMAND_WAIT, .event = {.event = event}};
        return capture_append(stream, &command);
    }
    if (event->capture == 0)
        return event->mark != NULL ? capture_fail(capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION) : CUDA_SUCCESS;
    struct capture *other = capture_of(stream->driver, event->capture);
    if (other == NULL) /* that capture has ended */
        return capture != NULL ? capture_fail(capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION) : CUDA_ERROR_CAPTURED_EVENT;
    if (other->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (capture != NULL && capture != other) {
        capture_fail(capture, CUDA_SUCCESS);
        return capture_fail(other, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    if (stream->legacy)
        return capture_fail(other, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (event->context != stream->context)
        return capture_fail(other, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    stream->capture = other;
    return node_set_join(&stream->after, &event->after) ? CUDA_SUCCESS : capture_fail(other, CUDA_ERROR_OUT_OF_MEMORY);
}
