/* Questions that programs ask of descriptors, and a convolution with everything that may follow it. */
#include <math.h>

#include "tests/dnn/rig.h"

cudnnStatus_t cudnnGetTensor4dDescriptor(const struct tensor *, int *, int *, int *, int *, int *, int *, int *, int *,
                                         int *);
cudnnStatus_t cudnnCreateFilterDescriptor(struct tensor **);
cudnnStatus_t cudnnDestroyFilterDescriptor(struct tensor *);
cudnnStatus_t cudnnSetFilter4dDescriptor(struct tensor *, int, int, int, int, int, int);
cudnnStatus_t cudnnGetFilter4dDescriptor(const struct tensor *, int *, int *, int *, int *, int *, int *);
cudnnStatus_t cudnnGetTensorSizeInBytes(const struct tensor *, size_t *);
cudnnStatus_t cudnnGetFilterSizeInBytes(const struct tensor *, size_t *);
cudnnStatus_t cudnnDeriveBNTensorDescriptor(struct tensor *, const struct tensor *, int);
cudnnStatus_t cudnnCreateConvolutionDescriptor(struct convolving **);
cudnnStatus_t cudnnDestroyConvolutionDescriptor(struct convolving *);
cudnnStatus_t cudnnSetConvolution2dDescriptor(struct convolving *, int, int, int, int, int, int, int, int);
cudnnStatus_t cudnnGetConvolution2dDescriptor(const struct convolving *, int *, int *, int *, int *, int *, int *,
                                              int *, int *);
cudnnStatus_t cudnnSetConvolutionGroupCount(struct convolving *, int);
cudnnStatus_t cudnnGetConvolutionGroupCount(const struct convolving *, int *);
cudnnStatus_t cudnnSetConvolutionMathType(struct convolving *, int);
cudnnStatus_t cudnnGetConvolutionMathType(const struct convolving *, int *);
cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const struct convolving *, const struct tensor *,
                                                    const struct tensor *, int *, int *, int *, int *);
cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t, int *);
cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(cudnnHandle_t, const struct tensor *, const struct tensor *,
                                                   const struct convolving *, const struct tensor *, int, int *,
                                                   void *);
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void *, const struct tensor *, const void *,
                                      const struct tensor *, const void *, const struct convolving *, int, void *,
                                      size_t, const void *, const struct tensor *, void *);
cudnnStatus_t cudnnCreateActivationDescriptor(struct activating **);
cudnnStatus_t cudnnDestroyActivationDescriptor(struct activating *);
cudnnStatus_t cudnnSetActivationDescriptor(struct activating *, int, int, double);
cudnnStatus_t cudnnConvolutionBiasActivationForward(cudnnHandle_t, const void *, const struct tensor *, const void *,
                                                    const struct tensor *, const void *, const struct convolving *, int,
                                                    void *, size_t, const void *, const struct tensor *, const void *,
                                                    const struct tensor *, const void *, const struct activating *,
                                                    const struct tensor *, void *);

static void tensors_tell_sizes_steps_and_bytes(void **state)
{
    (void)state;
    struct tensor *t, *derived;
    int n[9];
    size_t bytes;
    GOOD(cudnnCreateTensorDescriptor(&t));
    GOOD(cudnnCreateTensorDescriptor(&derived));
    GOOD(cudnnSetTensorNdDescriptor(t, DNN_F16, 4, (int[]){2, 3, 4, 5}, (int[]){100, 1, 20, 4}));
    GOOD(cudnnGetTensor4dDescriptor(t, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8]));
    assert_memory_equal(n, ((int[]){DNN_F16, 2, 3, 4, 5, 100, 1, 20, 4}), sizeof n);
    GOOD(cudnnGetTensorSizeInBytes(t, &bytes));
    assert_int_equal(bytes, 2 * (100 + 2 + 60 + 16 + 1));
    GOOD(cudnnDeriveBNTensorDescriptor(derived, t, 1));
    GOOD(cudnnGetTensor4dDescriptor(derived, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8]));
    assert_memory_equal(n, ((int[]){DNN_F32, 1, 3, 1, 1}), 5 * sizeof n[0]);
    GOOD(cudnnDeriveBNTensorDescriptor(derived, t, 0));
    GOOD(cudnnGetTensor4dDescriptor(derived, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8]));
    assert_memory_equal(n, ((int[]){DNN_F32, 1, 3, 4, 5, 60, 20, 5, 1}), sizeof n);
    assert_int_equal(cudnnDeriveBNTensorDescriptor(derived, t, 3), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnGetTensorSizeInBytes(t, NULL), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    GOOD(cudnnSetTensorNdDescriptor(t, DNN_F16, 3, (int[]){2, 3, 4}, (int[]){12, 4, 1}));
    assert_int_equal(cudnnGetTensor4dDescriptor(t, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8]),
                     CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnDestroyTensorDescriptor(t));
    GOOD(cudnnDestroyTensorDescriptor(derived));
}

struct scene {
    struct rig_tensor x, w, y, z, bias, plain;
    struct tensor *of_x, *of_y, *of_bias, *of_w;
    struct convolving *how;
    struct activating *activation;
};

static struct scene begin(void)
{
    const int in[] = {2, 4, 7, 6}, filter[] = {3, 4, 3, 2}, out[] = {2, 3, 4, 7}, bias[] = {1, 3, 1, 1};
    rig_handle();
    struct scene s = {.x = rig_tensor(DNN_F32, 4, in, false, 1),
                      .w = rig_tensor(DNN_F32, 4, filter, false, 2),
                      .y = rig_tensor(DNN_F32, 4, out, false, 3),
                      .z = rig_tensor(DNN_F32, 4, out, false, 4),
                      .plain = rig_tensor(DNN_F32, 4, out, false, 5),
                      .bias = rig_tensor(DNN_F32, 4, bias, false, 6)};
    s.of_x = rig_descriptor(&s.x);
    s.of_y = rig_descriptor(&s.y);
    s.of_bias = rig_descriptor(&s.bias);
    GOOD(cudnnCreateFilterDescriptor(&s.of_w));
    GOOD(cudnnSetFilter4dDescriptor(s.of_w, DNN_F32, 0, 3, 4, 3, 2));
    GOOD(cudnnCreateConvolutionDescriptor(&s.how));
    GOOD(cudnnSetConvolution2dDescriptor(s.how, 1, 1, 2, 1, 1, 1, 1, DNN_F32));
    GOOD(cudnnCreateActivationDescriptor(&s.activation));
    return s;
}

static void end(struct scene *s)
{
    struct rig_tensor *all[] = {&s->x, &s->w, &s->y, &s->z, &s->plain, &s->bias};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rig_free(all[i]);
    GOOD(cudnnDestroyTensorDescriptor(s->of_x));
    GOOD(cudnnDestroyTensorDescriptor(s->of_y));
    GOOD(cudnnDestroyTensorDescriptor(s->of_bias));
    GOOD(cudnnDestroyFilterDescriptor(s->of_w));
    GOOD(cudnnDestroyConvolutionDescriptor(s->how));
    GOOD(cudnnDestroyActivationDescriptor(s->activation));
}

static void convolutions_tell_their_parameters_and_output(void **state)
{
    (void)state;
    struct scene s = begin();
    int n[8], count;
    size_t bytes;
    char results[64];
    GOOD(cudnnGetConvolution2dDescriptor(s.how, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]));
    assert_memory_equal(n, ((int[]){1, 1, 2, 1, 1, 1, 1, DNN_F32}), sizeof n);
    GOOD(cudnnGetConvolution2dForwardOutputDim(s.how, s.of_x, s.of_w, &n[0], &n[1], &n[2], &n[3]));
    assert_memory_equal(n, ((int[]){2, 3, 4, 7}), 4 * sizeof n[0]);
    GOOD(cudnnGetFilter4dDescriptor(s.of_w, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]));
    assert_memory_equal(n, ((int[]){DNN_F32, 0, 3, 4, 3, 2}), 6 * sizeof n[0]);
    GOOD(cudnnGetFilterSizeInBytes(s.of_w, &bytes));
    assert_int_equal(bytes, 3 * 4 * 3 * 2 * 4);
    GOOD(cudnnGetConvolutionForwardAlgorithmMaxCount(rig_handle(), &count));
    assert_int_equal(count, 1);
    GOOD(cudnnFindConvolutionForwardAlgorithm(rig_handle(), s.of_x, s.of_w, s.how, s.of_y, 1, &count, results));
    assert_int_equal(count, 1);
    GOOD(cudnnSetConvolutionMathType(s.how, 2));
    GOOD(cudnnGetConvolutionMathType(s.how, &count));
    assert_int_equal(count, 2);
    GOOD(cudnnSetConvolutionGroupCount(s.how, 2));
    GOOD(cudnnGetConvolutionGroupCount(s.how, &count));
    assert_int_equal(count, 2);
    assert_int_equal(cudnnGetConvolution2dForwardOutputDim(s.how, s.of_x, s.of_w, &n[0], &n[1], &n[2], &n[3]),
                     CUDNN_STATUS_BAD_PARAM); /* the filter has the channels of one group */
    end(&s);
}

static cudnnStatus_t convolve_and_more(const struct scene *s, const struct rig_tensor *y)
{
    const struct tensor *bias = s->of_bias;
    return cudnnConvolutionBiasActivationForward(
        rig_handle(), RIG_SCALAR(DNN_F32, 2), s->of_x, rig_at(&s->x), s->of_w, rig_at(&s->w), s->how, 0, NULL, 0,
        RIG_SCALAR(DNN_F32, -1), s->of_y, rig_at(&s->z), bias, rig_at(&s->bias), s->activation, s->of_y, rig_at(y));
}

static void a_convolution_adds_a_tensor_and_a_bias_and_may_cut_at_zero(void **state)
{
    (void)state;
    enum { RELU = 1, TANH = 2, IDENTITY = 5 };
    struct scene s = begin();
    GOOD(cudnnConvolutionForward(rig_handle(), RIG_SCALAR(DNN_F32, 2), s.of_x, rig_at(&s.x), s.of_w, rig_at(&s.w),
                                 s.how, 0, NULL, 0, RIG_SCALAR(DNN_F32, 0), s.of_y, rig_at(&s.plain)));
    float *plain = malloc(s.plain.elements * sizeof *plain);
    assert_int_equal(cuMemcpyDtoH_v2(plain, s.plain.device, s.plain.elements * sizeof *plain), CUDA_SUCCESS);
    for (int cut = 0; cut < 2; cut++) {
        GOOD(cudnnSetActivationDescriptor(s.activation, cut ? RELU : IDENTITY, 1, 0));
        GOOD(convolve_and_more(&s, &s.y));
        for (int i = 0; i < rig_count(&s.y); i++) {
            size_t at = rig_number(&s.y, i);
            double sum = (double)plain[at] - s.z.values[at] + s.bias.values[i / 28 % 3];
            s.y.values[at] = cut ? fmax(sum, 0) : sum;
        }
        rig_expect(&s.y, 0, "y");
    }
    free(plain);
    GOOD(cudnnSetActivationDescriptor(s.activation, TANH, 1, 0));
    assert_int_equal(convolve_and_more(&s, &s.y), CUDNN_STATUS_NOT_SUPPORTED);
    end(&s);
}

UNIT_TESTS(UNIT(tensors_tell_sizes_steps_and_bytes), UNIT(convolutions_tell_their_parameters_and_output),
           UNIT(a_convolution_adds_a_tensor_and_a_bias_and_may_cut_at_zero))
