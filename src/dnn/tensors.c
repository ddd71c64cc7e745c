#include "dnn/tensors.h"

#include <stdlib.h>
#include <string.h>

/* Orders of the dimensions in memory: cudnnTensorFormat_t. */
enum { CHANNELS_FIRST = 0, CHANNELS_LAST = 1 };

cudnnStatus_t dnn_create(void **out, size_t size)
{
    if (out == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, size);
    return *out != NULL ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

static cudnnStatus_t destroy(void *descriptor)
{
    free(descriptor);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnCreateTensorDescriptor, struct tensor **tensor)
{
    return dnn_create((void **)tensor, sizeof **tensor);
}
DNN_API(cudnnStatus_t, cudnnCreateFilterDescriptor, struct tensor **filter)
{
    return dnn_create((void **)filter, sizeof **filter);
}
DNN_API(cudnnStatus_t, cudnnCreateConvolutionDescriptor, struct convolving **convolving)
{
    return dnn_create((void **)convolving, sizeof **convolving);
}
DNN_API(cudnnStatus_t, cudnnDestroyTensorDescriptor, struct tensor *tensor) { return destroy(tensor); }
DNN_API(cudnnStatus_t, cudnnDestroyFilterDescriptor, struct tensor *filter) { return destroy(filter); }
DNN_API(cudnnStatus_t, cudnnDestroyConvolutionDescriptor, struct convolving *convolving) { return destroy(convolving); }

double dnn_value(const void *at, int type)
{
    uint16_t half;
    if (type == DNN_F32 || type == DNN_F64)
        return dnn_scalar(at, type);
    memcpy(&half, at, sizeof half);
    float f;
    uint32_t exponent = half >> 10 & 31, fraction = half & 1023, bits = (uint32_t)half << 16;
    if (type == DNN_F16 && exponent == 0) { /* zero and subnormal numbers */
        double small = (double)fraction / 16777216;
        return half & 0x8000 ? -small : small;
    }
    if (type == DNN_F16)
        bits = (half & 0x8000u) << 16 | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

bool tensor_place(struct dnn_tensor *out, const struct tensor *t, const void *data)
{
    int space = t->shape.count - 2;
    for (int d = 0; d < DNN_DIMENSIONS; d++) {
        int from = d < 2 ? d : d - (DNN_SPACE - space);
        bool there = d < 2 || from >= 2;
        out->sizes[d] = there ? (unsigned)t->shape.sizes[from] : 1;
        out->steps[d] = there ? t->shape.steps[from] : 0;
    }
    out->data = (void *)(uintptr_t)data;
    return data != NULL;
}

unsigned tensor_blocks(const struct dnn_tensor *t)
{
    uint64_t count = 1, most = (uint64_t)INT32_MAX * DNN_THREADS;
    for (int d = 0; d < DNN_DIMENSIONS; d++) {
        if (t->sizes[d] > most / count)
            return 0;
        count *= t->sizes[d];
    }
    return (unsigned)((count + DNN_THREADS - 1) / DNN_THREADS);
}

bool tensors_alike(const struct tensor *a, const struct tensor *b)
{
    bool alike = a->shape.count > 0 && a->shape.type == b->shape.type && a->shape.count == b->shape.count;
    for (int d = 0; d < a->shape.count && alike; d++)
        alike = a->shape.sizes[d] == b->shape.sizes[d];
    return alike;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* Sets sizes, and steps where there are any; else those of a packed tensor in the format. */
static cudnnStatus_t set(struct tensor *t, int type, int format, int count, const int *sizes, const int *steps)
{
    if (t == NULL || sizes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (count < 3 || count > DNN_DIMENSIONS || (format != CHANNELS_FIRST && format != CHANNELS_LAST))
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int d = 0; d < count; d++)
        if (sizes[d] < 1)
            return CUDNN_STATUS_BAD_PARAM;
    *t = (struct tensor){.shape = {.type = type, .count = count}, .format = format};
    int64_t step = format == CHANNELS_LAST ? sizes[1] : 1;
    for (int d = count - 1; d >= 0; d--) {
        t->shape.sizes[d] = sizes[d];
        t->shape.steps[d] = steps != NULL ? steps[d] : format == CHANNELS_LAST && d == 1 ? 1 : step;
        if (format == CHANNELS_FIRST || d != 1)
            step *= sizes[d];
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetTensorNdDescriptor, struct tensor *tensor, int type, int count, const int *sizes,
        const int *steps)
{
    return steps != NULL ? set(tensor, type, CHANNELS_FIRST, count, sizes, steps) : CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
}

DNN_API(cudnnStatus_t, cudnnSetTensorNdDescriptorEx, struct tensor *tensor, int format, int type, int count,
        const int *sizes)
{
    return set(tensor, type, format, count, sizes, NULL);
}

DNN_API(cudnnStatus_t, cudnnSetTensor4dDescriptor, struct tensor *tensor, int format, int type, int n, int c, int h,
        int w)
{
    return set(tensor, type, format, 4, (int[]){n, c, h, w}, NULL);
}

DNN_API(cudnnStatus_t, cudnnSetTensor4dDescriptorEx, struct tensor *tensor, int type, int n, int c, int h, int w,
        int n_step, int c_step, int h_step, int w_step)
{
    return set(tensor, type, CHANNELS_FIRST, 4, (int[]){n, c, h, w}, (int[]){n_step, c_step, h_step, w_step});
}

DNN_API(cudnnStatus_t, cudnnSetFilterNdDescriptor, struct tensor *filter, int type, int format, int count,
        const int *sizes)
{
    return set(filter, type, format, count, sizes, NULL);
}

DNN_API(cudnnStatus_t, cudnnSetFilter4dDescriptor, struct tensor *filter, int type, int format, int k, int c, int h,
        int w)
{
    return set(filter, type, format, 4, (int[]){k, c, h, w}, NULL);
}

DNN_API(cudnnStatus_t, cudnnGetTensorNdDescriptor, const struct tensor *tensor, int wanted, int *type, int *count,
        int *sizes, int *steps)
{
    if (tensor == NULL || type == NULL || count == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *type = tensor->shape.type;
    *count = tensor->shape.count;
    for (int d = 0; d < wanted && d < tensor->shape.count; d++) {
        if (sizes != NULL)
            sizes[d] = (int)tensor->shape.sizes[d];
        if (steps != NULL)
            steps[d] = (int)tensor->shape.steps[d];
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetFilterNdDescriptor, const struct tensor *filter, int wanted, int *type, int *format,
        int *count, int *sizes)
{
    if (filter == NULL || format == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *format = filter->format;
    return cudnnGetTensorNdDescriptor(filter, wanted, type, count, sizes, NULL);
}

/* ---- how to convolve --------------------------------------------------------------------------------------------- */

DNN_API(cudnnStatus_t, cudnnSetConvolutionNdDescriptor, struct convolving *c, int space, const int *padding,
        const int *stride, const int *dilation, int mode, int type)
{
    if (c == NULL || padding == NULL || stride == NULL || dilation == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (space < 1 || space > DNN_SPACE)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *c = (struct convolving){.space = space, .mode = mode, .type = type, .groups = 1};
    for (int d = 0; d < space; d++) {
        c->padding[d] = padding[d];
        c->stride[d] = stride[d];
        c->dilation[d] = dilation[d];
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetConvolution2dDescriptor, struct convolving *c, int pad_h, int pad_w, int stride_h,
        int stride_w, int dilation_h, int dilation_w, int mode, int type)
{
    return cudnnSetConvolutionNdDescriptor(c, 2, (int[]){pad_h, pad_w}, (int[]){stride_h, stride_w},
                                           (int[]){dilation_h, dilation_w}, mode, type);
}

DNN_API(cudnnStatus_t, cudnnSetConvolutionGroupCount, struct convolving *c, int groups)
{
    if (c == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    c->groups = groups;
    return groups > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

DNN_API(cudnnStatus_t, cudnnSetConvolutionMathType, struct convolving *c, int math)
{
    if (c == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    c->math = math; /* products and sums are of full precision whatever is allowed */
    return CUDNN_STATUS_SUCCESS;
}
