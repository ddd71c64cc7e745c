/* Places of weights. Matrices of all pseudo-layers come first, then biases. Both directions of a layer follow each
 * other, and in each the input's part, then the recurrent one, then the projection. */
#include "dnn/rnn.h"

int rnn_layer_input(const struct rnn *rnn, int layer) { return layer == 0 ? rnn->input : rnn->directions * rnn->width; }

static bool has_bias(const struct rnn *rnn, enum rnn_part part)
{
    return rnn->bias == RNN_BOTH_BIASES || (rnn->bias == RNN_INPUT_BIAS && part == RNN_INPUT_B) ||
           (rnn->bias == RNN_RECURRENT_BIAS && part == RNN_RECURRENT_B);
}

static void shape_of(const struct rnn *rnn, int pseudo, enum rnn_part part, int *rows, int *columns)
{
    int gates = rnn_gates(rnn) * rnn->hidden;
    *rows = *columns = 0;
    if (part == RNN_W || part == RNN_R) {
        *rows = gates;
        *columns = part == RNN_R ? rnn->width : rnn_layer_input(rnn, pseudo / rnn->directions);
    } else if (part == RNN_PROJECTION && rnn_projects(rnn)) {
        *rows = rnn->width;
        *columns = rnn->hidden;
    } else if (part != RNN_PROJECTION && has_bias(rnn, part)) {
        *rows = gates;
        *columns = 1;
    }
}

/* Adds the sizes of all parts before this one. Matrices of all pseudo-layers come first, then biases. */
static size_t before(const struct rnn *rnn, int pseudo, enum rnn_part part)
{
    size_t sum = 0;
    bool bias = part == RNN_INPUT_B || part == RNN_RECURRENT_B;
    int all = rnn->layers * rnn->directions;
    for (int other = 0; other < all; other++)
        for (int p = 0; p < RNN_PARTS; p++) {
            bool other_bias = p == RNN_INPUT_B || p == RNN_RECURRENT_B;
            bool earlier = other < pseudo || (other == pseudo && p < (int)part);
            int rows, columns;
            shape_of(rnn, other, (enum rnn_part)p, &rows, &columns);
            if (other_bias == bias ? earlier : bias)
                sum += (size_t)rows * (size_t)columns;
        }
    return sum;
}

size_t rnn_weight(const struct rnn *rnn, int pseudo, enum rnn_part part, int *rows, int *columns)
{
    shape_of(rnn, pseudo, part, rows, columns);
    return before(rnn, pseudo, part);
}

size_t rnn_weights(const struct rnn *rnn) { return before(rnn, rnn->layers * rnn->directions, RNN_INPUT_B); }

DNN_API(cudnnStatus_t, cudnnGetRNNWeightSpaceSize, cudnnHandle_t handle, const struct rnn *rnn, size_t *bytes)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (rnn == NULL || bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!rnn->set)
        return CUDNN_STATUS_BAD_PARAM;
    *bytes = rnn_weights(rnn) * rnn_narrow(rnn);
    return CUDNN_STATUS_SUCCESS;
}

/* Tells shape and address of one gate's share in a part, if they are asked for. A missing one (RNN_PARTS too) has no
 * dimensions and no address. */
static void tell(const struct rnn *rnn, int pseudo, enum rnn_part part, int gate, const void *weights,
                 struct tensor *shape, void **at)
{
    int rows = 0, columns = 0, gates = part == RNN_PROJECTION ? 1 : rnn_gates(rnn);
    size_t place = part == RNN_PARTS ? 0 : rnn_weight(rnn, pseudo, part, &rows, &columns);
    rows /= gates;
    struct tensor found = {.shape = {.type = rnn->type}};
    if (rows > 0)
        found.shape = (struct dnn_shape){
            .type = rnn->type, .count = 3, .sizes = {1, rows, columns}, .steps = {(int64_t)rows * columns, columns, 1}};
    place += (size_t)gate * (size_t)rows * (size_t)columns;
    if (shape != NULL)
        *shape = found;
    if (at != NULL)
        *at = rows > 0 && weights != NULL ? (char *)(uintptr_t)weights + place * rnn_narrow(rnn) : NULL;
}

/* PyTorch asks for matrices without biases, by null pointers. */
DNN_API(cudnnStatus_t, cudnnGetRNNWeightParams, cudnnHandle_t handle, const struct rnn *rnn, int32_t pseudo,
        size_t bytes, const void *weights, int32_t id, struct tensor *matrix, void **matrix_at, struct tensor *bias,
        void **bias_at)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (rnn == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!rnn->set || pseudo < 0 || pseudo >= rnn->layers * rnn->directions ||
        bytes < rnn_weights(rnn) * rnn_narrow(rnn))
        return CUDNN_STATUS_BAD_PARAM;
    int gates = rnn_gates(rnn);
    if (id < 0 || id > 2 * gates || (id == 2 * gates && rnn->mode != RNN_LSTM))
        return CUDNN_STATUS_BAD_PARAM;
    enum rnn_part part = id < gates ? RNN_W : id < 2 * gates ? RNN_R : RNN_PROJECTION;
    tell(rnn, pseudo, part, id % gates, weights, matrix, matrix_at);
    part = part == RNN_W ? RNN_INPUT_B : part == RNN_R ? RNN_RECURRENT_B : RNN_PARTS;
    tell(rnn, pseudo, part, id % gates, weights, bias, bias_at);
    return CUDNN_STATUS_SUCCESS;
}
