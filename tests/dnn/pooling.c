/* Pooling and its gradient against loops in double on the host. */
#include <math.h>

#include "tests/dnn/rig.h"

struct pooling;

cudnnStatus_t cudnnCreatePoolingDescriptor(struct pooling **);
cudnnStatus_t cudnnDestroyPoolingDescriptor(struct pooling *);
cudnnStatus_t cudnnSetPoolingNdDescriptor(struct pooling *, int, int, int, const int *, const int *, const int *);
cudnnStatus_t cudnnSetPooling2dDescriptor(struct pooling *, int, int, int, int, int, int, int, int);
cudnnStatus_t cudnnGetPooling2dDescriptor(const struct pooling *, int *, int *, int *, int *, int *, int *, int *,
                                          int *);
cudnnStatus_t cudnnGetPoolingNdForwardOutputDim(const struct pooling *, const struct tensor *, int, int *);
cudnnStatus_t cudnnGetPooling2dForwardOutputDim(const struct pooling *, const struct tensor *, int *, int *, int *,
                                                int *);
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t, const struct pooling *, const void *, const struct tensor *,
                                  const void *, const void *, const struct tensor *, void *);
cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t, const struct pooling *, const void *, const struct tensor *,
                                   const void *, const struct tensor *, const void *, const struct tensor *,
                                   const void *, const void *, const struct tensor *, void *);

enum { MAX, MEAN_OF_WINDOW, MEAN, MAX_IN_ORDER, MODES };

static const struct form {
    int type;
    double error;
    bool last;
    int space, in[5], window[3], padding[3], stride[3];
} forms[] = {
    {DNN_F64, 1e-13, false, 2, {2, 3, 8, 9}, {3, 2}, {1, 0}, {2, 2}},
    {DNN_F64, 1e-13, true, 2, {2, 3, 8, 9}, {3, 3}, {2, 1}, {1, 2}},
    {DNN_F32, 1e-5, true, 3, {2, 3, 5, 4, 6}, {2, 3, 2}, {1, 1, 0}, {2, 1, 3}},
    {DNN_F16, 2e-2, false, 1, {2, 3, 19}, {4}, {2}, {3}},
    {DNN_BF16, 1e-1, false, 2, {1, 2, 7, 7}, {2, 2}, {0, 0}, {2, 2}},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

struct scene {
    const struct form *form;
    int mode;
    struct pooling *pooling;
    struct rig_tensor x, y, dy, dx;
    struct tensor *of_x, *of_y;
};

static struct scene begin(const struct form *f, int mode)
{
    struct scene s = {.form = f, .mode = mode};
    int out[5];
    rig_handle();
    GOOD(cudnnCreatePoolingDescriptor(&s.pooling));
    GOOD(cudnnSetPoolingNdDescriptor(s.pooling, mode, 0, f->space, f->window, f->padding, f->stride));
    s.x = rig_tensor(f->type, 2 + f->space, f->in, f->last, 1);
    s.dx = rig_tensor(f->type, 2 + f->space, f->in, f->last, 2);
    rig_fine(&s.x, 3, 3); /* few values: many are equal */
    s.of_x = rig_descriptor(&s.x);
    GOOD(cudnnGetPoolingNdForwardOutputDim(s.pooling, s.of_x, 2 + f->space, out));
    for (int d = 0; d < f->space; d++)
        assert_int_equal(out[2 + d], (f->in[2 + d] + 2 * f->padding[d] - f->window[d]) / f->stride[d] + 1);
    s.y = rig_tensor(f->type, 2 + f->space, out, f->last, 4);
    s.dy = rig_tensor(f->type, 2 + f->space, out, f->last, 5);
    s.of_y = rig_descriptor(&s.y);
    return s;
}

static void end(struct scene *s)
{
    GOOD(cudnnDestroyPoolingDescriptor(s->pooling));
    GOOD(cudnnDestroyTensorDescriptor(s->of_x));
    GOOD(cudnnDestroyTensorDescriptor(s->of_y));
    rig_free(&s->x);
    rig_free(&s->y);
    rig_free(&s->dx);
    rig_free(&s->dy);
}

/* The places of the elements that the window of output i has, in order. Returns how many there are. */
static int window_of(const struct scene *s, int i, size_t places[64])
{
    const struct form *f = s->form;
    int at[5], in[5], size = 1, found = 0;
    for (int d = s->y.count - 1; d >= 0; d--) {
        at[d] = i % s->y.sizes[d];
        i /= s->y.sizes[d];
    }
    for (int d = 0; d < f->space; d++)
        size *= f->window[d];
    for (int k = 0; k < size; k++) {
        bool inside = true;
        in[0] = at[0];
        in[1] = at[1];
        for (int d = f->space - 1, rest = k; d >= 0; d--) {
            in[2 + d] = at[2 + d] * f->stride[d] - f->padding[d] + rest % f->window[d];
            rest /= f->window[d];
            inside = inside && in[2 + d] >= 0 && in[2 + d] < f->in[2 + d];
        }
        if (inside)
            places[found++] = rig_place(&s->x, in);
    }
    return found;
}

static int divisor(const struct scene *s, int found)
{
    int size = 1;
    for (int d = 0; d < s->form->space; d++)
        size *= s->form->window[d];
    return s->mode == MEAN_OF_WINDOW ? size : found;
}

/* The place of the first maximum. */
static size_t first(const struct scene *s, const size_t *places, int found)
{
    size_t best = places[0];
    for (int k = 1; k < found; k++)
        if (s->x.values[places[k]] > s->x.values[best])
            best = places[k];
    return best;
}

static void expect_both_ways(const struct scene *s)
{
    size_t places[64];
    for (int i = 0; i < rig_count(&s->dx); i++)
        s->dx.values[rig_number(&s->dx, i)] *= 0.5;
    for (int i = 0; i < rig_count(&s->y); i++) {
        int found = window_of(s, i, places);
        double *y = &s->y.values[rig_number(&s->y, i)], dy = s->dy.values[rig_number(&s->dy, i)], sum = 0;
        assert_true(found > 0);
        if (s->mode == MAX || s->mode == MAX_IN_ORDER) {
            sum = s->x.values[first(s, places, found)];
            s->dx.values[first(s, places, found)] += 2 * dy;
        } else {
            for (int k = 0; k < found; k++) {
                sum += s->x.values[places[k]] / divisor(s, found);
                s->dx.values[places[k]] += 2 * dy / divisor(s, found);
            }
        }
        *y = 2 * sum - *y;
    }
}

static void maxima_and_means_agree_on_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS * MODES; i++) {
        struct scene s = begin(&forms[i / MODES], i % MODES);
        int type = s.form->type;
        GOOD(cudnnPoolingForward(rig_handle(), s.pooling, RIG_SCALAR(type, 2), s.of_x, rig_at(&s.x),
                                 RIG_SCALAR(type, -1), s.of_y, rig_at(&s.y)));
        GOOD(cudnnPoolingBackward(rig_handle(), s.pooling, RIG_SCALAR(type, 2), s.of_y, rig_at(&s.y), s.of_y,
                                  rig_at(&s.dy), s.of_x, rig_at(&s.x), RIG_SCALAR(type, 0.5), s.of_x, rig_at(&s.dx)));
        expect_both_ways(&s);
        rig_expect(&s.y, s.form->error, "y");
        rig_expect(&s.dx, s.form->error, "dx");
        end(&s);
    }
}

static void nans_pass_maxima_on_request(void **state)
{
    (void)state;
    for (int propagate = 0; propagate < 2; propagate++) {
        struct scene s = begin(&forms[0], MAX);
        double nan = NAN, found;
        GOOD(cudnnSetPooling2dDescriptor(s.pooling, MAX, propagate, 3, 2, 1, 0, 2, 2));
        assert_int_equal(cuMemcpyHtoD_v2(s.x.device, &nan, sizeof nan), CUDA_SUCCESS);
        GOOD(cudnnPoolingForward(rig_handle(), s.pooling, RIG_SCALAR(DNN_F64, 1), s.of_x, rig_at(&s.x),
                                 RIG_SCALAR(DNN_F64, 0), s.of_y, rig_at(&s.y)));
        assert_int_equal(cuMemcpyDtoH_v2(&found, s.y.device, sizeof found), CUDA_SUCCESS);
        double expected = fmax(s.x.values[1], fmax(s.x.values[9], s.x.values[10]));
        assert_true(propagate ? isnan(found) : found == expected);
        end(&s);
    }
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct scene s = begin(&forms[0], MAX);
    const void *one = RIG_SCALAR(DNN_F64, 1);
    int n[8];
    assert_int_equal(cudnnSetPooling2dDescriptor(s.pooling, MODES, 0, 3, 2, 1, 0, 2, 2), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetPooling2dDescriptor(s.pooling, MAX, 2, 3, 2, 1, 0, 2, 2), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetPooling2dDescriptor(s.pooling, MAX, 0, 3, 0, 1, 0, 2, 2), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetPooling2dDescriptor(s.pooling, MAX, 0, 3, 2, 1, 0, 2, 0), CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnGetPooling2dDescriptor(s.pooling, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]));
    assert_memory_equal(n, ((int[]){MAX, 0, 3, 2, 1, 0, 2, 2}), sizeof n);
    GOOD(cudnnGetPooling2dForwardOutputDim(s.pooling, s.of_x, &n[0], &n[1], &n[2], &n[3]));
    assert_memory_equal(n, ((int[]){2, 3, 4, 4}), 4 * sizeof n[0]);
    assert_int_equal(cudnnGetPoolingNdForwardOutputDim(s.pooling, s.of_x, 5, n), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnPoolingForward(rig_handle(), s.pooling, one, s.of_x, rig_at(&s.x), one, s.of_x, rig_at(&s.y)),
                     CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnPoolingForward(rig_handle(), s.pooling, one, s.of_x, NULL, one, s.of_y, rig_at(&s.y)),
                     CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    assert_int_equal(cudnnPoolingBackward(rig_handle(), s.pooling, one, s.of_y, rig_at(&s.y), s.of_x, rig_at(&s.dy),
                                          s.of_x, rig_at(&s.x), one, s.of_x, rig_at(&s.dx)),
                     CUDNN_STATUS_BAD_PARAM);
    rig_expect(&s.y, 0, "nothing was written");
    end(&s);
}

UNIT_TESTS(UNIT(maxima_and_means_agree_on_both_ways), UNIT(nans_pass_maxima_on_request),
           UNIT(wrong_arguments_have_the_documented_status))
