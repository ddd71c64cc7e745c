/* Checks of a call, and the starts of kernels. */
#include <stdio.h>

#include "dnn/rnn.h"
#include "driver/abi/api_memory.h"

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Whether states are packed: pseudo-layers, sequences, elements, and perhaps dimensions of 1. */
static bool states_fit(const struct rnn *rnn, const struct rnn_data *x, const struct tensor *t, int width)
{
    const int64_t wanted[DNN_DIMENSIONS] = {rnn->layers * rnn->directions, x->batch, width, 1, 1};
    int64_t step = 1;
    if (t == NULL || t->shape.count < 3 || t->shape.type != rnn->type)
        return false;
    for (int d = t->shape.count - 1; d >= 0; d--) {
        if (t->shape.sizes[d] != wanted[d] || (wanted[d] > 1 && t->shape.steps[d] != step))
            return false;
        step *= wanted[d];
    }
    return true;
}

static bool data_fit(const struct rnn_call *c)
{
    const struct rnn *rnn = c->rnn;
    const struct rnn_data *x = c->x, *y = c->y;
    if (x->lengths == NULL || y->lengths == NULL)
        return false;
    for (int b = 0; b < x->batch && b < y->batch; b++)
        if (x->lengths[b] != y->lengths[b])
            return false;
    return x->type == rnn->type && y->type == rnn->type && x->layout == y->layout && x->steps == y->steps &&
           x->batch == y->batch && x->width == rnn->input && y->width == rnn->directions * rnn->width &&
           (!c->states || states_fit(rnn, x, c->h, rnn->width)) &&
           (!c->cells || rnn->mode != RNN_LSTM || states_fit(rnn, x, c->c, rnn->hidden));
}

/* Numbers that kernels have in 32 bits, and the most blocks in one dimension of a grid. */
static bool sizes_fit(const struct rnn_call *c)
{
    enum { MOST_BLOCKS = 65535 };
    int64_t gates = (int64_t)rnn_gates(c->rnn) * c->rnn->hidden;
    int64_t widest = c->rnn->input > gates ? c->rnn->input : gates;
    return (widest + RNN_TILE - 1) / RNN_TILE <= MOST_BLOCKS && (int64_t)c->x->batch * c->rnn->hidden <= INT32_MAX &&
           (int64_t)c->rnn->directions * c->rnn->width <= (int64_t)MOST_BLOCKS * RNN_TILE;
}

static bool spaces_fit(const struct rnn_call *c, const struct rnn_plan *plan)
{
    return c->weight_bytes >= rnn_weights(c->rnn) * rnn_narrow(c->rnn) && c->work_bytes >= plan->work &&
           (!c->training || c->reserve_bytes >= plan->reserve);
}

static void upload(struct rnn_run *run, enum rnn_area area, const int *from, size_t count)
{
    CUdeviceptr to = (CUdeviceptr)(uintptr_t)rnn_area(run, area, 0);
    if (run->status == CUDNN_STATUS_SUCCESS && count > 0 &&
        cuMemcpyHtoDAsync_v2(to, from, count * sizeof *from, run->dnn->stream) != CUDA_SUCCESS)
        run->status = CUDNN_STATUS_EXECUTION_FAILED;
}

cudnnStatus_t rnn_begin(struct rnn_run *run, const struct rnn_call *c)
{
    *run = (struct rnn_run){.dnn = c->handle,
                            .rnn = c->rnn,
                            .training = c->training,
                            .work = (char *)(uintptr_t)c->work,
                            .reserve = (char *)(uintptr_t)c->reserve,
                            .weights = c->weights};
    if (!dnn_lives(c->handle))
        return run->status = CUDNN_STATUS_NOT_INITIALIZED;
    if (c->rnn == NULL || c->x == NULL || c->y == NULL || c->weights == NULL || c->work == NULL ||
        (c->training && c->reserve == NULL))
        return run->status = CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!c->rnn->set || !data_fit(c))
        return run->status = CUDNN_STATUS_BAD_PARAM;
    if (!sizes_fit(c))
        return run->status = CUDNN_STATUS_NOT_SUPPORTED;
    run->status = rnn_plan_make(&run->plan, c->rnn, c->x, c->training);
    if (run->status == CUDNN_STATUS_SUCCESS && !spaces_fit(c, &run->plan))
        run->status = CUDNN_STATUS_BAD_PARAM;
    if (!run->plan.in_order)
        upload(run, RNN_ORDER, run->plan.order, (size_t)run->plan.batch);
    if (!run->plan.rows_in_order)
        upload(run, RNN_ROWS, run->plan.row, run->plan.rows);
    return run->status;
}

cudnnStatus_t rnn_end(struct rnn_run *run)
{
    rnn_plan_release(&run->plan);
    return run->status;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

void *rnn_area(const struct rnn_run *run, enum rnn_area area, int item)
{
    const struct rnn_plan *plan = &run->plan;
    char *base = run->training && area < RNN_STATE ? run->reserve : run->work;
    return plan->count[area] > 0 ? base + plan->offset[area] + (size_t)(item % plan->count[area]) * plan->each[area]
                                 : NULL;
}

void *rnn_at(const struct rnn_run *run, const void *at, bool wide, size_t elements)
{
    size_t bytes = wide ? rnn_wide(run->rnn) : rnn_narrow(run->rnn);
    return at != NULL ? (char *)(uintptr_t)at + elements * bytes : NULL;
}

const void *rnn_part_at(const struct rnn_run *run, int pseudo, enum rnn_part part)
{
    int rows, columns;
    size_t place = rnn_weight(run->rnn, pseudo, part, &rows, &columns);
    return rows > 0 ? rnn_at(run, run->weights, false, place) : NULL;
}

const int *rnn_order(const struct rnn_run *run) { return run->plan.in_order ? NULL : rnn_area(run, RNN_ORDER, 0); }

const int *rnn_row_order(const struct rnn_run *run)
{
    return run->plan.rows_in_order ? NULL : rnn_area(run, RNN_ROWS, 0);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void start(struct rnn_run *run, const char *name, uint64_t x, uint64_t y, void *argument)
{
    char kernel[64];
    if (run->status != CUDNN_STATUS_SUCCESS || x == 0 || y == 0)
        return;
    if (x > INT32_MAX) {
        run->status = CUDNN_STATUS_NOT_SUPPORTED;
        return;
    }
    snprintf(kernel, sizeof kernel, "subcore_rnn_%s_%s", name, dnn_type_name(run->rnn->type));
    run->status =
        dnn_launch(run->dnn, DNN_RNN, kernel, (unsigned[]){(unsigned)x, (unsigned)y, 1}, RNN_THREADS, argument);
}

static uint64_t blocks(uint64_t count, uint64_t each) { return (count + each - 1) / each; }

void rnn_product(struct rnn_run *run, const struct rnn_product_arguments *arguments)
{
    struct rnn_product_arguments g = *arguments;
    start(run, "product", blocks(g.rows, RNN_TILE), blocks(g.columns, RNN_TILE), &g);
}

void rnn_cell(struct rnn_run *run, bool forward, const struct rnn_cell_arguments *arguments)
{
    struct rnn_cell_arguments g = *arguments;
    start(run, forward ? "forward" : "backward", blocks((uint64_t)g.rows * g.hidden, RNN_THREADS), 1, &g);
}

void rnn_move(struct rnn_run *run, struct rnn_rows to, struct rnn_rows from, unsigned rows, int width, bool add)
{
    struct rnn_move_arguments g = {.from = from.at,
                                   .to = (void *)(uintptr_t)to.at,
                                   .from_rows = from.order,
                                   .to_rows = to.order,
                                   .from_row = from.row,
                                   .to_row = to.row,
                                   .rows = rows,
                                   .width = (unsigned)width,
                                   .wide_from = from.wide,
                                   .wide_to = to.wide,
                                   .add = add};
    start(run, "move", blocks((uint64_t)rows * g.width, RNN_THREADS), 1, &g);
}

void rnn_bias(struct rnn_run *run, void *bias, const void *gates, int columns, bool add)
{
    struct rnn_bias_arguments g = {gates, bias, run->plan.rows, (unsigned)columns, add, 0};
    start(run, "bias", blocks(g.columns, RNN_BIAS_COLUMNS), 1, &g);
}

void rnn_fill(struct rnn_run *run, void *at, int width, double value)
{
    uint64_t count = (uint64_t)run->plan.steps * (uint64_t)run->plan.batch * (uint64_t)width;
    struct rnn_fill_arguments g = {at, count, value};
    start(run, "fill", blocks(count, RNN_THREADS), 1, &g);
}

bool rnn_drops(const struct rnn_run *run)
{
    return run->training && run->rnn->dropout != NULL && run->rnn->dropout->probability > 0 && run->plan.rows > 0;
}

void rnn_drop(struct rnn_run *run, int layer, void *gradient)
{
    const struct rnn *rnn = run->rnn;
    unsigned width = (unsigned)(rnn->directions * rnn->width);
    struct dnn_tensor rows = {.steps = {0, 0, 0, width, 1}, .sizes = {1, 1, 1, run->plan.rows, width}};
    struct dropout_arguments g = {.x = rows, .y = rows, .mask = rnn_area(run, RNN_MASK, layer)};
    if (run->status != CUDNN_STATUS_SUCCESS)
        return;
    if (gradient != NULL) {
        g.x.data = g.y.data = gradient;
        run->status = dropout_backward(run->dnn, rnn->dropout, rnn->type == DNN_F64 ? DNN_F64 : DNN_F32, &g);
        return;
    }
    g.x.data = rnn_area(run, RNN_OUTPUT, layer);
    g.y.data = rnn_area(run, RNN_DROPPED, layer);
    run->status = dropout_forward(run->dnn, rnn->dropout, rnn->type, &g);
}

/* The program's rows of a pseudo-layer. */
static struct rnn_rows given(const struct rnn_run *run, const void *at, int pseudo, int width)
{
    size_t place = (size_t)pseudo * (size_t)run->plan.batch * (size_t)width;
    return (struct rnn_rows){rnn_at(run, at, false, place), width, false, rnn_order(run)};
}

static struct rnn_rows own(const struct rnn_run *run, enum rnn_area area, bool wide, int width)
{
    return (struct rnn_rows){rnn_area(run, area, 0), width, wide, NULL};
}

void rnn_begin_states(struct rnn_run *run, enum rnn_area area, bool wide, struct rnn_states from, int pseudo)
{
    const struct rnn *rnn = run->rnn;
    unsigned batch = (unsigned)run->plan.batch;
    rnn_move(run, own(run, area, wide, rnn->width), given(run, from.hidden, pseudo, rnn->width), batch, rnn->width,
             false);
    if (rnn->mode == RNN_LSTM)
        rnn_move(run, own(run, RNN_CELL, true, rnn->hidden), given(run, from.cell, pseudo, rnn->hidden), batch,
                 rnn->hidden, false);
}

void rnn_end_states(struct rnn_run *run, enum rnn_area area, bool wide, struct rnn_states to, int pseudo)
{
    const struct rnn *rnn = run->rnn;
    unsigned batch = (unsigned)run->plan.batch;
    if (to.hidden != NULL)
        rnn_move(run, given(run, to.hidden, pseudo, rnn->width), own(run, area, wide, rnn->width), batch, rnn->width,
                 false);
    if (to.cell != NULL && rnn->mode == RNN_LSTM)
        rnn_move(run, given(run, to.cell, pseudo, rnn->hidden), own(run, RNN_CELL, true, rnn->hidden), batch,
                 rnn->hidden, false);
}
