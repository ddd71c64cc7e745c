/* Operations of single elements: tensors with each other, copies, and activations with their gradients. */
#include <math.h>

#include "tests/dnn/rig.h"

struct operating;
struct activating;

cudnnStatus_t cudnnCreateOpTensorDescriptor(struct operating **);
cudnnStatus_t cudnnDestroyOpTensorDescriptor(struct operating *);
cudnnStatus_t cudnnSetOpTensorDescriptor(struct operating *, int, int, int);
cudnnStatus_t cudnnGetOpTensorDescriptor(const struct operating *, int *, int *, int *);
cudnnStatus_t cudnnOpTensor(cudnnHandle_t, const struct operating *, const void *, const struct tensor *, const void *,
                            const void *, const struct tensor *, const void *, const void *, const struct tensor *,
                            void *);
cudnnStatus_t cudnnAddTensor(cudnnHandle_t, const void *, const struct tensor *, const void *, const void *,
                             const struct tensor *, void *);
cudnnStatus_t cudnnTransformTensor(cudnnHandle_t, const void *, const struct tensor *, const void *, const void *,
                                   const struct tensor *, void *);
cudnnStatus_t cudnnScaleTensor(cudnnHandle_t, const struct tensor *, void *, const void *);
cudnnStatus_t cudnnSetTensor(cudnnHandle_t, const struct tensor *, void *, const void *);
cudnnStatus_t cudnnCreateActivationDescriptor(struct activating **);
cudnnStatus_t cudnnDestroyActivationDescriptor(struct activating *);
cudnnStatus_t cudnnSetActivationDescriptor(struct activating *, int, int, double);
cudnnStatus_t cudnnGetActivationDescriptor(const struct activating *, int *, int *, double *);
cudnnStatus_t cudnnSetActivationDescriptorSwishBeta(struct activating *, double);
cudnnStatus_t cudnnGetActivationDescriptorSwishBeta(const struct activating *, double *);
cudnnStatus_t cudnnActivationForward(cudnnHandle_t, const struct activating *, const void *, const struct tensor *,
                                     const void *, const void *, const struct tensor *, void *);
cudnnStatus_t cudnnActivationBackward(cudnnHandle_t, const struct activating *, const void *, const struct tensor *,
                                      const void *, const struct tensor *, const void *, const struct tensor *,
                                      const void *, const void *, const struct tensor *, void *);

static const int types[] = {DNN_F64, DNN_F32, DNN_F16, DNN_BF16};
static const double errors[] = {1e-14, 2e-6, 8e-3, 6e-2};
enum { TYPES = 4, ADD = 0, MUL, MIN, MAX, SQRT, NOT, OPERATIONS };
enum { SIGMOID, RELU, TANH, CLIPPED, ELU, IDENTITY, SWISH, MODES };

static const int whole[] = {3, 4, 5, 7}, broadcast[] = {1, 4, 1, 7}, space[] = {2, 3, 4, 3, 5};

struct pair {
    struct rig_tensor a, b, c;
    struct tensor *of_a, *of_b, *of_c;
};

static struct pair begin(int type, int count, const int *sizes, const int *sizes_b)
{
    rig_handle();
    struct pair p = {.a = rig_tensor(type, count, sizes, false, 1),
                     .b = rig_tensor(type, count, sizes_b, false, 2),
                     .c = rig_tensor(type, count, sizes, true, 3)};
    rig_fine(&p.a, 3, 4);
    rig_fine(&p.b, 3, 5);
    rig_fine(&p.c, 3, 6);
    p.of_a = rig_descriptor(&p.a);
    p.of_b = rig_descriptor(&p.b);
    p.of_c = rig_descriptor(&p.c);
    return p;
}

static void end(struct pair *p)
{
    struct tensor *all[] = {p->of_a, p->of_b, p->of_c};
    for (int i = 0; i < 3; i++)
        GOOD(cudnnDestroyTensorDescriptor(all[i]));
    rig_free(&p->a);
    rig_free(&p->b);
    rig_free(&p->c);
}

/* The element of a broadcast tensor that meets element i of another. */
static double met(const struct rig_tensor *small, const struct rig_tensor *large, int i)
{
    int at[DNN_DIMENSIONS];
    for (int d = large->count - 1; d >= 0; d--) {
        at[d] = small->sizes[d] == 1 ? 0 : i % large->sizes[d];
        i /= large->sizes[d];
    }
    return small->values[rig_place(small, at)];
}

static double operation(int which, double a, double b)
{
    switch (which) {
    case ADD: return a + b;
    case MUL: return a * b;
    case MIN: return fmin(a, b);
    case MAX: return fmax(a, b);
    case SQRT: return sqrt(a);
    default: return 1 - a;
    }
}

static void operations_take_a_broadcast_operand(void **state)
{
    (void)state;
    struct operating *how;
    GOOD(cudnnCreateOpTensorDescriptor(&how));
    for (int t = 0; t < TYPES; t++)
        for (int which = 0; which < OPERATIONS; which++) {
            struct pair p = begin(types[t], 4, whole, which % 2 ? whole : broadcast);
            /* A root has the square of nothing negative. */
            double alpha = which == SQRT ? 0 : 0.5, beta = which % 3 ? -0.5 : 0;
            int type = types[t] == DNN_F64 ? DNN_F64 : DNN_F32, told[3];
            GOOD(cudnnSetOpTensorDescriptor(how, which, type, 1));
            GOOD(cudnnGetOpTensorDescriptor(how, &told[0], &told[1], &told[2]));
            assert_true(told[0] == which && told[1] == type && told[2] == 1);
            GOOD(cudnnOpTensor(rig_handle(), how, RIG_SCALAR(type, alpha), p.of_a, rig_at(&p.a), RIG_SCALAR(type, 2),
                               p.of_b, rig_at(&p.b), RIG_SCALAR(type, beta), p.of_c, rig_at(&p.c)));
            for (int i = 0; i < rig_count(&p.c); i++) {
                double *c = &p.c.values[rig_number(&p.c, i)];
                *c = operation(which, alpha * p.a.values[rig_number(&p.a, i)], 2 * met(&p.b, &p.c, i)) + beta * *c;
            }
            rig_expect(&p.c, 10 * errors[t], "c");
            end(&p);
        }
    GOOD(cudnnDestroyOpTensorDescriptor(how));
}

static void roots_are_those_of_the_scaled_operand(void **state)
{
    (void)state;
    struct operating *how;
    struct pair p = begin(DNN_F64, 4, whole, whole);
    for (size_t i = 0; i < p.a.elements; i++)
        p.a.values[i] *= p.a.values[i];
    assert_int_equal(cuMemcpyHtoD_v2(p.a.device, p.a.values, p.a.elements * sizeof(double)), CUDA_SUCCESS);
    GOOD(cudnnCreateOpTensorDescriptor(&how));
    GOOD(cudnnSetOpTensorDescriptor(how, SQRT, DNN_F64, 0));
    GOOD(cudnnOpTensor(rig_handle(), how, RIG_SCALAR(DNN_F64, 2), p.of_a, rig_at(&p.a), NULL, NULL, NULL,
                       RIG_SCALAR(DNN_F64, 0), p.of_c, rig_at(&p.c)));
    for (int i = 0; i < rig_count(&p.c); i++)
        p.c.values[rig_number(&p.c, i)] = sqrt(2 * p.a.values[rig_number(&p.a, i)]);
    rig_expect(&p.c, 1e-14, "c");
    GOOD(cudnnDestroyOpTensorDescriptor(how));
    end(&p);
}

static void tensors_are_added_copied_scaled_and_set(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        int type = types[t];
        struct pair p = begin(type, 5, space, (int[]){1, 3, 1, 1, 5});
        char value[8];
        GOOD(cudnnAddTensor(rig_handle(), RIG_SCALAR(type, 2), p.of_b, rig_at(&p.b), RIG_SCALAR(type, 0.5), p.of_c,
                            rig_at(&p.c)));
        GOOD(cudnnTransformTensor(rig_handle(), RIG_SCALAR(type, 1), p.of_a, rig_at(&p.a), RIG_SCALAR(type, -1), p.of_c,
                                  rig_at(&p.c)));
        GOOD(cudnnScaleTensor(rig_handle(), p.of_c, rig_at(&p.c), RIG_SCALAR(type, 2)));
        for (int i = 0; i < rig_count(&p.c); i++) {
            double *c = &p.c.values[rig_number(&p.c, i)];
            *c = 2 * (p.a.values[rig_number(&p.a, i)] - (2 * met(&p.b, &p.c, i) + 0.5 * *c));
        }
        rig_expect(&p.c, 16 * errors[t], "c");
        rig_write(value, type, 0, -1.5);
        GOOD(cudnnSetTensor(rig_handle(), p.of_c, rig_at(&p.c), value));
        for (int i = 0; i < rig_count(&p.c); i++)
            p.c.values[rig_number(&p.c, i)] = -1.5;
        rig_expect(&p.c, 0, "set");
        end(&p);
    }
}

/* ---- activations ------------------------------------------------------------------------------------------------- */

static const double ceiling = 1.5, factor = 0.75;

static double activated(int mode, double x)
{
    switch (mode) {
    case SIGMOID: return 1 / (1 + exp(-x));
    case RELU: return fmax(x, 0);
    case TANH: return tanh(x);
    case CLIPPED: return fmin(fmax(x, 0), ceiling);
    case ELU: return x > 0 ? x : ceiling * (exp(x) - 1);
    default: return x / (1 + exp(-factor * x));
    }
}

static void activations_and_their_slopes_agree(void **state)
{
    (void)state;
    struct activating *how;
    GOOD(cudnnCreateActivationDescriptor(&how));
    for (int t = 0; t < TYPES; t++)
        for (int mode = 0; mode < MODES; mode++) {
            if (mode == IDENTITY)
                continue;
            int type = types[t];
            struct pair p = begin(type, 4, whole, whole);
            struct rig_tensor dx = rig_tensor(type, 4, whole, true, 9);
            const double h = 1e-6;
            GOOD(cudnnSetActivationDescriptor(how, mode, 0, ceiling));
            GOOD(cudnnSetActivationDescriptorSwishBeta(how, factor));
            GOOD(cudnnActivationForward(rig_handle(), how, RIG_SCALAR(type, 1), p.of_a, rig_at(&p.a),
                                        RIG_SCALAR(type, 0), p.of_c, rig_at(&p.c)));
            GOOD(cudnnActivationBackward(rig_handle(), how, RIG_SCALAR(type, 2), p.of_c, rig_at(&p.c), p.of_b,
                                         rig_at(&p.b), p.of_a, rig_at(&p.a), RIG_SCALAR(type, 0.5), p.of_c,
                                         rig_at(&dx)));
            for (int i = 0; i < rig_count(&p.c); i++) {
                double x = p.a.values[rig_number(&p.a, i)], *d = &dx.values[rig_number(&dx, i)];
                bool bend = (mode == RELU && x == 0) || (mode == CLIPPED && (x == 0 || x == ceiling));
                double slope = bend ? 0 : (activated(mode, x + h) - activated(mode, x - h)) / (2 * h);
                if (mode == ELU && x == 0)
                    slope = ceiling; /* that of the left side */
                p.c.values[rig_number(&p.c, i)] = activated(mode, x);
                *d = 2 * slope * p.b.values[rig_number(&p.b, i)] + 0.5 * *d;
            }
            rig_expect(&p.c, 4 * errors[t], "y");
            rig_expect(&dx, 1e-8 + 8 * errors[t], "dx");
            rig_free(&dx);
            end(&p);
        }
    GOOD(cudnnDestroyActivationDescriptor(how));
}

static void nans_pass_relus_on_request(void **state)
{
    (void)state;
    struct activating *how;
    GOOD(cudnnCreateActivationDescriptor(&how));
    for (int propagate = 0; propagate < 2; propagate++) {
        struct pair p = begin(DNN_F32, 4, whole, whole);
        float nan = NAN, found;
        assert_int_equal(cuMemcpyHtoD_v2(p.a.device, &nan, sizeof nan), CUDA_SUCCESS);
        GOOD(cudnnSetActivationDescriptor(how, RELU, propagate, 0));
        GOOD(cudnnActivationForward(rig_handle(), how, RIG_SCALAR(DNN_F32, 1), p.of_a, rig_at(&p.a),
                                    RIG_SCALAR(DNN_F32, 0), p.of_c, rig_at(&p.c)));
        assert_int_equal(cuMemcpyDtoH_v2(&found, p.c.device, sizeof found), CUDA_SUCCESS);
        assert_true(propagate ? isnan(found) : found == 0.0f);
        end(&p);
    }
    GOOD(cudnnDestroyActivationDescriptor(how));
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct operating *how;
    struct activating *activation;
    struct pair p = begin(DNN_F32, 4, whole, broadcast);
    const void *one = RIG_SCALAR(DNN_F32, 1);
    void *a = rig_at(&p.a), *b = rig_at(&p.b), *c = rig_at(&p.c);
    int mode, nan;
    double coefficient;
    GOOD(cudnnCreateOpTensorDescriptor(&how));
    GOOD(cudnnCreateActivationDescriptor(&activation));
    assert_int_equal(cudnnSetOpTensorDescriptor(how, OPERATIONS, DNN_F32, 0), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnOpTensor(rig_handle(), how, one, p.of_a, a, one, p.of_b, b, one, p.of_c, c),
                     CUDNN_STATUS_BAD_PARAM); /* it is not set */
    GOOD(cudnnSetOpTensorDescriptor(how, ADD, DNN_F64, 0));
    assert_int_equal(cudnnOpTensor(rig_handle(), how, one, p.of_a, a, one, p.of_b, b, one, p.of_c, c),
                     CUDNN_STATUS_NOT_SUPPORTED);
    GOOD(cudnnSetOpTensorDescriptor(how, ADD, DNN_F32, 0));
    assert_int_equal(cudnnOpTensor(rig_handle(), how, one, p.of_b, b, one, p.of_a, a, one, p.of_c, c),
                     CUDNN_STATUS_BAD_PARAM); /* the first operand cannot be broadcast */
    assert_int_equal(cudnnAddTensor(rig_handle(), one, p.of_a, a, one, p.of_b, b), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnTransformTensor(rig_handle(), one, p.of_b, b, one, p.of_a, a), CUDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(cudnnScaleTensor(rig_handle(), p.of_a, NULL, one), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    assert_int_equal(cudnnSetTensor(NULL, p.of_a, a, one), CUDNN_STATUS_NOT_INITIALIZED);
    assert_int_equal(cudnnSetActivationDescriptor(activation, MODES, 0, 0), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnActivationForward(rig_handle(), activation, one, p.of_a, a, one, p.of_c, c),
                     CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnSetActivationDescriptor(activation, IDENTITY, 1, 0.25));
    GOOD(cudnnGetActivationDescriptor(activation, &mode, &nan, &coefficient));
    assert_true(mode == IDENTITY && nan == 1 && coefficient == 0.25);
    GOOD(cudnnSetActivationDescriptorSwishBeta(activation, 0.5));
    GOOD(cudnnGetActivationDescriptorSwishBeta(activation, &coefficient));
    assert_true(coefficient == 0.5);
    assert_int_equal(cudnnActivationForward(rig_handle(), activation, one, p.of_a, a, one, p.of_c, c),
                     CUDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(cudnnActivationForward(rig_handle(), activation, one, p.of_a, a, one, p.of_b, b),
                     CUDNN_STATUS_BAD_PARAM);
    rig_expect(&p.c, 0, "nothing was written");
    GOOD(cudnnDestroyOpTensorDescriptor(how));
    GOOD(cudnnDestroyActivationDescriptor(activation));
    end(&p);
}

UNIT_TESTS(UNIT(operations_take_a_broadcast_operand), UNIT(roots_are_those_of_the_scaled_operand),
           UNIT(tensors_are_added_copied_scaled_and_set), UNIT(activations_and_their_slopes_agree),
           UNIT(nans_pass_relus_on_request), UNIT(wrong_arguments_have_the_documented_status))
