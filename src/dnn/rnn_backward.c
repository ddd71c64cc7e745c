/* The gradients of recurrent networks for input and states. Steps go against the order of the way forward, and the
 * gradients of the gates take the place of the gates. Sums of gradients are wide. */
#include "dnn/rnn.h"

/* The addresses that a program gives with a call. */
struct way {
    const void *dy, *dhy, *dcy;
    void *dx, *dhx, *dcx;
};

/* The gradients of a layer's output and input. */
struct gradients {
    void *output, *input;
};

/* Multiplies rows of gradients by a matrix. */
static void product(struct rnn_run *run, struct rnn_rows gradients, int depth, const void *matrix, void *result,
                    int columns, unsigned rows, bool add)
{
    rnn_product(run, &(struct rnn_product_arguments){.left = gradients.at,
                                                     .right = matrix,
                                                     .result = result,
                                                     .left_row = gradients.row,
                                                     .left_step = 1,
                                                     .right_column = 1,
                                                     .right_step = columns,
                                                     .result_row = columns,
                                                     .rows = rows,
                                                     .columns = (unsigned)columns,
                                                     .depth = (unsigned)depth,
                                                     .wide_left = 1,
                                                     .wide_result = 1,
                                                     .add = add});
}

/* Adds the state's gradient to the output's, and leads both through the projection. */
static struct rnn_rows unproject(struct rnn_run *run, int pseudo, int t)
{
    const struct rnn *rnn = run->rnn;
    unsigned active = run->plan.active[t];
    size_t row = run->plan.first[t], width = (size_t)rnn->width;
    void *sum = rnn_at(run, rnn_area(run, RNN_RAW_GRADIENT, pseudo), true, row * width);
    void *raw = rnn_area(run, RNN_STEP_GRADIENT, 0);
    struct rnn_rows rows = {sum, rnn->width, true, NULL};
    rnn_move(run, rows, (struct rnn_rows){rnn_area(run, RNN_STATE_GRADIENT, 0), rnn->width, true, NULL}, active,
             rnn->width, true);
    product(run, rows, rnn->width, rnn_part_at(run, pseudo, RNN_PROJECTION), raw, rnn->hidden, active, false);
    return (struct rnn_rows){raw, rnn->hidden, true, NULL};
}

static void step(struct rnn_run *run, int pseudo, int t, struct rnn_rows gradient)
{
    const struct rnn *rnn = run->rnn;
    size_t row = run->plan.first[t], hidden = (size_t)rnn->hidden, width = (size_t)rnn->width;
    int columns = rnn_gates(rnn) * rnn->hidden;
    size_t gates = (size_t)columns;
    unsigned active = run->plan.active[t];
    gradient.at = rnn_at(run, gradient.at, true, row * (size_t)gradient.row);
    if (rnn_projects(rnn))
        gradient = unproject(run, pseudo, t);
    struct rnn_cell_arguments g = {
        .gates = rnn_at(run, rnn_area(run, RNN_GATE_VALUES, pseudo), true, row * gates),
        .recurrent = rnn_at(run, rnn_area(run, RNN_RECURRENT, pseudo), true, row * gates),
        .cell = rnn_area(run, RNN_CELL, 0),
        .old_state = rnn_at(run, rnn_area(run, RNN_OLD_STATE, pseudo), false, row * width),
        .old_cell = rnn_at(run, rnn_area(run, RNN_OLD_CELL, pseudo), true, row * hidden),
        .gradient = gradient.at,
        .gradient_row = gradient.row,
        .state_gradient = rnn_area(run, RNN_STATE_GRADIENT, 0),
        .rows = active,
        .hidden = (unsigned)rnn->hidden,
        .width = (unsigned)rnn->width,
        .mode = (unsigned)rnn->mode,
        .projected = rnn_projects(rnn),
        .clipped = rnn->clip != 0,
        .low = rnn->low,
        .high = rnn->high,
    };
    rnn_cell(run, false, &g);
    struct rnn_rows recurrent = {g.recurrent != NULL ? g.recurrent : g.gates, columns, true, NULL};
    product(run, recurrent, columns, rnn_part_at(run, pseudo, RNN_R), g.state_gradient, rnn->width, active,
            rnn->mode == RNN_GRU);
}

static void layer_backward(struct rnn_run *run, const struct way *w, int layer, const struct gradients *g)
{
    const struct rnn *rnn = run->rnn;
    int directions = rnn->directions, steps = run->plan.steps, out = directions * rnn->width;
    int gates = rnn_gates(rnn) * rnn->hidden;
    for (int direction = 0; direction < directions; direction++) {
        int pseudo = layer * directions + direction;
        struct rnn_rows gradient = {rnn_at(run, g->output, true, (size_t)(direction * rnn->width)), out, true, NULL};
        rnn_begin_states(run, RNN_STATE_GRADIENT, true, (struct rnn_states){w->dhy, w->dcy}, pseudo);
        if (rnn_projects(rnn))
            rnn_move(run, (struct rnn_rows){rnn_area(run, RNN_RAW_GRADIENT, pseudo), rnn->width, true, NULL}, gradient,
                     run->plan.rows, rnn->width, false);
        for (int t = 0; t < steps; t++)
            step(run, pseudo, direction == 0 ? steps - 1 - t : t, gradient);
        rnn_end_states(run, RNN_STATE_GRADIENT, true, (struct rnn_states){w->dhx, w->dcx}, pseudo);
        product(run, (struct rnn_rows){rnn_area(run, RNN_GATE_VALUES, pseudo), gates, true, NULL}, gates,
                rnn_part_at(run, pseudo, RNN_W), g->input, rnn_layer_input(rnn, layer), run->plan.rows, direction > 0);
    }
}

static void backward(struct rnn_run *run, const struct way *w, const struct rnn_data *x)
{
    const struct rnn *rnn = run->rnn;
    int out = rnn->directions * rnn->width;
    struct gradients g = {rnn_area(run, RNN_GRADIENTS, 0), rnn_area(run, RNN_GRADIENTS, 1)};
    struct rnn_rows given = {w->dy, out, false, rnn_row_order(run)};
    rnn_move(run, (struct rnn_rows){g.output, out, true, NULL}, given, run->plan.rows, out, false);
    for (int layer = rnn->layers - 1; layer >= 0; layer--) {
        layer_backward(run, w, layer, &g);
        if (layer > 0 && rnn_drops(run))
            rnn_drop(run, layer - 1, g.input);
        g = (struct gradients){g.input, g.output};
    }
    if (w->dx == NULL)
        return;
    if (x->layout != RNN_PACKED && !run->plan.rows_in_order)
        rnn_fill(run, w->dx, rnn->input, 0); /* places behind the ends of sequences have no influence */
    rnn_move(run, (struct rnn_rows){w->dx, rnn->input, false, rnn_row_order(run)},
             (struct rnn_rows){g.output, rnn->input, true, NULL}, run->plan.rows, rnn->input, false);
}

DNN_API(cudnnStatus_t, cudnnRNNBackwardData_v8, cudnnHandle_t handle, const struct rnn *rnn, const int32_t *lengths,
        const struct rnn_data *yDesc, const void *y, const void *dy, const struct rnn_data *xDesc, void *dx,
        const struct tensor *hDesc, const void *hx, const void *dhy, void *dhx, const struct tensor *cDesc,
        const void *cx, const void *dcy, void *dcx, size_t weight_bytes, const void *weights, size_t work_bytes,
        void *work, size_t reserve_bytes, void *reserve)
{
    struct rnn_call c = {handle,           rnn,  xDesc,        yDesc,      hDesc,         cDesc,   hx || dhy || dhx,
                         cx || dcy || dcx, true, weight_bytes, work_bytes, reserve_bytes, weights, work,
                         reserve};
    struct rnn_run run;
    (void)lengths, (void)y; /* the reserve has outputs */
    if (rnn_begin(&run, &c) == CUDNN_STATUS_SUCCESS) {
        if (dy == NULL)
            run.status = CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        backward(&run, &(struct way){dy, dhy, dcy, dx, dhx, dcx}, xDesc);
    }
    return rnn_end(&run);
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* Multiplies the transposed gradients of all rows by the operand that they met on the way forward. */
static void weight_product(struct rnn_run *run, int pseudo, enum rnn_part part, const void *gradients,
                           const void *operand, void *dw, bool add)
{
    int rows, columns;
    size_t place = rnn_weight(run->rnn, pseudo, part, &rows, &columns);
    if (rows == 0)
        return;
    void *result = rnn_at(run, dw, false, place);
    if (part == RNN_INPUT_B || part == RNN_RECURRENT_B) {
        rnn_bias(run, result, gradients, rows, add);
        return;
    }
    rnn_product(run, &(struct rnn_product_arguments){.left = gradients,
                                                     .right = operand,
                                                     .result = result,
                                                     .left_row = 1,
                                                     .left_step = rows,
                                                     .right_column = 1,
                                                     .right_step = columns,
                                                     .result_row = columns,
                                                     .rows = (unsigned)rows,
                                                     .columns = (unsigned)columns,
                                                     .depth = run->plan.rows,
                                                     .wide_left = 1,
                                                     .add = add});
}

static void weights(struct rnn_run *run, const void *x, void *dw, bool add)
{
    const struct rnn *rnn = run->rnn;
    const void *input = x;
    if (!run->plan.rows_in_order) {
        input = rnn_area(run, RNN_INPUT, 0);
        rnn_move(run, (struct rnn_rows){input, rnn->input, false, NULL},
                 (struct rnn_rows){x, rnn->input, false, rnn_row_order(run)}, run->plan.rows, rnn->input, false);
    }
    for (int pseudo = 0; pseudo < rnn->layers * rnn->directions; pseudo++) {
        int layer = pseudo / rnn->directions;
        if (layer > 0)
            input = rnn_area(run, rnn_drops(run) ? RNN_DROPPED : RNN_OUTPUT, layer - 1);
        const void *gates = rnn_area(run, RNN_GATE_VALUES, pseudo);
        const void *recurrent = rnn->mode == RNN_GRU ? rnn_area(run, RNN_RECURRENT, pseudo) : gates;
        weight_product(run, pseudo, RNN_W, gates, input, dw, add);
        weight_product(run, pseudo, RNN_R, recurrent, rnn_area(run, RNN_OLD_STATE, pseudo), dw, add);
        weight_product(run, pseudo, RNN_PROJECTION, rnn_area(run, RNN_RAW_GRADIENT, pseudo),
                       rnn_area(run, RNN_RAW, pseudo), dw, add);
        weight_product(run, pseudo, RNN_INPUT_B, gates, NULL, dw, add);
        weight_product(run, pseudo, RNN_RECURRENT_B, recurrent, NULL, dw, add);
    }
}

/* Comes after cudnnRNNBackwardData_v8, which leaves the gradients of the gates in the reserve. */
DNN_API(cudnnStatus_t, cudnnRNNBackwardWeights_v8, cudnnHandle_t handle, const struct rnn *rnn, int mode,
        const int32_t *lengths, const struct rnn_data *xDesc, const void *x, const struct tensor *hDesc, const void *hx,
        const struct rnn_data *yDesc, const void *y, size_t weight_bytes, void *dw, size_t work_bytes, void *work,
        size_t reserve_bytes, void *reserve)
{
    struct rnn_call c = {handle, rnn,          xDesc,      yDesc,         hDesc, NULL, hx != NULL, false,
                         true,   weight_bytes, work_bytes, reserve_bytes, dw,    work, reserve};
    struct rnn_run run;
    (void)lengths, (void)y;
    if (mode != RNN_ADD && mode != RNN_SET)
        return CUDNN_STATUS_BAD_PARAM;
    if (rnn_begin(&run, &c) == CUDNN_STATUS_SUCCESS) {
        if (x == NULL)
            run.status = CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        weights(&run, x, dw, mode == RNN_ADD);
    }
    return rnn_end(&run);
}
