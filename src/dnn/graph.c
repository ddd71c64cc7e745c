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

/* ---- operations behind a convolution ----------------------------------------------------------------------------- */

enum { ADD = 0, RELU = 100, MOST_OPERATIONS = 8 };

/* Returns the number of an operation's tensor, INT64_MIN if it has none. */
static int64_t id_of(const struct backend *operation, int name)
{
    int64_t id;
    int count;
    return whole(backend_child(operation, name), BACKEND_TENSOR_ID, &id, 1, &count) ? id : INT64_MIN;
}

/* Adds a tensor to the sum so far. */
static bool add(const struct backend *b, bool second, struct convolution_shape *s, int64_t *ids)
{
    int n = s->addend_count;
    double kept = scalar(b, second ? BACKEND_POINTWISE_SCALE_B : BACKEND_POINTWISE_SCALE_X, 1);
    if (s->positive || n == DNN_ADDENDS)
        return false;
    s->alpha *= kept;
    s->beta *= kept;
    for (int i = 0; i < n; i++)
        s->scales[i] *= kept;
    s->scales[n] = scalar(b, second ? BACKEND_POINTWISE_SCALE_X : BACKEND_POINTWISE_SCALE_B, 1);
    s->addend_count++;
    return tensor(backend_child(b, second ? BACKEND_POINTWISE_X : BACKEND_POINTWISE_B), &s->addends[n],
                  &ids[CONVOLUTION_ADDENDS + n]);
}

/* Takes the operation that reads the result so far. */
static bool follow(const struct backend *b, struct convolution_shape *s, int64_t *ids)
{
    const struct backend_attribute *mode =
        backend_find(backend_child(b, BACKEND_POINTWISE_HOW), BACKEND_POINTWISE_MODE);
    int64_t so_far = ids[CONVOLUTION_Y];
    bool first = id_of(b, BACKEND_POINTWISE_X) == so_far, second = id_of(b, BACKEND_POINTWISE_B) == so_far;
    if (mode == NULL || (!first && !second))
        return false;
    if (*(const int *)mode->values == RELU)
        s->positive = true;
    else if (*(const int *)mode->values != ADD || !add(b, !first, s, ids))
        return false;
    return tensor(backend_child(b, BACKEND_POINTWISE_Y), &s->y, &ids[CONVOLUTION_Y]);
}

/* Follows the results from operation to operation. Each has to be used. */
static bool follow_all(const struct backend_attribute *list, const struct backend *first, struct convolution_shape *s,
                       int64_t *ids)
{
    struct backend *const *operations_of_graph = list->values;
    bool used[MOST_OPERATIONS] = {false};
    if (list->count > MOST_OPERATIONS || s->kind != CONVOLUTION_FORWARD)
        return list->count == 1;
    for (int64_t left = list->count - 1; left > 0; left--) {
        bool found = false;
        for (int64_t i = 0; i < list->count && !found; i++) {
            const struct backend *b = operations_of_graph[i];
            if (used[i] || b == first || b->kind != BACKEND_POINTWISE_OPERATION)
                continue;
            used[i] = found = id_of(b, BACKEND_POINTWISE_X) == ids[CONVOLUTION_Y] ||
                              id_of(b, BACKEND_POINTWISE_B) == ids[CONVOLUTION_Y];
            if (found && !follow(b, s, ids))
                return false;
        }
        if (!found)
            return false;
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Returns the convolution among the operations, and how its attributes are numbered. NULL if there is none. */
static const struct backend *convolution_of(const struct backend_attribute *list, const struct operation **how)
{
    for (int64_t n = 0; list != NULL && list->type == BACKEND_OF_DESCRIPTOR && n < list->count; n++)
        for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
            const struct backend *b = ((struct backend *const *)list->values)[n];
            *how = &operations[i];
            if (operations[i].kind == b->kind)
                return b;
        }
    return NULL;
}

cudnnStatus_t backend_convolution(const struct backend *graph, struct convolution *out,
                                  int64_t ids[CONVOLUTION_TENSORS])
{
    const struct backend_attribute *list = backend_find(graph, BACKEND_GRAPH_OPERATIONS);
    const struct operation *o;
    const struct backend *b = convolution_of(list, &o);
    if (b == NULL)
        return dnn_refuse("cudnnBackendFinalize", "graphs without a convolution");
    struct convolution_shape s = {.kind = o->convolution};
    if (!tensor(backend_child(b, o->x), &s.x, &ids[CONVOLUTION_X]) ||
        !tensor(backend_child(b, o->w), &s.w, &ids[CONVOLUTION_W]) ||
        !tensor(backend_child(b, o->y), &s.y, &ids[CONVOLUTION_Y]) || !how(backend_child(b, o->how), &s))
        return CUDNN_STATUS_BAD_PARAM;
    s.alpha = scalar(b, o->alpha, 1);
    s.beta = scalar(b, o->beta, 0);
    if (!follow_all(list, b, &s, ids))
        return dnn_refuse("cudnnBackendFinalize", "an operation that joins this graph's convolution");
    cudnnStatus_t status = convolution_make(&s, out);
    return status == CUDNN_STATUS_NOT_SUPPORTED ? dnn_refuse("cudnnBackendFinalize", "these types or sizes") : status;
}
