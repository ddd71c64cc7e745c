/* Convolutions and their gradients, by the graph interface and by name, against sums on the host. */
#include "tests/dnn/rig.h"

cudnnStatus_t cudnnBackendCreateDescriptor(int kind, struct backend **descriptor);
cudnnStatus_t cudnnBackendDestroyDescriptor(struct backend *descriptor);
cudnnStatus_t cudnnBackendSetAttribute(struct backend *descriptor, int name, int type, int64_t count,
                                       const void *values);
cudnnStatus_t cudnnBackendGetAttribute(const struct backend *descriptor, int name, int type, int64_t wanted,
                                       int64_t *count, void *values);
cudnnStatus_t cudnnBackendFinalize(struct backend *descriptor);
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, const struct backend *plan, const struct backend *pack);
cudnnStatus_t cudnnCreateFilterDescriptor(struct tensor **filter);
cudnnStatus_t cudnnDestroyFilterDescriptor(struct tensor *filter);
cudnnStatus_t cudnnSetFilterNdDescriptor(struct tensor *filter, int type, int format, int count, const int *sizes);
cudnnStatus_t cudnnCreateConvolutionDescriptor(struct convolving **c);
cudnnStatus_t cudnnDestroyConvolutionDescriptor(struct convolving *c);
cudnnStatus_t cudnnSetConvolutionNdDescriptor(struct convolving *c, int space, const int *padding, const int *stride,
                                              const int *dilation, int mode, int type);
cudnnStatus_t cudnnSetConvolutionGroupCount(struct convolving *c, int groups);
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void *, const struct tensor *, const void *,
                                      const struct tensor *, const void *, const struct convolving *, int, void *,
                                      size_t, const void *, const struct tensor *, void *);
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t, const void *, const struct tensor *, const void *,
                                           const struct tensor *, const void *, const struct convolving *, int, void *,
                                           size_t, const void *, const struct tensor *, void *);
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t, const void *, const struct tensor *, const void *,
                                             const struct tensor *, const void *, const struct convolving *, int,
                                             void *, size_t, const void *, const struct tensor *, void *);

static const struct shape {
    int space, groups, images, inputs, outputs;
    int size[DNN_SPACE], filter[DNN_SPACE], padding[DNN_SPACE], stride[DNN_SPACE], dilation[DNN_SPACE];
    bool last; /* channels are the last dimension in memory */
} shapes[] = {
    {1, 1, 2, 3, 5, {19}, {3}, {0}, {2}, {1}, false},
    {2, 1, 2, 4, 6, {9, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false},
    {2, 2, 2, 4, 6, {9, 8}, {3, 2}, {2, 0}, {2, 3}, {2, 1}, true},
    {2, 1, 1, 1, 40, {6, 7}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
    {2, 8, 1, 8, 8, {7, 5}, {3, 3}, {1, 1}, {2, 1}, {1, 1}, false},
    {3, 1, 1, 2, 3, {4, 5, 6}, {2, 3, 3}, {1, 0, 1}, {1, 2, 1}, {1, 1, 2}, false},
    {3, 1, 1, 2, 3, {3, 4, 5}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, true},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], FLIPPED = 0, STRAIGHT = 1 };
static const int types[] = {DNN_F32, DNN_F64, DNN_F16, DNN_BF16};
enum { TYPES = sizeof types / sizeof types[0] };

static int output(const struct shape *s, int d)
{
    return (s->size[d] + 2 * s->padding[d] - s->dilation[d] * (s->filter[d] - 1) - 1) / s->stride[d] + 1;
}

struct three {
    struct rig_tensor x, w, y;
};

static struct three tensors(const struct shape *s, int type)
{
    int x[DNN_DIMENSIONS] = {s->images, s->inputs}, w[DNN_DIMENSIONS] = {s->outputs, s->inputs / s->groups};
    int y[DNN_DIMENSIONS] = {s->images, s->outputs};
    for (int d = 0; d < s->space; d++) {
        x[2 + d] = s->size[d];
        w[2 + d] = s->filter[d];
        y[2 + d] = output(s, d);
    }
    return (struct three){rig_tensor(type, s->space + 2, x, s->last, 1), rig_tensor(type, s->space + 2, w, s->last, 2),
                          rig_tensor(type, s->space + 2, y, s->last, 3)};
}

/* Counts `at` on through the sizes; false behind the last place. */
static bool next(int *at, const int *sizes, int count)
{
    for (int d = count - 1; d >= 0; d--) {
        if (++at[d] < sizes[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* Adds every product of the convolution to its element, in place: y, or the gradient of x or w. */
static void add_products(const struct shape *s, struct three *t, enum convolution_kind kind, int mode)
{
    int y[DNN_DIMENSIONS] = {0};
    do {
        int w[DNN_DIMENSIONS] = {0};
        w[0] = y[1];
        do {
            int x[DNN_DIMENSIONS] = {y[0], y[1] / (s->outputs / s->groups) * (s->inputs / s->groups) + w[1]};
            bool inside = true;
            for (int d = 0; d < s->space; d++) {
                int tap = mode == FLIPPED ? s->filter[d] - 1 - w[2 + d] : w[2 + d];
                x[2 + d] = y[2 + d] * s->stride[d] - s->padding[d] + tap * s->dilation[d];
                inside = inside && x[2 + d] >= 0 && x[2 + d] < s->size[d];
            }
            if (!inside)
                continue;
            double *vx = &t->x.values[rig_place(&t->x, x)], *vw = &t->w.values[rig_place(&t->w, w)];
            double *vy = &t->y.values[rig_place(&t->y, y)];
            *(kind == CONVOLUTION_FORWARD ? vy
              : kind == CONVOLUTION_DATA  ? vx
                                          : vw) += kind == CONVOLUTION_FORWARD ? *vx * *vw
                                                  : kind == CONVOLUTION_DATA  ? *vy * *vw
                                                                              : *vy * *vx;
        } while (next(w + 1, t->w.sizes + 1, s->space + 1));
    } while (next(y, t->y.sizes, s->space + 2));
}

static struct rig_tensor *result_of(struct three *t, enum convolution_kind kind)
{
    return kind == CONVOLUTION_FORWARD ? &t->y : kind == CONVOLUTION_DATA ? &t->x : &t->w;
}

/* The result that the host expects: alpha is 1, and beta 1 or 0. */
static void expect(const struct shape *s, struct three *t, enum convolution_kind kind, int mode, bool added,
                   const char *what)
{
    struct rig_tensor *result = result_of(t, kind);
    int at[DNN_DIMENSIONS] = {0};
    if (!added)
        do
            result->values[rig_place(result, at)] = 0;
        while (next(at, result->sizes, result->count));
    add_products(s, t, kind, mode);
    rig_expect(result, 0, what);
}

static void release(struct three *t)
{
    rig_free(&t->x);
    rig_free(&t->w);
    rig_free(&t->y);
}

/* ---- the graph interface ----------------------------------------------------------------------------------------- */

static struct backend *make(int kind)
{
    struct backend *b;
    GOOD(cudnnBackendCreateDescriptor(kind, &b));
    return b;
}

static void put(struct backend *b, int name, int type, int64_t count, const void *values)
{
    GOOD(cudnnBackendSetAttribute(b, name, type, count, values));
}

static void put_numbers(struct backend *b, int name, const int *values, int count)
{
    int64_t wide[DNN_DIMENSIONS];
    for (int i = 0; i < count; i++)
        wide[i] = values[i];
    put(b, name, BACKEND_OF_INT64, count, wide);
}

static struct backend *tensor_of(const struct rig_tensor *t, int64_t id)
{
    struct backend *b = make(BACKEND_TENSOR);
    put(b, BACKEND_TENSOR_TYPE, BACKEND_OF_DATA_TYPE, 1, &t->type);
    put_numbers(b, BACKEND_TENSOR_SIZES, t->sizes, t->count);
    put_numbers(b, BACKEND_TENSOR_STEPS, t->steps, t->count);
    put(b, BACKEND_TENSOR_ID, BACKEND_OF_INT64, 1, &id);
    GOOD(cudnnBackendFinalize(b));
    return b;
}

static struct backend *how_of(const struct shape *s, int mode)
{
    struct backend *b = make(BACKEND_CONVOLUTION);
    int type = DNN_F32;
    put(b, BACKEND_COMPUTE_TYPE, BACKEND_OF_DATA_TYPE, 1, &type);
    put(b, BACKEND_MODE, BACKEND_OF_CONVOLUTION_MODE, 1, &mode);
    put_numbers(b, BACKEND_SPACE, &s->space, 1);
    put_numbers(b, BACKEND_PADDING_BEFORE, s->padding, s->space);
    put_numbers(b, BACKEND_PADDING_AFTER, s->padding, s->space);
    put_numbers(b, BACKEND_DILATIONS, s->dilation, s->space);
    put_numbers(b, BACKEND_STRIDES_OF_FILTER, s->stride, s->space);
    GOOD(cudnnBackendFinalize(b));
    return b;
}

/* Gives a child to a descriptor and lets go of it: the parent keeps it alive. */
static void give(struct backend *b, int name, struct backend *child)
{
    put(b, name, BACKEND_OF_DESCRIPTOR, 1, &child);
    GOOD(cudnnBackendDestroyDescriptor(child));
}

/* Numbers of the documentation: operation, x, w, y, how, alpha, beta. */
static const int names[][7] = {[CONVOLUTION_FORWARD] = {BACKEND_FORWARD, 704, 703, 705, 702, 700, 701},
                               [CONVOLUTION_DATA] = {BACKEND_DATA, 710, 709, 711, 708, 706, 707},
                               [CONVOLUTION_FILTER] = {BACKEND_FILTER, 716, 715, 717, 714, 712, 713}};

static struct backend *graph_of(const struct shape *s, const struct three *t, enum convolution_kind kind, int mode,
                                float beta)
{
    const int *name = names[kind];
    struct backend *operation = make(name[0]), *graph = make(BACKEND_GRAPH);
    float alpha = 1;
    give(operation, name[1], tensor_of(&t->x, 'x'));
    give(operation, name[2], tensor_of(&t->w, 'w'));
    give(operation, name[3], tensor_of(&t->y, 'y'));
    give(operation, name[4], how_of(s, mode));
    put(operation, name[5], BACKEND_OF_FLOAT, 1, &alpha);
    put(operation, name[6], BACKEND_OF_FLOAT, 1, &beta);
    GOOD(cudnnBackendFinalize(operation));
    give(graph, BACKEND_GRAPH_OPERATIONS, operation);
    GOOD(cudnnBackendFinalize(graph));
    return graph;
}

/* Asks for an engine as programs do, and makes its plan. */
static struct backend *plan_of(struct backend *graph)
{
    struct backend *heuristic = make(BACKEND_HEURISTIC), *choice = make(BACKEND_ENGINE_CHOICE);
    struct backend *engine = make(BACKEND_ENGINE), *plan = make(BACKEND_PLAN);
    int64_t count = 0, bytes = -1;
    give(heuristic, BACKEND_HEURISTIC_GRAPH, graph);
    GOOD(cudnnBackendFinalize(heuristic));
    GOOD(cudnnBackendGetAttribute(heuristic, BACKEND_HEURISTIC_RESULTS, BACKEND_OF_DESCRIPTOR, 0, &count, NULL));
    assert_int_equal(count, 1);
    GOOD(cudnnBackendGetAttribute(heuristic, BACKEND_HEURISTIC_RESULTS, BACKEND_OF_DESCRIPTOR, 1, &count, &choice));
    GOOD(cudnnBackendDestroyDescriptor(heuristic));
    GOOD(cudnnBackendGetAttribute(choice, BACKEND_CHOSEN_ENGINE, BACKEND_OF_DESCRIPTOR, 1, &count, &engine));
    GOOD(cudnnBackendGetAttribute(engine, BACKEND_ENGINE_NUMERICAL_NOTES, 11, 0, &count, NULL));
    assert_int_equal(count, 0);
    GOOD(cudnnBackendDestroyDescriptor(engine));
    give(plan, BACKEND_PLAN_CHOICE, choice);
    GOOD(cudnnBackendFinalize(plan));
    GOOD(cudnnBackendGetAttribute(plan, BACKEND_PLAN_WORKSPACE, BACKEND_OF_INT64, 1, &count, &bytes));
    assert_int_equal(bytes, 0);
    return plan;
}

static void execute(const struct three *t, struct backend *plan)
{
    struct backend *pack = make(BACKEND_PACK);
    void *pointers[] = {rig_at(&t->w), rig_at(&t->y), rig_at(&t->x)};
    int64_t ids[] = {'w', 'y', 'x'};
    put(pack, BACKEND_PACK_POINTERS, BACKEND_OF_POINTER, 3, pointers);
    put(pack, BACKEND_PACK_IDS, BACKEND_OF_INT64, 3, ids);
    GOOD(cudnnBackendFinalize(pack));
    GOOD(cudnnBackendExecute(rig_handle(), plan, pack));
    GOOD(cudnnBackendDestroyDescriptor(pack));
}

static void graphs_of_one_convolution_agree_with_sums_on_the_host(void **state)
{
    (void)state;
    rig_handle();
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t type = 0; type < TYPES; type++)
            for (int kind = CONVOLUTION_FORWARD; kind <= CONVOLUTION_FILTER; kind++) {
                int mode = s % 2 == 0 ? STRAIGHT : FLIPPED;
                bool added = type % 2 != 0;
                struct three t = tensors(&shapes[s], types[type]);
                struct backend *plan =
                    plan_of(graph_of(&shapes[s], &t, (enum convolution_kind)kind, mode, added ? 1 : 0));
                execute(&t, plan);
                expect(&shapes[s], &t, (enum convolution_kind)kind, mode, added, "graph");
                GOOD(cudnnBackendDestroyDescriptor(plan));
                release(&t);
            }
}

/* ---- operations behind a convolution ----------------------------------------------------------------------------- */

/* An operation behind others: an addition of `b` times its scale, or a ReLU without one. */
static struct backend *follower(const struct rig_tensor *like, int64_t x, const struct rig_tensor *b, int64_t id_b,
                                float scale, int64_t y)
{
    struct backend *operation = make(BACKEND_POINTWISE_OPERATION), *how = make(BACKEND_POINTWISE);
    int mode = b != NULL ? 0 : 100;
    put(how, BACKEND_POINTWISE_MODE, 14, 1, &mode);
    GOOD(cudnnBackendFinalize(how));
    give(operation, BACKEND_POINTWISE_HOW, how);
    give(operation, BACKEND_POINTWISE_X, tensor_of(like, x));
    if (b != NULL) {
        give(operation, BACKEND_POINTWISE_B, tensor_of(b, id_b));
        put(operation, BACKEND_POINTWISE_SCALE_B, BACKEND_OF_FLOAT, 1, &scale);
    }
    give(operation, BACKEND_POINTWISE_Y, tensor_of(like, y));
    GOOD(cudnnBackendFinalize(operation));
    return operation;
}

/* y = ReLU(convolution + 2 z + bias). */
static struct backend *fused_graph(const struct shape *s, const struct three *t, const struct rig_tensor *z,
                                   const struct rig_tensor *bias)
{
    struct rig_tensor between = t->y;
    struct three virtual = *t;
    struct backend *single, *operations[4], *graph = make(BACKEND_GRAPH);
    int64_t count;
    between.type = virtual.y.type = DNN_F32; /* intermediate results are FP32 */
    single = graph_of(s, &virtual, CONVOLUTION_FORWARD, STRAIGHT, 0);
    operations[0] = make(BACKEND_FORWARD);
    GOOD(cudnnBackendGetAttribute(single, BACKEND_GRAPH_OPERATIONS, BACKEND_OF_DESCRIPTOR, 1, &count, operations));
    GOOD(cudnnBackendDestroyDescriptor(single));
    operations[1] = follower(&between, 'y', z, 'z', 2, 'A');
    operations[2] = follower(&between, 'A', bias, 'b', 1, 'B');
    operations[3] = follower(&t->y, 'B', NULL, 0, 0, 'Y');
    put(graph, BACKEND_GRAPH_OPERATIONS, BACKEND_OF_DESCRIPTOR, 4, operations);
    for (int i = 0; i < 4; i++)
        GOOD(cudnnBackendDestroyDescriptor(operations[i]));
    GOOD(cudnnBackendFinalize(graph));
    return graph;
}

static void sums_and_a_relu_behind_a_convolution_are_part_of_it(void **state)
{
    (void)state;
    rig_handle();
    const struct shape *s = &shapes[2];
    for (size_t type = 0; type < TYPES; type++) {
        struct three t = tensors(s, types[type]);
        struct rig_tensor z = rig_tensor(types[type], 4, t.y.sizes, false, 8);
        struct rig_tensor bias = rig_tensor(types[type], 4, (int[]){1, s->outputs, 1, 1}, false, 9);
        struct backend *plan = plan_of(fused_graph(s, &t, &z, &bias)), *pack = make(BACKEND_PACK);
        void *pointers[] = {rig_at(&t.x), rig_at(&t.w), rig_at(&t.y), rig_at(&z), rig_at(&bias)};
        int64_t ids[] = {'x', 'w', 'Y', 'z', 'b'};
        put(pack, BACKEND_PACK_POINTERS, BACKEND_OF_POINTER, 5, pointers);
        put(pack, BACKEND_PACK_IDS, BACKEND_OF_INT64, 5, ids);
        GOOD(cudnnBackendFinalize(pack));
        GOOD(cudnnBackendExecute(rig_handle(), plan, pack));
        int at[DNN_DIMENSIONS] = {0};
        do
            t.y.values[rig_place(&t.y, at)] = 2 * z.values[rig_place(&z, at)] + bias.values[at[1]];
        while (next(at, t.y.sizes, 4));
        add_products(s, &t, CONVOLUTION_FORWARD, STRAIGHT);
        do
            if (t.y.values[rig_place(&t.y, at)] < 0)
                t.y.values[rig_place(&t.y, at)] = 0;
        while (next(at, t.y.sizes, 4));
        rig_expect(&t.y, 0, "fused");
        GOOD(cudnnBackendDestroyDescriptor(plan));
        GOOD(cudnnBackendDestroyDescriptor(pack));
        rig_free(&z);
        rig_free(&bias);
        release(&t);
    }
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

static cudnnStatus_t by_name(const struct shape *s, struct three *t, enum convolution_kind kind, int groups)
{
    struct tensor *x = rig_descriptor(&t->x), *y = rig_descriptor(&t->y), *w;
    struct convolving *how;
    double one = 1, zero = 0;
    float one_f = 1, zero_f = 0;
    bool wide = t->x.type == DNN_F64;
    const void *alpha = wide ? (void *)&one : &one_f, *beta = wide ? (void *)&zero : &zero_f;
    GOOD(cudnnCreateFilterDescriptor(&w));
    GOOD(cudnnSetFilterNdDescriptor(w, t->w.type, s->last, t->w.count, t->w.sizes));
    GOOD(cudnnCreateConvolutionDescriptor(&how));
    GOOD(cudnnSetConvolutionNdDescriptor(how, s->space, s->padding, s->stride, s->dilation, STRAIGHT, DNN_F32));
    GOOD(cudnnSetConvolutionGroupCount(how, groups));
    cudnnHandle_t handle = rig_handle();
    void *px = rig_at(&t->x), *pw = rig_at(&t->w), *py = rig_at(&t->y);
    cudnnStatus_t status =
        kind == CONVOLUTION_FORWARD ? cudnnConvolutionForward(handle, alpha, x, px, w, pw, how, 0, NULL, 0, beta, y, py)
        : kind == CONVOLUTION_DATA
            ? cudnnConvolutionBackwardData(handle, alpha, w, pw, y, py, how, 1, NULL, 0, beta, x, px)
            : cudnnConvolutionBackwardFilter(handle, alpha, x, px, y, py, how, 1, NULL, 0, beta, w, pw);
    GOOD(cudnnDestroyTensorDescriptor(x));
    GOOD(cudnnDestroyTensorDescriptor(y));
    GOOD(cudnnDestroyFilterDescriptor(w));
    GOOD(cudnnDestroyConvolutionDescriptor(how));
    return status;
}

static void convolutions_by_name_agree_with_sums_on_the_host(void **state)
{
    (void)state;
    rig_handle();
    for (size_t s = 0; s < SHAPES; s++)
        for (int kind = CONVOLUTION_FORWARD; kind <= CONVOLUTION_FILTER; kind++) {
            struct three t = tensors(&shapes[s], types[s % TYPES]);
            GOOD(by_name(&shapes[s], &t, (enum convolution_kind)kind, shapes[s].groups));
            expect(&shapes[s], &t, (enum convolution_kind)kind, STRAIGHT, false, "by name");
            release(&t);
        }
}

static void sizes_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    rig_handle();
    struct three t = tensors(&shapes[1], DNN_F32);
    assert_int_equal(by_name(&shapes[1], &t, CONVOLUTION_FORWARD, 2), CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
    t.y.sizes[3]--;
    assert_int_equal(by_name(&shapes[1], &t, CONVOLUTION_FORWARD, 1), CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
    t.y.sizes[3]++;
    t.y.type = DNN_F16;
    assert_int_equal(by_name(&shapes[1], &t, CONVOLUTION_FORWARD, 1), CUDNN_STATUS_NOT_SUPPORTED);
    release(&t);
}

static void descriptors_keep_their_order_of_life(void **state)
{
    (void)state;
    struct backend *b = make(BACKEND_TENSOR), *heuristic = make(BACKEND_HEURISTIC), *graph = make(BACKEND_GRAPH);
    struct backend *other = make(13); /* a pointwise operation */
    int64_t count, one = 1;
    assert_int_equal(cudnnBackendFinalize(b), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnBackendGetAttribute(b, BACKEND_TENSOR_ID, BACKEND_OF_INT64, 1, &count, &one),
                     CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    give(graph, BACKEND_GRAPH_OPERATIONS, other);
    GOOD(cudnnBackendFinalize(graph));
    assert_int_equal(cudnnBackendSetAttribute(graph, BACKEND_GRAPH_ENGINES, BACKEND_OF_INT64, 1, &one),
                     CUDNN_STATUS_BAD_PARAM);
    give(heuristic, BACKEND_HEURISTIC_GRAPH, graph);
    assert_int_equal(cudnnBackendFinalize(heuristic), CUDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(cudnnBackendCreateDescriptor(BACKEND_KINDS, &graph), CUDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(cudnnBackendDestroyDescriptor(NULL), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnBackendExecute(NULL, heuristic, b), CUDNN_STATUS_NOT_INITIALIZED);
    GOOD(cudnnBackendDestroyDescriptor(b));
    GOOD(cudnnBackendDestroyDescriptor(heuristic));
}

UNIT_TESTS(UNIT(graphs_of_one_convolution_agree_with_sums_on_the_host),
           UNIT(sums_and_a_relu_behind_a_convolution_are_part_of_it),
           UNIT(convolutions_by_name_agree_with_sums_on_the_host), UNIT(sizes_that_contradict_each_other_are_refused),
           UNIT(descriptors_keep_their_order_of_life))
