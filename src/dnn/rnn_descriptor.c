/* Descriptors of recurrent networks and their data. */
#include <stdlib.h>
#include <string.h>

#include "dnn/rnn.h"

enum { ALGORITHMS = 4, INPUT_MODES = 2, SKIP_INPUT = 1, CLIPS = 2 };

int rnn_gates(const struct rnn *rnn)
{
    static const int gates[RNN_MODES] = {[RNN_RELU] = 1, [RNN_TANH] = 1, [RNN_LSTM] = 4, [RNN_GRU] = 3};
    return gates[rnn->mode];
}

size_t rnn_narrow(const struct rnn *rnn)
{
    return rnn->type == DNN_F64 ? sizeof(double) : rnn->type == DNN_F32 ? sizeof(float) : sizeof(uint16_t);
}

size_t rnn_wide(const struct rnn *rnn) { return rnn->type == DNN_F64 ? sizeof(double) : sizeof(float); }

DNN_API(cudnnStatus_t, cudnnCreateRNNDescriptor, struct rnn **rnn) { return dnn_create((void **)rnn, sizeof **rnn); }

DNN_API(cudnnStatus_t, cudnnDestroyRNNDescriptor, struct rnn *rnn)
{
    free(rnn);
    return CUDNN_STATUS_SUCCESS;
}

/* ---- networks ---------------------------------------------------------------------------------------------------- */

static bool below(int value, int limit) { return value >= 0 && value < limit; }

/* Sums have the type of the tensors, and FP32 for the 16-bit ones. FP16 may ask for FP16 sums, and gets more. */
static bool types_match(int type, int math_type)
{
    if (type == DNN_F16)
        return math_type == DNN_F16 || math_type == DNN_F32;
    return type == DNN_BF16 ? math_type == DNN_F32 : (type == DNN_F32 || type == DNN_F64) && math_type == type;
}

DNN_API(cudnnStatus_t, cudnnSetRNNDescriptor_v8, struct rnn *rnn, int algorithm, int mode, int bias, int direction,
        int input_mode, int type, int math_type, int math, int32_t input, int32_t hidden, int32_t projection,
        int32_t layers, const struct dropout *dropout, uint32_t flags)
{
    if (rnn == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!below(algorithm, ALGORITHMS) || !below(mode, RNN_MODES) || !below(bias, RNN_BIASES) || !below(direction, 2) ||
        !below(input_mode, INPUT_MODES) || input < 1 || hidden < 1 || layers < 1 || projection < 0 ||
        projection > hidden)
        return CUDNN_STATUS_BAD_PARAM;
    if (!types_match(type, math_type) || (projection > 0 && projection < hidden && mode != RNN_LSTM))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (input_mode == SKIP_INPUT)
        return dnn_refuse("cudnnSetRNNDescriptor_v8", "CUDNN_SKIP_INPUT");
    *rnn = (struct rnn){.set = true,
                        .algorithm = algorithm,
                        .mode = mode,
                        .bias = bias,
                        .directions = direction + 1,
                        .input_mode = input_mode,
                        .type = type,
                        .math_type = math_type,
                        .math = math,
                        .input = input,
                        .hidden = hidden,
                        .width = projection > 0 ? projection : hidden,
                        .layers = layers,
                        .dropout = dropout,
                        .flags = flags};
    return CUDNN_STATUS_SUCCESS;
}

static void tell(int *to, int value)
{
    if (to != NULL)
        *to = value;
}

DNN_API(cudnnStatus_t, cudnnGetRNNDescriptor_v8, const struct rnn *rnn, int *algorithm, int *mode, int *bias,
        int *direction, int *input_mode, int *type, int *math_type, int *math, int32_t *input, int32_t *hidden,
        int32_t *projection, int32_t *layers, const struct dropout **dropout, uint32_t *flags)
{
    if (rnn == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    tell(algorithm, rnn->algorithm);
    tell(mode, rnn->mode);
    tell(bias, rnn->bias);
    tell(direction, rnn->directions - 1);
    tell(input_mode, rnn->input_mode);
    tell(type, rnn->type);
    tell(math_type, rnn->math_type);
    tell(math, rnn->math);
    tell(input, rnn->input);
    tell(hidden, rnn->hidden);
    tell(projection, rnn->width);
    tell(layers, rnn->layers);
    if (dropout != NULL)
        *dropout = rnn->dropout;
    if (flags != NULL)
        *flags = rnn->flags;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnRNNSetClip_v9, struct rnn *rnn, int clip, double low, double high)
{
    if (rnn == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!rnn->set || rnn->mode != RNN_LSTM || !below(clip, CLIPS) || (clip && !(low <= high)))
        return CUDNN_STATUS_BAD_PARAM;
    rnn->clip = clip;
    rnn->low = low;
    rnn->high = high;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnRNNSetClip_v8, struct rnn *rnn, int clip, int nan, double low, double high)
{
    (void)nan; /* a clipped NaN becomes the lower limit */
    return cudnnRNNSetClip_v9(rnn, clip, low, high);
}

DNN_API(cudnnStatus_t, cudnnRNNGetClip_v9, const struct rnn *rnn, int *clip, double *low, double *high)
{
    if (rnn == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    tell(clip, rnn->clip);
    if (low != NULL)
        *low = rnn->low;
    if (high != NULL)
        *high = rnn->high;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnRNNGetClip_v8, const struct rnn *rnn, int *clip, int *nan, double *low, double *high)
{
    tell(nan, 0);
    return cudnnRNNGetClip_v9(rnn, clip, low, high);
}

/* There is one way to run a network, and nothing is compiled ahead. */
DNN_API(cudnnStatus_t, cudnnBuildRNNDynamic, cudnnHandle_t handle, const struct rnn *rnn, int batch)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    return rnn != NULL && rnn->set && batch > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

DNN_API(cudnnStatus_t, cudnnCreateRNNDataDescriptor, struct rnn_data **data)
{
    return dnn_create((void **)data, sizeof **data);
}

DNN_API(cudnnStatus_t, cudnnDestroyRNNDataDescriptor, struct rnn_data *data)
{
    if (data != NULL)
        free(data->lengths);
    free(data);
    return CUDNN_STATUS_SUCCESS;
}

static bool lengths_fit(const int *lengths, int batch, int steps, bool falling)
{
    for (int b = 0; b < batch; b++)
        if (lengths[b] < 0 || lengths[b] > steps || (falling && b > 0 && lengths[b] > lengths[b - 1]))
            return false;
    return true;
}

DNN_API(cudnnStatus_t, cudnnSetRNNDataDescriptor, struct rnn_data *data, int type, int layout, int steps, int batch,
        int width, const int *lengths, const void *fill)
{
    if (data == NULL || lengths == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!below(layout, RNN_LAYOUTS) || steps < 1 || batch < 1 || width < 1 ||
        !lengths_fit(lengths, batch, steps, layout == RNN_PACKED))
        return CUDNN_STATUS_BAD_PARAM;
    if (dnn_type_name(type) == NULL || (int64_t)steps * batch > INT32_MAX)
        return CUDNN_STATUS_NOT_SUPPORTED;
    int *copy = malloc((size_t)batch * sizeof *copy);
    if (copy == NULL)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    memcpy(copy, lengths, (size_t)batch * sizeof *copy);
    free(data->lengths);
    *data = (struct rnn_data){type, layout, steps, batch, width, copy, fill != NULL, 0};
    if (fill != NULL)
        data->fill = dnn_value(fill, type);
    return CUDNN_STATUS_SUCCESS;
}

/* Writes a value in a tensor type. A 16-bit value keeps the bits that it once had. */
static void put_value(void *at, int type, double value)
{
    float f = (float)value;
    uint32_t bits;
    if (type == DNN_F64) {
        memcpy(at, &value, sizeof value);
        return;
    }
    if (type == DNN_F32) {
        memcpy(at, &f, sizeof f);
        return;
    }
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 255, fraction = bits >> 13 & 1023;
    uint16_t half = (uint16_t)(bits >> 16);
    if (type == DNN_F16 && exponent < 113)
        half = (uint16_t)(sign | (uint32_t)((f < 0 ? -f : f) * 16777216));
    else if (type == DNN_F16)
        half = (uint16_t)(sign | (exponent == 255 ? 31 : exponent - 112) << 10 | fraction);
    memcpy(at, &half, sizeof half);
}

DNN_API(cudnnStatus_t, cudnnGetRNNDataDescriptor, const struct rnn_data *data, int *type, int *layout, int *steps,
        int *batch, int *width, int wanted, int *lengths, void *fill)
{
    if (data == NULL || (wanted > 0 && lengths == NULL))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (data->lengths == NULL || wanted < 0)
        return CUDNN_STATUS_BAD_PARAM;
    tell(type, data->type);
    tell(layout, data->layout);
    tell(steps, data->steps);
    tell(batch, data->batch);
    tell(width, data->width);
    for (int b = 0; b < wanted && b < data->batch; b++)
        lengths[b] = data->lengths[b];
    if (fill != NULL && data->filled)
        put_value(fill, data->type, data->fill);
    return CUDNN_STATUS_SUCCESS;
}
