/* The graph interface: descriptors are made, get attributes, are finished, and are asked for others. */
#include <stdlib.h>
#include <string.h>

#include "dnn/graph.h"

/* ---- functions that programs call -------------------------------------------------------------------------------- */

DNN_API(cudnnStatus_t, cudnnBackendCreateDescriptor, int kind, struct backend **descriptor)
{
    if (descriptor == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *descriptor = NULL;
    if (kind < 0 || kind >= BACKEND_KINDS)
        return CUDNN_STATUS_NOT_SUPPORTED;
    struct backend *b = calloc(1, sizeof *b);
    if (b == NULL)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    *b = (struct backend){.magic = BACKEND_MAGIC, .references = 1, .kind = kind};
    *descriptor = b;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnBackendDestroyDescriptor, struct backend *descriptor)
{
    if (!backend_lives(descriptor))
        return CUDNN_STATUS_BAD_PARAM;
    backend_release(descriptor);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnBackendInitialize, struct backend *descriptor)
{
    return backend_lives(descriptor) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

DNN_API(cudnnStatus_t, cudnnBackendSetAttribute, struct backend *descriptor, int name, int type, int64_t count,
        const void *values)
{
    if (!backend_lives(descriptor) || descriptor->final || backend_size(type) == 0 || count < 0)
        return CUDNN_STATUS_BAD_PARAM;
    if (count > 0 && values == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    return backend_set(descriptor, name, type, count, values);
}

static bool has(const struct backend *b, int name, int type)
{
    const struct backend_attribute *a = backend_find(b, name);
    return a != NULL && a->type == type && a->count > 0;
}

/* Plans keep the convolution of their graph. */
static cudnnStatus_t finish_plan(struct backend *b)
{
    const struct backend *engine = backend_child(backend_child(b, BACKEND_PLAN_CHOICE), BACKEND_CHOSEN_ENGINE);
    const struct backend *graph = backend_child(engine, BACKEND_ENGINE_GRAPH);
    return graph != NULL ? backend_convolution(graph, &b->convolution, b->ids) : CUDNN_STATUS_BAD_PARAM;
}

static cudnnStatus_t finish(struct backend *b)
{
    struct convolution any;
    int64_t ids[CONVOLUTION_TENSORS];
    bool good = true;
    switch (b->kind) {
    case BACKEND_TENSOR:
        good = has(b, BACKEND_TENSOR_TYPE, BACKEND_OF_DATA_TYPE) && has(b, BACKEND_TENSOR_SIZES, BACKEND_OF_INT64) &&
               has(b, BACKEND_TENSOR_STEPS, BACKEND_OF_INT64) && has(b, BACKEND_TENSOR_ID, BACKEND_OF_INT64);
        break;
    case BACKEND_CONVOLUTION: good = has(b, BACKEND_SPACE, BACKEND_OF_INT64); break;
    case BACKEND_GRAPH: good = has(b, BACKEND_GRAPH_OPERATIONS, BACKEND_OF_DESCRIPTOR); break;
    case BACKEND_HEURISTIC:
        good = has(b, BACKEND_HEURISTIC_GRAPH, BACKEND_OF_DESCRIPTOR);
        return good ? backend_convolution(backend_child(b, BACKEND_HEURISTIC_GRAPH), &any, ids)
                    : CUDNN_STATUS_BAD_PARAM;
    case BACKEND_ENGINE: good = has(b, BACKEND_ENGINE_GRAPH, BACKEND_OF_DESCRIPTOR); break;
    case BACKEND_ENGINE_CHOICE: good = has(b, BACKEND_CHOSEN_ENGINE, BACKEND_OF_DESCRIPTOR); break;
    case BACKEND_PLAN: return finish_plan(b);
    default: break;
    }
    return good ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

DNN_API(cudnnStatus_t, cudnnBackendFinalize, struct backend *descriptor)
{
    if (!backend_lives(descriptor))
        return CUDNN_STATUS_BAD_PARAM;
    if (descriptor->final)
        return CUDNN_STATUS_SUCCESS;
    cudnnStatus_t status = finish(descriptor);
    descriptor->final = status == CUDNN_STATUS_SUCCESS;
    return status;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* There is one engine. Makes it for a graph, for the caller to release. */
static cudnnStatus_t make_engine(struct backend *graph, struct backend **engine)
{
    int64_t number = 0;
    cudnnStatus_t status = cudnnBackendCreateDescriptor(BACKEND_ENGINE, engine);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    status = backend_set(*engine, BACKEND_ENGINE_GRAPH, BACKEND_OF_DESCRIPTOR, 1, &graph);
    if (status == CUDNN_STATUS_SUCCESS)
        status = backend_set(*engine, BACKEND_ENGINE_NUMBER, BACKEND_OF_INT64, 1, &number);
    (*engine)->final = true;
    return status;
}

/* Fills the first of the caller's choices with the one engine. */
static cudnnStatus_t answer_heuristic(const struct backend *b, int64_t wanted, int64_t *count, struct backend **choices)
{
    struct backend *engine;
    if (count != NULL)
        *count = 1;
    if (wanted < 1 || choices == NULL)
        return CUDNN_STATUS_SUCCESS;
    if (!backend_lives(choices[0]) || choices[0]->kind != BACKEND_ENGINE_CHOICE)
        return CUDNN_STATUS_BAD_PARAM;
    cudnnStatus_t status = make_engine(backend_child(b, BACKEND_HEURISTIC_GRAPH), &engine);
    if (status == CUDNN_STATUS_SUCCESS)
        status = backend_set(choices[0], BACKEND_CHOSEN_ENGINE, BACKEND_OF_DESCRIPTOR, 1, &engine);
    if (engine != NULL)
        backend_release(engine);
    choices[0]->final = status == CUDNN_STATUS_SUCCESS;
    return status;
}

/* Descriptors that programs ask for are copied into those that they bring along. */
static cudnnStatus_t answer_descriptor(const struct backend *from, struct backend *to)
{
    if (!backend_lives(to) || to->kind != from->kind)
        return CUDNN_STATUS_BAD_PARAM;
    for (int i = 0; i < from->count; i++) {
        const struct backend_attribute *a = &from->attributes[i];
        cudnnStatus_t status = backend_set(to, a->name, a->type, a->count, a->values);
        if (status != CUDNN_STATUS_SUCCESS)
            return status;
    }
    to->final = from->final;
    return CUDNN_STATUS_SUCCESS;
}

/* The answers that are the same for each descriptor: lists without elements, and numbers. */
static bool answer_constant(int name, int64_t wanted, int64_t *count, void *values)
{
    bool list = name == BACKEND_ENGINE_NUMERICAL_NOTES || name == BACKEND_ENGINE_BEHAVIOUR_NOTES ||
                name == BACKEND_ENGINE_KNOBS || name == BACKEND_ENGINE_LAYOUTS || name == BACKEND_KNOBS;
    if (!list && name != BACKEND_PLAN_WORKSPACE && name != BACKEND_ENGINE_NUMBER && name != BACKEND_GRAPH_ENGINES)
        return false;
    if (count != NULL)
        *count = list ? 0 : 1;
    if (!list && wanted > 0 && values != NULL)
        *(int64_t *)values = name == BACKEND_GRAPH_ENGINES ? 1 : 0;
    return true;
}

static cudnnStatus_t answer(const struct backend *b, const struct backend_attribute *a, int64_t wanted, int64_t *count,
                            void *values)
{
    int64_t given = a->count < wanted ? a->count : wanted;
    (void)b;
    if (count != NULL)
        *count = a->count;
    if (values == NULL || given <= 0)
        return CUDNN_STATUS_SUCCESS;
    if (a->type != BACKEND_OF_DESCRIPTOR) {
        memcpy(values, a->values, (size_t)given * backend_size(a->type));
        return CUDNN_STATUS_SUCCESS;
    }
    for (int64_t i = 0; i < given; i++) {
        cudnnStatus_t status = answer_descriptor(((struct backend **)a->values)[i], ((struct backend **)values)[i]);
        if (status != CUDNN_STATUS_SUCCESS)
            return status;
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnBackendGetAttribute, const struct backend *descriptor, int name, int type, int64_t wanted,
        int64_t *count, void *values)
{
    if (!backend_lives(descriptor))
        return CUDNN_STATUS_BAD_PARAM;
    if (!descriptor->final)
        return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    if (name == BACKEND_HEURISTIC_RESULTS && descriptor->kind == BACKEND_HEURISTIC)
        return answer_heuristic(descriptor, wanted, count, values);
    const struct backend_attribute *a = backend_find(descriptor, name);
    if (a != NULL)
        return a->type == type ? answer(descriptor, a, wanted, count, values) : CUDNN_STATUS_BAD_PARAM;
    return answer_constant(name, wanted, count, values) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

/* Returns the pointer of a tensor's number, or null. */
static const void *pointer_of(const struct backend *pack, int64_t id)
{
    const struct backend_attribute *ids = backend_find(pack, BACKEND_PACK_IDS);
    const struct backend_attribute *pointers = backend_find(pack, BACKEND_PACK_POINTERS);
    if (ids == NULL || pointers == NULL || ids->type != BACKEND_OF_INT64 || pointers->type != BACKEND_OF_POINTER)
        return NULL;
    for (int64_t i = 0; i < ids->count && i < pointers->count; i++)
        if (((const int64_t *)ids->values)[i] == id)
            return ((void **)pointers->values)[i];
    return NULL;
}

DNN_API(cudnnStatus_t, cudnnBackendExecute, cudnnHandle_t handle, const struct backend *plan,
        const struct backend *pack)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (!backend_lives(plan) || plan->kind != BACKEND_PLAN || !backend_lives(pack) || pack->kind != BACKEND_PACK)
        return CUDNN_STATUS_BAD_PARAM;
    if (!plan->final || !pack->final)
        return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    const void *data[CONVOLUTION_TENSORS];
    for (int i = 0; i < CONVOLUTION_TENSORS; i++)
        data[i] = pointer_of(pack, plan->ids[i]);
    return convolution_run(handle, &plan->convolution, data);
}
