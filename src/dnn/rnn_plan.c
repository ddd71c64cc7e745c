/* The order of sequences and rows, and the areas of memory. */
#include <stdlib.h>
#include <string.h>

#include "dnn/rnn.h"

/* ---- areas ------------------------------------------------------------------------------------------------------- */

/* Sets how many items an area has, and how long one is. */
static void area(struct rnn_plan *plan, enum rnn_area which, int count, size_t elements, size_t bytes)
{
    enum { ALIGNMENT = 256 };
    plan->count[which] = count;
    plan->each[which] = (elements * bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t larger(int a, int b) { return (size_t)(a > b ? a : b); }

/* In inference pseudo-layers share their areas, and layers write their output to one of two. */
static void kept_areas(struct rnn_plan *plan, const struct rnn *rnn, size_t rows, bool training)
{
    int pseudo = training ? rnn->layers * rnn->directions : 1, layers = training ? rnn->layers : 2;
    size_t hidden = (size_t)rnn->hidden, width = (size_t)rnn->width, narrow = rnn_narrow(rnn), wide = rnn_wide(rnn);
    size_t gates = (size_t)rnn_gates(rnn) * hidden, out = (size_t)rnn->directions * width;
    bool drops = training && rnn->dropout != NULL;
    area(plan, RNN_GATE_VALUES, pseudo, rows * gates, wide);
    area(plan, RNN_RECURRENT, rnn->mode == RNN_GRU ? pseudo : 0, rows * gates, wide);
    area(plan, RNN_OLD_STATE, training ? pseudo : 0, rows * width, narrow);
    area(plan, RNN_OLD_CELL, training && rnn->mode == RNN_LSTM ? pseudo : 0, rows * hidden, wide);
    area(plan, RNN_RAW, rnn_projects(rnn) ? pseudo : 0, rows * hidden, narrow);
    area(plan, RNN_RAW_GRADIENT, training && rnn_projects(rnn) ? pseudo : 0, rows * width, wide);
    area(plan, RNN_OUTPUT, layers, rows * out, narrow);
    area(plan, RNN_DROPPED, drops ? layers - 1 : 0, rows * out, narrow);
    area(plan, RNN_MASK, drops ? layers - 1 : 0, rows * out, 1);
}

static void work_areas(struct rnn_plan *plan, const struct rnn *rnn, size_t batch, size_t rows, bool training)
{
    size_t hidden = (size_t)rnn->hidden, width = (size_t)rnn->width, narrow = rnn_narrow(rnn), wide = rnn_wide(rnn);
    area(plan, RNN_STATE, 1, batch * width, narrow);
    area(plan, RNN_CELL, rnn->mode == RNN_LSTM, batch * hidden, wide);
    area(plan, RNN_STATE_GRADIENT, training, batch * width, wide);
    area(plan, RNN_STEP_GRADIENT, training && rnn_projects(rnn), batch * hidden, wide);
    area(plan, RNN_INPUT, 1, rows * (size_t)rnn->input, narrow);
    area(plan, RNN_GRADIENTS, training ? 2 : 0, rows * larger(rnn->input, rnn->directions * rnn->width), wide);
    area(plan, RNN_ORDER, 1, batch, sizeof(int));
    area(plan, RNN_ROWS, 1, rows, sizeof(int));
}

void rnn_plan_areas(struct rnn_plan *plan, const struct rnn *rnn, const struct rnn_data *data, bool training)
{
    size_t batch = (size_t)data->batch, rows = batch * (size_t)data->steps;
    kept_areas(plan, rnn, rows, training);
    work_areas(plan, rnn, batch, rows, training);
    plan->work = plan->reserve = 0;
    for (int a = 0; a < RNN_AREAS; a++) {
        size_t *total = training && a < RNN_STATE ? &plan->reserve : &plan->work;
        plan->offset[a] = *total;
        *total += (size_t)plan->count[a] * plan->each[a];
    }
}

DNN_API(cudnnStatus_t, cudnnGetRNNTempSpaceSizes, cudnnHandle_t handle, const struct rnn *rnn, int mode,
        const struct rnn_data *data, size_t *work, size_t *reserve)
{
    struct rnn_plan plan = {.rnn = rnn};
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (rnn == NULL || data == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!rnn->set || data->lengths == NULL || (mode != RNN_INFERENCE && mode != RNN_TRAINING))
        return CUDNN_STATUS_BAD_PARAM;
    rnn_plan_areas(&plan, rnn, data, mode == RNN_TRAINING);
    if (work != NULL)
        *work = plan.work;
    if (reserve != NULL)
        *reserve = plan.reserve;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

struct sequence {
    int length, number;
};

static int compare(const void *a, const void *b)
{
    const struct sequence *x = a, *y = b;
    return x->length != y->length ? y->length - x->length : x->number - y->number;
}

static bool order_sequences(struct rnn_plan *plan, const struct rnn_data *data)
{
    struct sequence *all = malloc((size_t)data->batch * sizeof *all);
    if (all == NULL)
        return false;
    for (int b = 0; b < data->batch; b++)
        all[b] = (struct sequence){data->lengths[b], b};
    qsort(all, (size_t)data->batch, sizeof *all, compare);
    plan->in_order = true;
    for (int k = 0; k < data->batch; k++) {
        plan->order[k] = all[k].number;
        plan->in_order = plan->in_order && all[k].number == k;
    }
    for (int t = 0, active = data->batch; t < data->steps; t++) {
        while (active > 0 && all[active - 1].length <= t)
            active--;
        plan->active[t] = (unsigned)active;
        plan->first[t] = plan->rows;
        plan->rows += (unsigned)active;
    }
    free(all);
    return true;
}

static bool order_rows(struct rnn_plan *plan)
{
    plan->row = malloc((plan->rows + 1) * sizeof *plan->row);
    if (plan->row == NULL)
        return false;
    plan->rows_in_order = true;
    for (int t = 0, row = 0; t < plan->steps; t++)
        for (unsigned k = 0; k < plan->active[t]; k++, row++) {
            int b = plan->order[k];
            int at = plan->layout == RNN_PACKED        ? row
                     : plan->layout == RNN_STEPS_FIRST ? t * plan->batch + b
                                                       : b * plan->steps + t;
            plan->row[row] = at;
            plan->rows_in_order = plan->rows_in_order && at == row;
        }
    return true;
}

cudnnStatus_t rnn_plan_make(struct rnn_plan *plan, const struct rnn *rnn, const struct rnn_data *data, bool training)
{
    *plan = (struct rnn_plan){.rnn = rnn, .layout = data->layout, .steps = data->steps, .batch = data->batch};
    rnn_plan_areas(plan, rnn, data, training);
    plan->order = calloc((size_t)data->batch, sizeof *plan->order);
    plan->active = calloc((size_t)data->steps, sizeof *plan->active);
    plan->first = calloc((size_t)data->steps, sizeof *plan->first);
    if (plan->order != NULL && plan->active != NULL && plan->first != NULL && order_sequences(plan, data) &&
        order_rows(plan))
        return CUDNN_STATUS_SUCCESS;
    rnn_plan_release(plan);
    return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

void rnn_plan_release(struct rnn_plan *plan)
{
    free(plan->order);
    free(plan->row);
    free(plan->active);
    free(plan->first);
    plan->order = plan->row = NULL;
    plan->active = plan->first = NULL;
}
