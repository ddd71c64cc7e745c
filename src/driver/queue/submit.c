/* Commands on their way into the queue. */
#include <stdlib.h>

#include "driver/queue/graph_run.h"
#include "driver/queue/queue_state.h"
#include "driver/state/context.h"

static bool overlaps(const struct queue *queue, const struct CUstream_st *stream, const struct command *command,
                     const struct range_place *place)
{
    const struct command_handler *handler = &queue->handlers[command->kind];
    return handler->overlaps != NULL && handler->overlaps(queue->driver, stream->context, command, place);
}

CUresult queue_submit_node(struct CUstream_st *stream, struct command *command, struct graph_run *run, uint32_t node)
{
    struct queue *queue = stream->context->driver->queue;
    struct queued *item = calloc(1, sizeof *item);
    CUresult result = item != NULL ? executor_start(queue) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS) {
        free(item);
        command_clear(command);
        return result;
    }
    const struct range_place place = ranges_submit(&queue->driver->ranges);
    *item = (struct queued){
        .stream = stream,
        .order = ++queue->order,
        .host = queue->timeline.host,
        .place = place,
        .origin = profile_on() ? profile_origin() : (struct profile_origin){0},
        .overlaps = overlaps(queue, stream, command, &place),
        .run = run != NULL ? graph_run_hold(run) : NULL,
        .node = node,
        .command = *command,
    };
    *command = (struct command){.kind = COMMAND_EMPTY};
    if (run != NULL)
        graph_run_add(run, node);
    queue_append(queue, item);
    pthread_cond_signal(&queue->work);
    return CUDA_SUCCESS;
}

CUresult queue_submit(struct CUstream_st *stream, struct command *command)
{
    return queue_submit_node(stream, command, NULL, 0);
}
