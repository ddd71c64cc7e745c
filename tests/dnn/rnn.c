/* Recurrent networks against the documented formulas in double on the host. Gradients are compared with differences of
 * these, so that no second derivation of them is trusted. */
#include "tests/dnn/rnn_rig.h"

cudnnStatus_t cudnnCreateDropoutDescriptor(struct dropout **);
cudnnStatus_t cudnnDestroyDropoutDescriptor(struct dropout *);
cudnnStatus_t cudnnSetDropoutDescriptor(struct dropout *, cudnnHandle_t, float, void *, size_t, unsigned long long);

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

static void expect_outputs(struct net_rig *r, int mode, double error)
{
    const struct net *n = r->net;
    size_t count = r->parts[NET_OUT_END], out = (size_t)(n->directions * n->width);
    GOOD(net_forward(r, mode));
    for (size_t i = 0; i < r->parts[NET_HY]; i++)
        r->out[i] = 0.5; /* the fill value */
    net_reference(r);
    double *found = net_receive(r, r->device_out, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(found[i] - r->out[i]) <= error * (1 + fabs(r->out[i]))))
            fail_msg("mode %d, type %d, output %zu (row %zu): %.17g instead of %.17g", n->mode, n->type, i, i / out,
                     found[i], r->out[i]);
    free(found);
}

/* Whether an element of x lies behind the end of its sequence. */
static bool is_padding(const struct net *n, size_t element)
{
    int row = (int)(element / (size_t)n->input);
    if (n->layout == RNN_PACKED)
        return false;
    return n->layout == RNN_STEPS_FIRST ? row / n->batch >= n->lengths[row % n->batch]
                                        : row % n->steps >= n->lengths[row / n->steps];
}

/* Tries some 400 of the inputs. The gradients of weights came to the numbers before: the inputs themselves. */
static void expect_gradients(struct net_rig *r, double error)
{
    enum { TRIES = 400 };
    const double h = 1e-5;
    size_t count = r->parts[NET_IN_END], stride = count / TRIES + 1;
    GOOD(net_backward(r, RNN_ADD));
    double *found = net_receive(r, r->device_in_gradient, count);
    double scale = largest(found, count);
    for (size_t i = 0; i < count; i += stride) {
        double kept = r->in[i];
        r->in[i] = kept + h;
        double more = net_loss(r);
        r->in[i] = kept - h;
        double less = net_loss(r);
        r->in[i] = kept;
        double expected = (more - less) / (2 * h) + (i >= r->parts[NET_W] ? kept : 0);
        if (i < r->parts[NET_HX] && is_padding(r->net, i))
            expected = 0;
        if (!(fabs(found[i] - expected) <= error * scale))
            fail_msg("mode %d, type %d, gradient %zu (hx %zu, cx %zu, weights %zu): %.17g instead of %.17g",
                     r->net->mode, r->net->type, i, r->parts[NET_HX], r->parts[NET_CX], r->parts[NET_W], found[i],
                     expected);
    }
    free(found);
}

static void run(const struct net *n, double error, double gradient_error)
{
    struct net_rig r = net_rig(n, (unsigned)(n->mode * 10 + n->layout));
    expect_outputs(&r, RNN_INFERENCE, error);
    expect_outputs(&r, RNN_TRAINING, error);
    expect_gradients(&r, gradient_error);
    net_release(&r);
}

static const double errors[][3] = {
    {DNN_F64, 1e-12, 1e-8}, {DNN_F32, 1e-5, 1e-5}, {DNN_F16, 4e-3, 4e-3}, {DNN_BF16, 2e-2, 3e-2}};

static void every_cell_agrees_in_every_type(void **state)
{
    (void)state;
    for (size_t e = 0; e < 4; e++)
        for (int mode = 0; mode < RNN_MODES; mode++)
            run(
                &(struct net){
                    (int)errors[e][0], mode, RNN_BOTH_BIASES, 2, 2, 5, 6, 6, RNN_STEPS_FIRST, 4, 3, {4, 4, 4}, 0, NULL},
                errors[e][1], errors[e][2]);
}

static void every_kind_of_bias_agrees(void **state)
{
    (void)state;
    for (int bias = 0; bias < RNN_BIASES; bias++)
        for (int mode = RNN_TANH; mode < RNN_MODES; mode++)
            run(&(struct net){DNN_F64, mode, bias, 1, 3, 4, 5, 5, RNN_STEPS_FIRST, 3, 2, {3, 3}, 0, NULL}, 1e-12, 1e-8);
}

static void sequences_of_all_lengths_agree_in_every_layout(void **state)
{
    (void)state;
    for (int mode = 0; mode < RNN_MODES; mode++)
        for (int layout = 0; layout < RNN_LAYOUTS; layout++) {
            struct net n = {DNN_F64, mode, RNN_BOTH_BIASES, 2, 2, 3, 4, 4, layout, 5, 4, {2, 5, 0, 3}, 0, NULL};
            if (layout == RNN_PACKED)
                memcpy(n.lengths, (int[]){5, 3, 3, 0}, 4 * sizeof(int));
            run(&n, 1e-12, 1e-8);
        }
}

static void projections_agree(void **state)
{
    (void)state;
    for (int directions = 1; directions <= 2; directions++)
        run(
            &(struct net){
                DNN_F64, RNN_LSTM, RNN_BOTH_BIASES, directions, 2, 5, 7, 3, RNN_BATCH_FIRST, 4, 3, {4, 1, 3}, 0, NULL},
            1e-12, 1e-8);
    run(&(struct net){DNN_F16, RNN_LSTM, RNN_BOTH_BIASES, 2, 2, 5, 7, 3, RNN_PACKED, 4, 3, {4, 3, 1}, 0, NULL}, 4e-3,
        4e-3);
}

static void networks_wider_than_a_tile_agree(void **state)
{
    (void)state;
    struct net n = {DNN_F64, RNN_LSTM, RNN_BOTH_BIASES, 1, 1, 35, 40, 33, RNN_STEPS_FIRST, 2, 34, {0}, 0, NULL};
    for (int b = 0; b < n.batch; b++)
        n.lengths[b] = 1 + b % 2;
    run(&n, 1e-11, 1e-8);
}

static void a_clipped_cell_state_stays_in_its_limits_and_has_no_gradient(void **state)
{
    (void)state;
    run(&(struct net){DNN_F64, RNN_LSTM, RNN_BOTH_BIASES, 1, 2, 5, 6, 6, RNN_STEPS_FIRST, 4, 3, {4, 4, 4}, 0.25, NULL},
        1e-12, 1e-8);
}

static void absent_states_are_zeros(void **state)
{
    (void)state;
    struct net n = {DNN_F64, RNN_LSTM, RNN_BOTH_BIASES, 2, 1, 3, 4, 4, RNN_STEPS_FIRST, 3, 2, {3, 3}, 0, NULL};
    struct net_rig r = net_rig(&n, 7);
    memset(r.in + r.parts[NET_HX], 0, (r.parts[NET_W] - r.parts[NET_HX]) * sizeof *r.in);
    GOOD(cudnnRNNForward(rig_handle(), r.rnn, RNN_INFERENCE, NULL, r.x, net_at(&r, r.device_in, 0), r.y,
                         net_at(&r, r.device_out, 0), NULL, NULL, NULL, NULL, NULL, NULL, r.weight_bytes,
                         net_at(&r, r.device_in, r.parts[NET_W]), r.work_bytes, net_at(&r, r.work, 0), 0, NULL));
    net_reference(&r);
    double *found = net_receive(&r, r.device_out, r.parts[NET_HY]);
    for (size_t i = 0; i < r.parts[NET_HY]; i++)
        assert_true(fabs(found[i] - r.out[i]) < 1e-12);
    free(found);
    net_release(&r);
}

static void gradients_of_weights_replace_the_old_ones_on_request(void **state)
{
    (void)state;
    struct net n = {DNN_F64, RNN_GRU, RNN_BOTH_BIASES, 1, 2, 3, 4, 4, RNN_STEPS_FIRST, 3, 2, {3, 3}, 0, NULL};
    struct net_rig a = net_rig(&n, 7), b = net_rig(&n, 7);
    size_t first = a.parts[NET_W], count = a.parts[NET_IN_END];
    GOOD(net_forward(&a, RNN_TRAINING));
    GOOD(net_forward(&b, RNN_TRAINING));
    GOOD(net_backward(&a, RNN_ADD));
    GOOD(net_backward(&b, RNN_SET));
    double *added = net_receive(&a, a.device_in_gradient, count), *set = net_receive(&b, b.device_in_gradient, count);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(added[i] - set[i] - (i >= first ? a.in[i] : 0)) < 1e-12);
    free(added);
    free(set);
    net_release(&a);
    net_release(&b);
}

/* Reads the mask of dropout, whose place the plan tells. */
static void read_mask(struct net_rig *r)
{
    const struct net *n = r->net;
    struct rnn_plan plan = {0};
    size_t each = (size_t)(n->steps * n->batch * n->directions * n->width), kept = 0;
    rnn_plan_areas(&plan, r->rnn, r->x, true);
    r->mask = malloc(each * (size_t)n->layers);
    for (int layer = 0; layer + 1 < n->layers; layer++)
        assert_int_equal(cuMemcpyDtoH_v2(r->mask + (size_t)layer * each,
                                         r->reserve + plan.offset[RNN_MASK] + (size_t)layer * plan.each[RNN_MASK],
                                         each),
                         CUDA_SUCCESS);
    for (size_t i = 0; i < each; i++)
        kept += r->mask[i];
    assert_in_range(kept, each / 3, each);
}

static void dropout_between_layers_agrees_and_repeats_with_its_seed(void **state)
{
    (void)state;
    struct dropout *dropout;
    CUdeviceptr states = (rig_handle(), net_memory(64));
    GOOD(cudnnCreateDropoutDescriptor(&dropout));
    for (int mode = RNN_LSTM; mode < RNN_MODES; mode++) {
        struct net n = {DNN_F64, mode, RNN_BOTH_BIASES, 2, 3, 5, 6, 6, RNN_STEPS_FIRST, 4, 3, {4, 4, 4}, 0, dropout};
        GOOD(cudnnSetDropoutDescriptor(dropout, rig_handle(), 0.375f, (void *)(uintptr_t)states, 64, 99));
        struct net_rig r = net_rig(&n, 3);
        expect_outputs(&r, RNN_INFERENCE, 1e-12);
        GOOD(net_forward(&r, RNN_TRAINING));
        double *first = net_receive(&r, r.device_out, r.parts[NET_HY]);
        GOOD(net_forward(&r, RNN_TRAINING));
        double *second = net_receive(&r, r.device_out, r.parts[NET_HY]);
        assert_memory_not_equal(first, second, r.parts[NET_HY] * sizeof *first);
        GOOD(cudnnSetDropoutDescriptor(dropout, rig_handle(), 0.375f, (void *)(uintptr_t)states, 64, 99));
        GOOD(net_forward(&r, RNN_TRAINING));
        double *third = net_receive(&r, r.device_out, r.parts[NET_HY]);
        assert_memory_equal(first, third, r.parts[NET_HY] * sizeof *first);
        read_mask(&r);
        net_reference(&r);
        for (size_t i = 0; i < r.parts[NET_HY]; i++)
            assert_true(fabs(third[i] - r.out[i]) < 1e-12);
        expect_gradients(&r, 1e-8);
        free(first);
        free(second);
        free(third);
        net_release(&r);
    }
    GOOD(cudnnDestroyDropoutDescriptor(dropout));
    assert_int_equal(cuMemFree_v2(states), CUDA_SUCCESS);
}

UNIT_TESTS(UNIT(every_cell_agrees_in_every_type), UNIT(every_kind_of_bias_agrees),
           UNIT(sequences_of_all_lengths_agree_in_every_layout), UNIT(projections_agree),
           UNIT(networks_wider_than_a_tile_agree), UNIT(a_clipped_cell_state_stays_in_its_limits_and_has_no_gradient),
           UNIT(absent_states_are_zeros), UNIT(gradients_of_weights_replace_the_old_ones_on_request),
           UNIT(dropout_between_layers_agrees_and_repeats_with_its_seed))
