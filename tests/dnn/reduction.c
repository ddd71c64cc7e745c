/* Reductions of tensors, with indices and NaNs, and the gradient of a convolution's bias. */
#include <math.h>

#include "tests/dnn/rig.h"

struct reducing;

cudnnStatus_t cudnnCreateReduceTensorDescriptor(struct reducing **);
cudnnStatus_t cudnnDestroyReduceTensorDescriptor(struct reducing *);
cudnnStatus_t cudnnSetReduceTensorDescriptor(struct reducing *, int, int, int, int, int);
cudnnStatus_t cudnnGetReduceTensorDescriptor(const struct reducing *, int *, int *, int *, int *, int *);
cudnnStatus_t cudnnGetReductionIndicesSize(cudnnHandle_t, const struct reducing *, const struct tensor *,
                                           const struct tensor *, size_t *);
cudnnStatus_t cudnnGetReductionWorkspaceSize(cudnnHandle_t, const struct reducing *, const struct tensor *,
                                             const struct tensor *, size_t *);
cudnnStatus_t cudnnReduceTensor(cudnnHandle_t, const struct reducing *, void *, size_t, void *, size_t, const void *,
                                const struct tensor *, const void *, const void *, const struct tensor *, void *);
cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t, const void *, const struct tensor *, const void *,
                                           const void *, const struct tensor *, void *);

enum { ADD, MUL, MIN, MAX, LARGEST, MEAN, NORM1, NORM2, MUL_NO_ZEROS, OPERATIONS };
static const int types[] = {DNN_F64, DNN_F32, DNN_F16, DNN_BF16};
static const double errors[] = {1e-13, 1e-5, 4e-3, 4e-2};
enum { TYPES = 4, SHAPES = 4 };
static const int whole[5] = {3, 4, 5, 7, 6};
static const int kept[SHAPES][5] = {{1, 1, 1, 1, 1}, {3, 1, 5, 1, 6}, {1, 4, 1, 1, 1}, {3, 4, 5, 7, 1}};

struct scene {
    struct reducing *how;
    struct rig_tensor a, c;
    struct tensor *of_a, *of_c;
    CUdeviceptr indices;
    size_t index_bytes;
};

static struct scene begin(int type, const int *sizes)
{
    rig_handle();
    struct scene s = {.a = rig_tensor(type, 5, whole, true, 1), .c = rig_tensor(type, 5, sizes, false, 2)};
    rig_fine(&s.a, 2, 3);
    s.of_a = rig_descriptor(&s.a);
    s.of_c = rig_descriptor(&s.c);
    s.index_bytes = (size_t)rig_count(&s.c) * sizeof(unsigned);
    assert_int_equal(cuMemAlloc_v2(&s.indices, s.index_bytes), CUDA_SUCCESS);
    GOOD(cudnnCreateReduceTensorDescriptor(&s.how));
    return s;
}

static void end(struct scene *s)
{
    GOOD(cudnnDestroyReduceTensorDescriptor(s->how));
    GOOD(cudnnDestroyTensorDescriptor(s->of_a));
    GOOD(cudnnDestroyTensorDescriptor(s->of_c));
    assert_int_equal(cuMemFree_v2(s->indices), CUDA_SUCCESS);
    rig_free(&s->a);
    rig_free(&s->c);
}

static cudnnStatus_t reduce(const struct scene *s, double alpha, double beta)
{
    int type = s->a.type;
    return cudnnReduceTensor(rig_handle(), s->how, (void *)(uintptr_t)s->indices, s->index_bytes, NULL, 0,
                             RIG_SCALAR(type, alpha), s->of_a, rig_at(&s->a), RIG_SCALAR(type, beta), s->of_c,
                             rig_at(&s->c));
}

/* Products stay small if all elements lie near 1. */
static void approach_one(struct rig_tensor *t)
{
    void *bytes = calloc(t->elements, rig_size(t->type));
    for (size_t i = 0; i < t->elements; i++) {
        t->values[i] = i % 17 == 0 ? 0 : i % 5 == 0 ? -1 : i % 7 == 0 ? 1.0625 : i % 11 == 0 ? 0.9375 : 1;
        rig_write(bytes, t->type, i, t->values[i]);
    }
    assert_int_equal(cuMemcpyHtoD_v2(t->device, bytes, t->elements * rig_size(t->type)), CUDA_SUCCESS);
    free(bytes);
}

/* The reduction of the elements that belong to result i, and the number of an extreme among them. */
static double reduced(const struct scene *s, int operation, int i, unsigned *index)
{
    int at[5], in[5], count = rig_count(&s->a) / rig_count(&s->c);
    double sum = operation == MUL || operation == MUL_NO_ZEROS ? 1 : 0;
    for (int d = 4; d >= 0; d--) {
        at[d] = i % s->c.sizes[d];
        i /= s->c.sizes[d];
    }
    for (int k = 0; k < count; k++) {
        for (int d = 4, rest = k; d >= 0; d--) {
            int size = s->c.sizes[d] == 1 ? s->a.sizes[d] : 1;
            in[d] = at[d] + rest % size;
            rest /= size;
        }
        double x = s->a.values[rig_place(&s->a, in)];
        bool extreme = operation == MIN || operation == MAX || operation == LARGEST;
        if (operation == LARGEST || operation == NORM1)
            x = fabs(x);
        if (extreme && (k == 0 || (operation == MIN ? x < sum : x > sum))) {
            sum = x;
            *index = (unsigned)k;
        }
        if (operation == MUL || (operation == MUL_NO_ZEROS && x != 0))
            sum *= x;
        if (operation == ADD || operation == MEAN || operation == NORM1 || operation == NORM2)
            sum += operation == NORM2 ? x * x : operation == MEAN ? x / count : x;
    }
    return operation == NORM2 ? sqrt(sum) : sum;
}

static void every_operation_reduces_any_dimensions(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES * OPERATIONS * SHAPES; i++) {
        int t = i % TYPES, operation = i / TYPES % OPERATIONS, type = types[t];
        struct scene s = begin(type, kept[i / TYPES / OPERATIONS]);
        bool extreme = operation == MIN || operation == MAX || operation == LARGEST;
        size_t bytes;
        double most = 0;
        if (operation == MUL || operation == MUL_NO_ZEROS)
            approach_one(&s.a);
        GOOD(cudnnSetReduceTensorDescriptor(s.how, operation, type == DNN_F64 ? DNN_F64 : DNN_F32, 0, 1, 0));
        GOOD(cudnnGetReductionIndicesSize(rig_handle(), s.how, s.of_a, s.of_c, &bytes));
        assert_int_equal(bytes, extreme ? s.index_bytes : 0);
        GOOD(reduce(&s, 0.5, 2));
        unsigned *found = malloc(s.index_bytes), index = 0;
        assert_int_equal(cuMemcpyDtoH_v2(found, s.indices, s.index_bytes), CUDA_SUCCESS);
        for (int c = 0; c < rig_count(&s.c); c++) {
            double *value = &s.c.values[rig_number(&s.c, c)];
            *value = 0.5 * reduced(&s, operation, c, &index) + 2 * *value;
            most = fmax(most, fabs(*value));
            if (extreme)
                assert_int_equal(found[c], index);
        }
        rig_expect(&s.c, (1 + most) * errors[t], "c");
        free(found);
        end(&s);
    }
}

static void nans_pass_extremes_on_request(void **state)
{
    (void)state;
    for (int propagate = 0; propagate < 2; propagate++) {
        struct scene s = begin(DNN_F32, kept[0]);
        float nan = NAN, found;
        unsigned index, expected = 0;
        double value = reduced(&s, MAX, 0, &expected);
        /* Two NaNs before the maximum, of which the first counts: elements (0, 0, 0, 0, 2) and (0, 0, 0, 0, 4). */
        size_t first = rig_place(&s.a, (int[]){0, 0, 0, 0, 2}), second = rig_place(&s.a, (int[]){0, 0, 0, 0, 4});
        assert_int_equal(cuMemcpyHtoD_v2(s.a.device + 4 * first, &nan, sizeof nan), CUDA_SUCCESS);
        assert_int_equal(cuMemcpyHtoD_v2(s.a.device + 4 * second, &nan, sizeof nan), CUDA_SUCCESS);
        GOOD(cudnnSetReduceTensorDescriptor(s.how, MAX, DNN_F32, propagate, 1, 0));
        GOOD(reduce(&s, 1, 0));
        assert_int_equal(cuMemcpyDtoH_v2(&found, s.c.device, sizeof found), CUDA_SUCCESS);
        assert_int_equal(cuMemcpyDtoH_v2(&index, s.indices, sizeof index), CUDA_SUCCESS);
        assert_true(propagate ? isnan(found) : (double)found == value);
        assert_int_equal(index, propagate ? 2 : expected);
        end(&s);
    }
}

static void the_gradient_of_a_bias_is_a_sum_for_each_channel(void **state)
{
    (void)state;
    struct scene s = begin(DNN_F64, kept[2]), wrong = begin(DNN_F64, kept[1]);
    unsigned index;
    GOOD(cudnnConvolutionBackwardBias(rig_handle(), RIG_SCALAR(DNN_F64, 2), s.of_a, rig_at(&s.a),
                                      RIG_SCALAR(DNN_F64, 0), s.of_c, rig_at(&s.c)));
    for (int c = 0; c < rig_count(&s.c); c++)
        s.c.values[rig_number(&s.c, c)] = 2 * reduced(&s, ADD, c, &index);
    rig_expect(&s.c, 1e-12, "gradient");
    assert_int_equal(cudnnConvolutionBackwardBias(rig_handle(), RIG_SCALAR(DNN_F64, 2), s.of_a, rig_at(&s.a),
                                                  RIG_SCALAR(DNN_F64, 0), wrong.of_c, rig_at(&wrong.c)),
                     CUDNN_STATUS_BAD_PARAM);
    end(&s);
    end(&wrong);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct scene s = begin(DNN_F32, kept[1]);
    int told[5];
    size_t bytes;
    assert_int_equal(reduce(&s, 1, 0), CUDNN_STATUS_BAD_PARAM); /* it is not set */
    assert_int_equal(cudnnSetReduceTensorDescriptor(s.how, OPERATIONS, DNN_F32, 0, 0, 0), CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnSetReduceTensorDescriptor(s.how, MAX, DNN_F64, 1, 1, 2));
    GOOD(cudnnGetReduceTensorDescriptor(s.how, &told[0], &told[1], &told[2], &told[3], &told[4]));
    assert_memory_equal(told, ((int[]){MAX, DNN_F64, 1, 1, 2}), sizeof told);
    assert_int_equal(reduce(&s, 1, 0), CUDNN_STATUS_NOT_SUPPORTED);
    GOOD(cudnnSetReduceTensorDescriptor(s.how, MAX, DNN_F32, 1, 1, 2));
    assert_int_equal(reduce(&s, 1, 0), CUDNN_STATUS_NOT_SUPPORTED); /* indices of 16 bits */
    GOOD(cudnnSetReduceTensorDescriptor(s.how, MAX, DNN_F32, 1, 1, 0));
    s.index_bytes--;
    assert_int_equal(reduce(&s, 1, 0), CUDNN_STATUS_BAD_PARAM);
    s.index_bytes++;
    GOOD(cudnnGetReductionWorkspaceSize(rig_handle(), s.how, s.of_a, s.of_c, &bytes));
    assert_int_equal(bytes, 0);
    assert_int_equal(cudnnReduceTensor(rig_handle(), s.how, NULL, 0, NULL, 0, RIG_SCALAR(DNN_F32, 1), s.of_c,
                                       rig_at(&s.c), RIG_SCALAR(DNN_F32, 0), s.of_a, rig_at(&s.a)),
                     CUDNN_STATUS_BAD_PARAM); /* the result is larger */
    rig_expect(&s.c, 0, "nothing was written");
    end(&s);
}

UNIT_TESTS(UNIT(every_operation_reduces_any_dimensions), UNIT(nans_pass_extremes_on_request),
           UNIT(the_gradient_of_a_bias_is_a_sum_for_each_channel), UNIT(wrong_arguments_have_the_documented_status))
