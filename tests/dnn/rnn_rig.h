/* Recurrent networks on both sides: the documented formulas in double on the host, and a network on the GPU. */
#ifndef SUBCORE_TESTS_DNN_RNN_RIG_H
#define SUBCORE_TESTS_DNN_RNN_RIG_H

#include <math.h>

#include "dnn/rnn.h"
#include "tests/dnn/rig.h"

cudnnStatus_t cudnnCreateRNNDescriptor(struct rnn **);
cudnnStatus_t cudnnDestroyRNNDescriptor(struct rnn *);
cudnnStatus_t cudnnSetRNNDescriptor_v8(struct rnn *, int, int, int, int, int, int, int, int, int32_t, int32_t, int32_t,
                                       int32_t, const struct dropout *, uint32_t);
cudnnStatus_t cudnnRNNSetClip_v9(struct rnn *, int, double, double);
cudnnStatus_t cudnnCreateRNNDataDescriptor(struct rnn_data **);
cudnnStatus_t cudnnDestroyRNNDataDescriptor(struct rnn_data *);
cudnnStatus_t cudnnSetRNNDataDescriptor(struct rnn_data *, int, int, int, int, int, const int *, const void *);
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, const struct rnn *, size_t *);
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, const struct rnn *, int, const struct rnn_data *, size_t *,
                                        size_t *);
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, const struct rnn *, int32_t, size_t, const void *, int32_t,
                                      struct tensor *, void **, struct tensor *, void **);
cudnnStatus_t cudnnRNNForward(cudnnHandle_t, const struct rnn *, int, const int32_t *, const struct rnn_data *,
                              const void *, const struct rnn_data *, void *, const struct tensor *, const void *,
                              void *, const struct tensor *, const void *, void *, size_t, const void *, size_t, void *,
                              size_t, void *);
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t, const struct rnn *, const int32_t *, const struct rnn_data *,
                                      const void *, const void *, const struct rnn_data *, void *,
                                      const struct tensor *, const void *, const void *, void *, const struct tensor *,
                                      const void *, const void *, void *, size_t, const void *, size_t, void *, size_t,
                                      void *);
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t, const struct rnn *, int, const int32_t *,
                                         const struct rnn_data *, const void *, const struct tensor *, const void *,
                                         const struct rnn_data *, const void *, size_t, void *, size_t, void *, size_t,
                                         void *);

enum { NET_BATCH = 40, NET_PSEUDO = 6, NET_IDS = 9 };
#define NET_NONE SIZE_MAX

struct net {
    int type, mode, bias, directions, layers, input, hidden, width, layout, steps, batch;
    int lengths[NET_BATCH];
    double clip;                   /* 0: none */
    const struct dropout *dropout; /* or null */
};

/* Vectors of a network. Inputs are x, hx, cx and the weights. Outputs are y, hy and cy. */
struct net_rig {
    const struct net *net;
    struct rnn *rnn;
    struct rnn_data *x, *y;
    struct tensor *h, *c;
    size_t parts[8]; /* by enum net_part: where each begins */
    size_t matrix[NET_PSEUDO][NET_IDS], bias[NET_PSEUDO][NET_IDS];
    double *in, *out, *out_gradient; /* values on the host */
    unsigned char *mask;             /* of dropout, or null */
    CUdeviceptr device_in, device_out, device_in_gradient, device_out_gradient, work, reserve;
    size_t weight_bytes, work_bytes, reserve_bytes;
};

enum net_part { NET_HX, NET_CX, NET_W, NET_IN_END, NET_HY, NET_CY, NET_OUT_END };

/* ---- the formulas ------------------------------------------------------------------------------------------------ */

static inline double net_sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* The row of sequence b at time t. */
static inline int net_row(const struct net *n, int b, int t)
{
    int row = b;
    if (n->layout == RNN_STEPS_FIRST)
        return t * n->batch + b;
    if (n->layout == RNN_BATCH_FIRST)
        return b * n->steps + t;
    for (int before = 0; before < t; before++)
        for (int k = 0; k < n->batch; k++)
            row += n->lengths[k] > before;
    return row;
}

static inline int net_rows(const struct net *n)
{
    int sum = 0;
    for (int b = 0; b < n->batch; b++)
        sum += n->lengths[b];
    return n->layout == RNN_PACKED ? sum : n->batch * n->steps;
}

/* One row of a matrix times a vector, and the bias. */
static inline double net_line(const struct net_rig *r, int pseudo, int id, int row, const double *v, int length)
{
    const double *w = r->in + r->parts[NET_W];
    double sum = r->bias[pseudo][id] != NET_NONE ? w[r->bias[pseudo][id] + (size_t)row] : 0;
    for (int k = 0; k < length; k++)
        sum += w[r->matrix[pseudo][id] + (size_t)row * (size_t)length + (size_t)k] * v[k];
    return sum;
}

/* Element j of the next state before a projection. The cell state changes in place. */
static inline double net_cell(const struct net_rig *r, int pseudo, int j, const double *x, int length, const double *h,
                              double *c)
{
    const struct net *n = r->net;
    double in[4], back[4];
    int gates = n->mode == RNN_LSTM ? 4 : n->mode == RNN_GRU ? 3 : 1;
    for (int g = 0; g < gates; g++) {
        in[g] = net_line(r, pseudo, g, j, x, length);
        back[g] = net_line(r, pseudo, gates + g, j, h, n->width);
    }
    if (n->mode == RNN_TANH)
        return tanh(in[0] + back[0]);
    if (n->mode == RNN_RELU)
        return fmax(in[0] + back[0], 0);
    if (n->mode == RNN_GRU) {
        double reset = net_sigmoid(in[0] + back[0]), update = net_sigmoid(in[1] + back[1]);
        return (1 - update) * tanh(in[2] + reset * back[2]) + update * h[j];
    }
    *c = net_sigmoid(in[1] + back[1]) * *c + net_sigmoid(in[0] + back[0]) * tanh(in[2] + back[2]);
    if (n->clip > 0)
        *c = fmin(fmax(*c, -n->clip), n->clip);
    return net_sigmoid(in[3] + back[3]) * tanh(*c);
}

/* One sequence through one pseudo-layer. Rows of `from` and `to` are time steps. */
static inline void net_sequence(const struct net_rig *r, int pseudo, int b, const double *from, int length, double *to)
{
    const struct net *n = r->net;
    int out = n->directions * n->width, direction = pseudo % n->directions, steps = n->lengths[b];
    int place = pseudo * n->batch + b;
    double *h = calloc((size_t)n->hidden * 3, sizeof *h), *c = h + n->hidden, *raw = c + n->hidden;
    for (int j = 0; j < n->width; j++)
        h[j] = r->in[r->parts[NET_HX] + (size_t)(place * n->width + j)];
    for (int j = 0; j < n->hidden && n->mode == RNN_LSTM; j++)
        c[j] = r->in[r->parts[NET_CX] + (size_t)(place * n->hidden + j)];
    for (int i = 0; i < steps; i++) {
        int t = direction == 0 ? i : steps - 1 - i;
        for (int j = 0; j < n->hidden; j++)
            raw[j] = net_cell(r, pseudo, j, from + t * length, length, h, &c[j]);
        for (int j = 0; j < n->width; j++)
            h[j] = n->width < n->hidden ? net_line(r, pseudo, 8, j, raw, n->hidden) : raw[j];
        memcpy(to + t * out + direction * n->width, h, (size_t)n->width * sizeof *h);
    }
    for (int j = 0; j < n->width; j++)
        r->out[r->parts[NET_HY] + (size_t)(place * n->width + j)] = h[j];
    for (int j = 0; j < n->hidden && n->mode == RNN_LSTM; j++)
        r->out[r->parts[NET_CY] + (size_t)(place * n->hidden + j)] = c[j];
    free(h);
}

/* Computes the outputs from the inputs. Places behind the ends of sequences keep their values. */
static inline void net_reference(const struct net_rig *r)
{
    const struct net *n = r->net;
    int out = n->directions * n->width, widest = out > n->input ? out : n->input;
    double *from = calloc((size_t)(n->steps * widest), sizeof *from);
    double *to = calloc((size_t)(n->steps * widest), sizeof *to);
    for (int b = 0; b < n->batch; b++) {
        for (int t = 0; t < n->lengths[b]; t++)
            memcpy(from + t * n->input, r->in + net_row(n, b, t) * n->input, (size_t)n->input * sizeof *from);
        for (int layer = 0; layer < n->layers; layer++) {
            for (int d = 0; d < n->directions; d++)
                net_sequence(r, layer * n->directions + d, b, from, layer == 0 ? n->input : out, to);
            memcpy(from, to, (size_t)(n->steps * out) * sizeof *to);
            for (int i = 0; r->mask != NULL && layer + 1 < n->layers && i < n->steps * out; i++)
                from[i] *= r->mask[((layer * n->steps + i / out) * n->batch + b) * out + i % out] /
                           (1 - (double)n->dropout->probability);
        }
        for (int t = 0; t < n->lengths[b]; t++)
            memcpy(r->out + net_row(n, b, t) * out, to + t * out, (size_t)out * sizeof *to);
    }
    free(from);
    free(to);
}

/* The sum of the outputs, each times its gradient. */
static inline double net_loss(const struct net_rig *r)
{
    double sum = 0;
    net_reference(r);
    for (size_t i = 0; i < r->parts[NET_OUT_END]; i++)
        sum += r->out[i] * r->out_gradient[i];
    return sum;
}

/* ---- the network on the GPU -------------------------------------------------------------------------------------- */

static inline CUdeviceptr net_memory(size_t bytes)
{
    CUdeviceptr at;
    assert_int_equal(cuMemAlloc_v2(&at, bytes + 16), CUDA_SUCCESS);
    return at;
}

static inline CUdeviceptr net_send(const struct net_rig *r, const double *values, size_t count)
{
    size_t size = rig_size(r->net->type);
    CUdeviceptr at = net_memory(count * size);
    void *bytes = calloc(count + 1, size);
    for (size_t i = 0; i < count; i++)
        rig_write(bytes, r->net->type, i, values[i]);
    assert_int_equal(cuMemcpyHtoD_v2(at, bytes, count * size), CUDA_SUCCESS);
    free(bytes);
    return at;
}

static inline void *net_at(const struct net_rig *r, CUdeviceptr base, size_t element)
{
    return (void *)(uintptr_t)(base + element * rig_size(r->net->type));
}

/* Finds where the library has each matrix and bias. */
static inline void net_places(struct net_rig *r)
{
    const struct net *n = r->net;
    struct tensor *shapes[2];
    char *base = (char *)(uintptr_t)4096, *matrix, *bias;
    int ids = n->mode == RNN_LSTM ? 8 + (n->width < n->hidden) : n->mode == RNN_GRU ? 6 : 2;
    GOOD(cudnnCreateTensorDescriptor(&shapes[0]));
    GOOD(cudnnCreateTensorDescriptor(&shapes[1]));
    for (int p = 0; p < n->layers * n->directions; p++)
        for (int id = 0; id < ids; id++) {
            GOOD(cudnnGetRNNWeightParams(rig_handle(), r->rnn, p, r->weight_bytes, base, id, shapes[0],
                                         (void **)&matrix, shapes[1], (void **)&bias));
            r->matrix[p][id] = (size_t)(matrix - base) / rig_size(n->type);
            r->bias[p][id] = bias != NULL ? (size_t)(bias - base) / rig_size(n->type) : NET_NONE;
        }
    GOOD(cudnnDestroyTensorDescriptor(shapes[0]));
    GOOD(cudnnDestroyTensorDescriptor(shapes[1]));
}

static inline void net_descriptors(struct net_rig *r)
{
    const struct net *n = r->net;
    int math = n->type == DNN_F64 ? DNN_F64 : DNN_F32, pseudo = n->layers * n->directions;
    const double fill = 0.5;
    char bytes[8] = {0};
    rig_write(bytes, n->type, 0, fill);
    GOOD(cudnnCreateRNNDescriptor(&r->rnn));
    GOOD(cudnnSetRNNDescriptor_v8(r->rnn, 0, n->mode, n->bias, n->directions - 1, 0, n->type, math, 0, n->input,
                                  n->hidden, n->width, n->layers, n->dropout, 1));
    if (n->clip > 0)
        GOOD(cudnnRNNSetClip_v9(r->rnn, 1, -n->clip, n->clip));
    GOOD(cudnnCreateRNNDataDescriptor(&r->x));
    GOOD(cudnnCreateRNNDataDescriptor(&r->y));
    GOOD(cudnnSetRNNDataDescriptor(r->x, n->type, n->layout, n->steps, n->batch, n->input, n->lengths, bytes));
    GOOD(cudnnSetRNNDataDescriptor(r->y, n->type, n->layout, n->steps, n->batch, n->directions * n->width, n->lengths,
                                   bytes));
    GOOD(cudnnCreateTensorDescriptor(&r->h));
    GOOD(cudnnCreateTensorDescriptor(&r->c));
    GOOD(cudnnSetTensorNdDescriptor(r->h, n->type, 3, (int[]){pseudo, n->batch, n->width},
                                    (int[]){n->batch * n->width, n->width, 1}));
    GOOD(cudnnSetTensorNdDescriptor(r->c, n->type, 3, (int[]){pseudo, n->batch, n->hidden},
                                    (int[]){n->batch * n->hidden, n->hidden, 1}));
    GOOD(cudnnGetRNNWeightSpaceSize(rig_handle(), r->rnn, &r->weight_bytes));
    size_t inference;
    GOOD(cudnnGetRNNTempSpaceSizes(rig_handle(), r->rnn, RNN_INFERENCE, r->x, &inference, &r->reserve_bytes));
    assert_int_equal(r->reserve_bytes, 0);
    GOOD(cudnnGetRNNTempSpaceSizes(rig_handle(), r->rnn, RNN_TRAINING, r->x, &r->work_bytes, &r->reserve_bytes));
    r->work_bytes = r->work_bytes > inference ? r->work_bytes : inference;
    net_places(r);
}

/* Multiples of 1/64 between -1 and 1, which all types hold. */
static inline double *net_random(size_t count, unsigned seed)
{
    double *values = malloc((count + 1) * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        values[i] = (double)(int)(seed >> 25) / 64 - 1;
    }
    return values;
}

static inline struct net_rig net_rig(const struct net *n, unsigned seed)
{
    struct net_rig r = {.net = n};
    rig_handle();
    net_descriptors(&r);
    size_t states = (size_t)(n->layers * n->directions * n->batch), rows = (size_t)net_rows(n);
    size_t cells = n->mode == RNN_LSTM ? states * (size_t)n->hidden : 0;
    r.parts[NET_HX] = rows * (size_t)n->input;
    r.parts[NET_CX] = r.parts[NET_HX] + states * (size_t)n->width;
    r.parts[NET_W] = r.parts[NET_CX] + cells;
    r.parts[NET_IN_END] = r.parts[NET_W] + r.weight_bytes / rig_size(n->type);
    r.parts[NET_HY] = rows * (size_t)(n->directions * n->width);
    r.parts[NET_CY] = r.parts[NET_HY] + states * (size_t)n->width;
    r.parts[NET_OUT_END] = r.parts[NET_CY] + cells;
    r.in = net_random(r.parts[NET_IN_END], seed);
    r.out = net_random(r.parts[NET_OUT_END], seed + 1);
    r.out_gradient = net_random(r.parts[NET_OUT_END], seed + 2);
    r.device_in = net_send(&r, r.in, r.parts[NET_IN_END]);
    r.device_out = net_send(&r, r.out, r.parts[NET_OUT_END]);
    r.device_in_gradient = net_send(&r, r.in, r.parts[NET_IN_END]);
    r.device_out_gradient = net_send(&r, r.out_gradient, r.parts[NET_OUT_END]);
    r.work = net_memory(r.work_bytes);
    r.reserve = net_memory(r.reserve_bytes);
    return r;
}

static inline void net_release(struct net_rig *r)
{
    CUdeviceptr all[] = {r->device_in,           r->device_out, r->device_in_gradient,
                         r->device_out_gradient, r->work,       r->reserve};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_int_equal(cuMemFree_v2(all[i]), CUDA_SUCCESS);
    free(r->in);
    free(r->out);
    free(r->out_gradient);
    free(r->mask);
    GOOD(cudnnDestroyRNNDescriptor(r->rnn));
    GOOD(cudnnDestroyRNNDataDescriptor(r->x));
    GOOD(cudnnDestroyRNNDataDescriptor(r->y));
    GOOD(cudnnDestroyTensorDescriptor(r->h));
    GOOD(cudnnDestroyTensorDescriptor(r->c));
}

static inline cudnnStatus_t net_forward(const struct net_rig *r, int mode)
{
    return cudnnRNNForward(
        rig_handle(), r->rnn, mode, NULL, r->x, net_at(r, r->device_in, 0), r->y, net_at(r, r->device_out, 0), r->h,
        net_at(r, r->device_in, r->parts[NET_HX]), net_at(r, r->device_out, r->parts[NET_HY]), r->c,
        net_at(r, r->device_in, r->parts[NET_CX]), net_at(r, r->device_out, r->parts[NET_CY]), r->weight_bytes,
        net_at(r, r->device_in, r->parts[NET_W]), r->work_bytes, net_at(r, r->work, 0),
        mode == RNN_TRAINING ? r->reserve_bytes : 0, mode == RNN_TRAINING ? net_at(r, r->reserve, 0) : NULL);
}

static inline cudnnStatus_t net_backward(const struct net_rig *r, int mode)
{
    cudnnStatus_t status = cudnnRNNBackwardData_v8(
        rig_handle(), r->rnn, NULL, r->y, net_at(r, r->device_out, 0), net_at(r, r->device_out_gradient, 0), r->x,
        net_at(r, r->device_in_gradient, 0), r->h, net_at(r, r->device_in, r->parts[NET_HX]),
        net_at(r, r->device_out_gradient, r->parts[NET_HY]), net_at(r, r->device_in_gradient, r->parts[NET_HX]), r->c,
        net_at(r, r->device_in, r->parts[NET_CX]), net_at(r, r->device_out_gradient, r->parts[NET_CY]),
        net_at(r, r->device_in_gradient, r->parts[NET_CX]), r->weight_bytes, net_at(r, r->device_in, r->parts[NET_W]),
        r->work_bytes, net_at(r, r->work, 0), r->reserve_bytes, net_at(r, r->reserve, 0));
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    return cudnnRNNBackwardWeights_v8(rig_handle(), r->rnn, mode, NULL, r->x, net_at(r, r->device_in, 0), r->h,
                                      net_at(r, r->device_in, r->parts[NET_HX]), r->y, net_at(r, r->device_out, 0),
                                      r->weight_bytes, net_at(r, r->device_in_gradient, r->parts[NET_W]), r->work_bytes,
                                      net_at(r, r->work, 0), r->reserve_bytes, net_at(r, r->reserve, 0));
}

static inline double *net_receive(const struct net_rig *r, CUdeviceptr at, size_t count)
{
    size_t size = rig_size(r->net->type);
    void *bytes = calloc(count + 1, size);
    double *values = calloc(count + 1, sizeof *values);
    assert_int_equal(cuMemcpyDtoH_v2(bytes, at, count * size), CUDA_SUCCESS);
    for (size_t i = 0; i < count; i++)
        values[i] = rig_read(bytes, r->net->type, i);
    free(bytes);
    return values;
}

#endif
