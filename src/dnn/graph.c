#include "dnn/graph.h"

/* The attributes of the three operations. */
static const struct operation {
    int kind;
    enum convolution_kind convolution;
    int x, w, y, how, alpha, beta;
} operations[] = {
    {BACKEND_FORWARD, CONVOLUTION_FORWARD, 704, 703, 705, 702, 700, 701},
    {BACKEND_DATA, CONVOLUTION_DATA, 710, 709, 711, 708, 706, 707},
    {BACKEND_FILTER, CONVOLUTION_FILTER, 716, 715, 717, 714, 712, 713},
};

static bool whole(const struct backend *b, int name, int64_t *values, int most, int *count)
{
    const struct backend_attribute *a = backend_find(b, name);
    if (a == NULL || a->type != BACKEND_OF_INT64 || a->count < 1 || a->count > most)
        return false;
    for (int64_t i = 0; i < a->count; i++)
        values[i] = ((const int64_t *)a->values)[i];
    *count = (int)a->count;
    return true;
}

static bool tensor(const struct backend *b, struct dnn_shape *shape, int64_t *id)
{
    const struct backend_attribute *type = backend_find(b, BACKEND_TENSOR_TYPE);
    int sizes = 0, steps = 0, ids = 0;
    if (type == NULL || !whole(b, BACKEND_TENSOR_SIZES, shape->sizes, DNN_DIMENSIONS, &sizes) ||
        !whole(b, BACKEND_TENSOR_STEPS, shape->steps, DNN_DIMENSIONS, &steps) ||
        !whole(b, BACKEND_TENSOR_ID, id, 1, &ids))
        return false;
    shape->type = *(const int *)type->values;
    shape->count = sizes;
    return sizes == steps;
}

/* Returns a scalar: float or double, `otherwise` if it is not set. */
static double scalar(const struct backend *b, int name, double otherwise)
{
    const struct backend_attribute *a = backend_find(b, name);
    if (a == NULL || a->count < 1)
        return otherwise;
    return a->type == BACKEND_OF_DOUBLE ? *(const double *)a->values : (double)*(const float *)a->values;
}

static bool how(const struct backend *b, struct convolution_shape *s)
{
    const struct backend_attribute *mode = backend_find(b, BACKEND_MODE);
    int64_t space;
    int counts[5] = {0};
    if (!whole(b, BACKEND_SPACE, &space, 1, &counts[0]) || space > DNN_SPACE ||
        !whole(b, BACKEND_PADDING_BEFORE, s->before, DNN_SPACE, &counts[1]) ||
        !whole(b, BACKEND_PADDING_AFTER, s->after, DNN_SPACE, &counts[2]) ||
        !whole(b, BACKEND_STRIDES_OF_FILTER, s->stride, DNN_SPACE, &counts[3]) ||
        !whole(b, BACKEND_DILATIONS, s->dilation, DNN_SPACE, &counts[4]))
        return false;
    s->space = (int)space;
    s->flipped = mode == NULL || *(const int *)mode->values == 0;
    return counts[1] == space && counts[2] == space && counts[3] == space && counts[4] == space;
}

cudnnStatus_t backend_convolution(const struct backend *graph, struct convolution *out, int64_t ids[3])
{
    const struct backend_attribute *list = backend_find(graph, BACKEND_GRAPH_OPERATIONS);
    const struct backend *b = backend_child(graph, BACKEND_GRAPH_OPERATIONS);
    const struct operation *o = NULL;
    for (size_t i = 0; b != NULL && list->count == 1 && i < sizeof operations / sizeof operations[0]; i++)
        if (operations[i].kind == b->kind)
            o = &operations[i];
    if (o == NULL)
        return dnn_refuse("cudnnBackendFinalize", "graphs other than one convolution or gradient");
    struct convolution_shape s = {.kind = o->convolution};
    if (!tensor(backend_child(b, o->x), &s.x, &ids[0]) || !tensor(backend_child(b, o->w), &s.w, &ids[1]) ||
        !tensor(backend_child(b, o->y), &s.y, &ids[2]) || !how(backend_child(b, o->how), &s))
        return CUDNN_STATUS_BAD_PARAM;
    s.alpha = scalar(b, o->alpha, 1);
    s.beta = scalar(b, o->beta, 0);
    cudnnStatus_t status = convolution_make(&s, out);
    return status == CUDNN_STATUS_NOT_SUPPORTED ? dnn_refuse("cudnnBackendFinalize", "these types or sizes") : status;
}
