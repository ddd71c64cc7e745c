#include "driver/graph/graph_exec.h"
#include "driver/capture/submit.h"

#include <stdlib.h>

#include "driver/capture/capture.h"
#include "driver/queue/event.h"
#include "driver/queue/graph_run.h"
#include "driver/state/handles.h"

/* Steps while they are put in order. */
struct step_list {
    struct CUgraphExec_st *exec;
    size_t step_room, edge_room;
    uint32_t edges;
};

static bool grow(void *array, size_t element, size_t *room, size_t count)
{
    void **at = array;
    if (count <= *room)
        return true;
    size_t larger = 2 * *room + 16;
    void *new = realloc(*at, larger * element);
    if (new == NULL)
        return false;
    *at = new;
    *room = larger;
    return true;
}

static bool add_edge(struct step_list *plan, uint32_t from)
{
    if (!grow(&plan->exec->from, sizeof *plan->exec->from, &plan->edge_room, plan->edges + 1u))
        return false;
    plan->exec->from[plan->edges++] = from;
    return true;
}

/* The edges that come next are the new step's. */
static bool begin_step(struct step_list *plan, struct CUgraphNode_st *node)
{
    struct CUgraphExec_st *exec = plan->exec;
    size_t room = plan->step_room;
    if (!grow(&exec->step, sizeof *exec->step, &room, exec->steps + 2u))
        return false;
    if (!grow(&exec->first, sizeof *exec->first, &plan->step_room, exec->steps + 2u))
        return false;
    exec->step[exec->steps] = node;
    exec->first[exec->steps++] = plan->edges;
    return true;
}

static CUresult plan_graph(struct step_list *plan, struct CUgraph_st *graph, bool child, struct CUgraphNode_st **error);

/* Where nodes in a child graph begin and end: dependences of the first, and nodes that depend on the whole. */
static CUresult plan_child(struct step_list *plan, struct CUgraphNode_st *node, struct CUgraphNode_st **error)
{
    uint32_t begin = plan->exec->steps - 1;
    CUresult result = plan_graph(plan, node->child, true, error);
    if (result != CUDA_SUCCESS)
        return result;
    if (!begin_step(plan, node) || !add_edge(plan, begin))
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < node->child->nodes.count; i++)
        if (node->child->nodes.node[i]->to.count == 0 && !add_edge(plan, node->child->nodes.node[i]->mark))
            return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

/* A kernel behind another by a programmatic edge may begin before that has ended. */
static uint32_t flag_of(const struct CUgraphNode_st *node, size_t edge)
{
    bool kernels = node->type == CU_GRAPH_NODE_TYPE_KERNEL && node->from.node[edge]->type == CU_GRAPH_NODE_TYPE_KERNEL;
    return kernels && node->from.data[edge].type == GRAPH_EDGE_PROGRAMMATIC ? GRAPH_PROGRAMMATIC : 0;
}

/* Afterwards a node's `mark` is the step at which it has ended. */
static CUresult plan_graph(struct step_list *plan, struct CUgraph_st *graph, bool child, struct CUgraphNode_st **error)
{
    struct CUgraphNode_st **order = calloc(graph->nodes.count + 1, sizeof *order);
    if (order == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    uint32_t begin = plan->exec->steps - 1;
    CUresult result = graph_order(graph, order);
    if (result == CUDA_ERROR_INVALID_VALUE)
        *error = order[0];
    for (size_t i = 0; i < graph->nodes.count && result == CUDA_SUCCESS; i++) {
        struct CUgraphNode_st *node = order[i];
        bool enough = begin_step(plan, node);
        if (enough && child && node->from.count == 0)
            enough = add_edge(plan, begin);
        for (size_t k = 0; k < node->from.count && enough; k++)
            enough = add_edge(plan, node->from.node[k]->mark | flag_of(node, k));
        result = enough ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
        if (result == CUDA_SUCCESS && node->child != NULL)
            result = plan_child(plan, node, error);
        node->mark = plan->exec->steps - 1;
    }
    free(order);
    return result;
}

void graph_exec_free(struct CUgraphExec_st *exec)
{
    if (exec->graph != NULL)
        graph_free(exec->graph);
    free(exec->step);
    free(exec->first);
    free(exec->from);
    mark_release(exec->launched);
    handle_free(exec->driver->handles, exec);
}

/* The node of `graph` that a copy was made from (NULL: none). */
static struct CUgraphNode_st *original_of(const struct CUgraph_st *graph, const struct CUgraphNode_st *copy)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct CUgraphNode_st *node = graph->nodes.node[i];
        if (node->id == copy->original)
            return node;
        struct CUgraphNode_st *inside = node->child != NULL ? original_of(node->child, copy) : NULL;
        if (inside != NULL)
            return inside;
    }
    return NULL;
}

CUresult graph_exec_create(struct driver *driver, const struct CUgraph_st *graph, uint64_t flags,
                           struct CUgraphExec_st **exec, struct CUgraphNode_st **error)
{
    *error = NULL;
    struct CUgraphExec_st *new = handle_new(driver->handles, HANDLE_GRAPH_EXEC, sizeof *new);
    if (new == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    new->driver = driver;
    new->flags = flags;
    new->graph = graph_clone(graph);
    struct step_list plan = {.exec = new};
    struct CUgraphNode_st *wrong = NULL;
    CUresult result = new->graph != NULL ? plan_graph(&plan, new->graph, false, &wrong) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS && !begin_step(&plan, NULL))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS) {
        *error = wrong != NULL ? original_of(graph, wrong) : NULL;
        graph_exec_free(new);
        return result;
    }
    new->steps--; /* that was the end of the last one's edges */
    new->graph->hidden = true;
    *exec = new;
    return CUDA_SUCCESS;
}

struct CUgraphExec_st *graph_exec_find(const struct call *call, CUgraphExec handle)
{
    return handle_is(call->driver->handles, HANDLE_GRAPH_EXEC, handle) ? handle : NULL;
}

static struct CUgraphNode_st *copy_of(const struct CUgraph_st *graph, uint64_t original)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct CUgraphNode_st *node = graph->nodes.node[i];
        if (node->original == original)
            return node;
        struct CUgraphNode_st *inside = node->child != NULL ? copy_of(node->child, original) : NULL;
        if (inside != NULL)
            return inside;
    }
    return NULL;
}

struct CUgraphNode_st *graph_exec_node(const struct CUgraphExec_st *exec, const struct CUgraphNode_st *node)
{
    return copy_of(exec->graph, node->id);
}

/* A launch in a stream that captures: a node with the graph as it is now. */
static CUresult capture_launch(const struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    struct capture *capture = stream->capture;
    if (capture->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    struct CUgraph_st *child = graph_clone(exec->graph);
    struct CUgraphNode_st *node =
        child != NULL ? graph_node_add(capture->graph, CU_GRAPH_NODE_TYPE_GRAPH, &stream->after) : NULL;
    if (node == NULL) {
        if (child != NULL)
            graph_free(child);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->child = child;
    child->owner = node;
    return capture_follow(stream, node);
}

/* A node's command as it is to be run now. */
static CUresult ready_command(const struct driver *driver, const struct command *from, struct command *to)
{
    if (from->kind != COMMAND_RECORD && from->kind != COMMAND_WAIT)
        return command_copy(to, from) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    struct CUevent_st *event = from->event.event;
    if (!handle_is(driver->handles, HANDLE_EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    if (from->kind == COMMAND_RECORD)
        return event_record(event, to);
    event_wait(event, to);
    return CUDA_SUCCESS;
}

static CUresult submit_step(struct CUgraphExec_st *exec, struct CUstream_st *stream, struct graph_run *run,
                            uint32_t step)
{
    const struct CUgraphNode_st *node = exec->step[step];
    struct command command = {.kind = COMMAND_EMPTY};
    if (node->disabled || node->command_count == 0)
        return queue_submit_node(stream, &command, run, step);
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < node->command_count && result == CUDA_SUCCESS; i++) {
        result = ready_command(exec->driver, &node->commands[i], &command);
        if (result == CUDA_SUCCESS)
            result = queue_submit_node(stream, &command, run, step);
    }
    return result;
}

static CUresult submit_steps(struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    struct graph_run *run = graph_run_create(exec->steps, exec->first, exec->from);
    if (run == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < exec->steps && result == CUDA_SUCCESS; i++)
        result = submit_step(exec, stream, run, i);
    graph_run_release(run);
    return result;
}

CUresult graph_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    if (stream->capture != NULL)
        return capture_launch(exec, stream);
    CUresult result = capture_check(stream);
    struct mark *mark = result == CUDA_SUCCESS ? mark_create() : NULL;
    if (mark == NULL)
        return result == CUDA_SUCCESS ? CUDA_ERROR_OUT_OF_MEMORY : result;
    struct command wait = {.kind = COMMAND_WAIT, .event = {.mark = exec->launched}}; /* its hold goes over */
    exec->launched = mark;
    struct command record = {.kind = COMMAND_RECORD, .event = {.mark = mark_hold(mark)}};
    result = stream_submit(stream, &wait);
    if (result == CUDA_SUCCESS)
        result = submit_steps(exec, stream);
    CUresult end = stream_submit(stream, &record);
    return result != CUDA_SUCCESS ? result : end;
}
