/* Recurrent networks forward. Products with the input of a layer are made for all time steps at once, those with the
 * state for each step. */
#include "dnn/rnn.h"

/* The addresses that a program gives with a call. */
struct way {
    const void *x, *hx, *cx;
    void *y, *hy, *cy;
};

/* gates = input times the transposed matrix of the input, for all rows. */
static void input_product(struct rnn_run *run, int pseudo, const void *input)
{
    int columns = rnn_layer_input(run->rnn, pseudo / run->rnn->directions);
    int gates = rnn_gates(run->rnn) * run->rnn->hidden;
    rnn_product(run, &(struct rnn_product_arguments){.left = input,
                                                     .right = rnn_part_at(run, pseudo, RNN_W),
                                                     .result = rnn_area(run, RNN_GATE_VALUES, pseudo),
                                                     .left_row = columns,
                                                     .left_step = 1,
                                                     .right_column = columns,
                                                     .right_step = 1,
                                                     .result_row = gates,
                                                     .rows = run->plan.rows,
                                                     .columns = (unsigned)gates,
                                                     .depth = (unsigned)columns,
                                                     .wide_result = 1});
}

/* Adds state times the transposed recurrent matrix to the gates of a step. A GRU keeps it apart. */
static void recurrent_product(struct rnn_run *run, int pseudo, unsigned active, void *gates, void *recurrent)
{
    const struct rnn *rnn = run->rnn;
    int columns = rnn_gates(rnn) * rnn->hidden;
    rnn_product(run, &(struct rnn_product_arguments){.left = rnn_area(run, RNN_STATE, 0),
                                                     .right = rnn_part_at(run, pseudo, RNN_R),
                                                     .result = recurrent != NULL ? recurrent : gates,
                                                     .left_row = rnn->width,
                                                     .left_step = 1,
                                                     .right_column = rnn->width,
                                                     .right_step = 1,
                                                     .result_row = columns,
                                                     .rows = active,
                                                     .columns = (unsigned)columns,
                                                     .depth = (unsigned)rnn->width,
                                                     .wide_result = 1,
                                                     .add = recurrent == NULL});
}

/* state = raw state times the transposed projection, which is the output too. */
static void project(struct rnn_run *run, int pseudo, unsigned active, const void *raw, void *output, int out)
{
    const struct rnn *rnn = run->rnn;
    void *state = rnn_area(run, RNN_STATE, 0);
    rnn_product(run, &(struct rnn_product_arguments){.left = raw,
                                                     .right = rnn_part_at(run, pseudo, RNN_PROJECTION),
                                                     .result = state,
                                                     .left_row = rnn->hidden,
                                                     .left_step = 1,
                                                     .right_column = rnn->hidden,
                                                     .right_step = 1,
                                                     .result_row = rnn->width,
                                                     .rows = active,
                                                     .columns = (unsigned)rnn->width,
                                                     .depth = (unsigned)rnn->hidden});
    rnn_move(run, (struct rnn_rows){output, out, false, NULL}, (struct rnn_rows){state, rnn->width, false, NULL},
             active, rnn->width, false);
}

static void step(struct rnn_run *run, int pseudo, int t)
{
    const struct rnn *rnn = run->rnn;
    size_t row = run->plan.first[t], hidden = (size_t)rnn->hidden, width = (size_t)rnn->width;
    size_t gates = (size_t)rnn_gates(rnn) * hidden, out = (size_t)rnn->directions * width;
    unsigned active = run->plan.active[t];
    int layer = pseudo / rnn->directions;
    void *raw = rnn_at(run, rnn_area(run, RNN_RAW, pseudo), false, row * hidden);
    void *output =
        rnn_at(run, rnn_area(run, RNN_OUTPUT, layer), false, row * out + (size_t)(pseudo % rnn->directions) * width);
    struct rnn_cell_arguments g = {
        .gates = rnn_at(run, rnn_area(run, RNN_GATE_VALUES, pseudo), true, row * gates),
        .recurrent = rnn_at(run, rnn_area(run, RNN_RECURRENT, pseudo), true, row * gates),
        .input_bias = rnn_part_at(run, pseudo, RNN_INPUT_B),
        .recurrent_bias = rnn_part_at(run, pseudo, RNN_RECURRENT_B),
        .state = rnn_area(run, RNN_STATE, 0),
        .cell = rnn_area(run, RNN_CELL, 0),
        .old_state = rnn_at(run, rnn_area(run, RNN_OLD_STATE, pseudo), false, row * width),
        .old_cell = rnn_at(run, rnn_area(run, RNN_OLD_CELL, pseudo), true, row * hidden),
        .output = raw != NULL ? raw : output,
        .output_row = raw != NULL ? rnn->hidden : (long long)out,
        .rows = active,
        .hidden = (unsigned)rnn->hidden,
        .width = (unsigned)rnn->width,
        .mode = (unsigned)rnn->mode,
        .projected = raw != NULL,
        .clipped = rnn->clip != 0,
        .low = rnn->low,
        .high = rnn->high,
    };
    recurrent_product(run, pseudo, active, g.gates, g.recurrent);
    rnn_cell(run, true, &g);
    if (raw != NULL)
        project(run, pseudo, active, raw, output, (int)out);
}

static void layer_forward(struct rnn_run *run, const struct way *w, int layer, const void *input)
{
    int directions = run->rnn->directions, steps = run->plan.steps;
    for (int direction = 0; direction < directions; direction++) {
        int pseudo = layer * directions + direction;
        input_product(run, pseudo, input);
        rnn_begin_states(run, RNN_STATE, false, (struct rnn_states){w->hx, w->cx}, pseudo);
        for (int t = 0; t < steps; t++)
            step(run, pseudo, direction == 0 ? t : steps - 1 - t);
        rnn_end_states(run, RNN_STATE, false, (struct rnn_states){w->hy, w->cy}, pseudo);
    }
}

static void forward(struct rnn_run *run, const struct way *w, const struct rnn_data *y)
{
    const struct rnn *rnn = run->rnn;
    int out = rnn->directions * rnn->width;
    const void *input = w->x;
    if (!run->plan.rows_in_order) {
        input = rnn_area(run, RNN_INPUT, 0);
        rnn_move(run, (struct rnn_rows){input, rnn->input, false, NULL},
                 (struct rnn_rows){w->x, rnn->input, false, rnn_row_order(run)}, run->plan.rows, rnn->input, false);
    }
    for (int layer = 0; layer < rnn->layers; layer++) {
        bool drops = rnn_drops(run) && layer + 1 < rnn->layers;
        layer_forward(run, w, layer, input);
        if (drops)
            rnn_drop(run, layer, NULL);
        input = rnn_area(run, drops ? RNN_DROPPED : RNN_OUTPUT, layer);
    }
    if (y->filled && y->layout != RNN_PACKED)
        rnn_fill(run, w->y, out, y->fill);
    rnn_move(run, (struct rnn_rows){w->y, out, false, rnn_row_order(run)}, (struct rnn_rows){input, out, false, NULL},
             run->plan.rows, out, false);
}

/* The lengths come from the descriptors. Their copy on the device is of no interest. */
DNN_API(cudnnStatus_t, cudnnRNNForward, cudnnHandle_t handle, const struct rnn *rnn, int mode, const int32_t *lengths,
        const struct rnn_data *xDesc, const void *x, const struct rnn_data *yDesc, void *y, const struct tensor *hDesc,
        const void *hx, void *hy, const struct tensor *cDesc, const void *cx, void *cy, size_t weight_bytes,
        const void *weights, size_t work_bytes, void *work, size_t reserve_bytes, void *reserve)
{
    struct rnn_call c = {
        handle,       rnn,        xDesc,         yDesc,   hDesc, cDesc,  hx || hy, cx || cy, mode == RNN_TRAINING,
        weight_bytes, work_bytes, reserve_bytes, weights, work,  reserve};
    struct rnn_run run;
    (void)lengths;
    if (mode != RNN_INFERENCE && mode != RNN_TRAINING)
        return CUDNN_STATUS_BAD_PARAM;
    if (rnn_begin(&run, &c) == CUDNN_STATUS_SUCCESS) {
        if (x == NULL || y == NULL)
            run.status = CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        forward(&run, &(struct way){x, hx, cx, y, hy, cy}, yDesc);
    }
    return rnn_end(&run);
}
