/* Local response normalization against the documented formula in double, and gradients against its differences. */
#include <math.h>

#include "tests/dnn/rig.h"

struct lrn;

cudnnStatus_t cudnnCreateLRNDescriptor(struct lrn **);
cudnnStatus_t cudnnDestroyLRNDescriptor(struct lrn *);
cudnnStatus_t cudnnSetLRNDescriptor(struct lrn *, unsigned, double, double, double);
cudnnStatus_t cudnnGetLRNDescriptor(const struct lrn *, unsigned *, double *, double *, double *);
cudnnStatus_t cudnnLRNCrossChannelForward(cudnnHandle_t, const struct lrn *, int, const void *, const struct tensor *,
                                          const void *, const void *, const struct tensor *, void *);
cudnnStatus_t cudnnLRNCrossChannelBackward(cudnnHandle_t, const struct lrn *, int, const void *, const struct tensor *,
                                           const void *, const struct tensor *, const void *, const struct tensor *,
                                           const void *, const void *, const struct tensor *, void *);

static const int types[] = {DNN_F64, DNN_F32, DNN_F16, DNN_BF16};
static const double errors[] = {1e-13, 1e-5, 8e-3, 8e-2};
static const unsigned windows[] = {1, 2, 5, 16};
static const int sizes[] = {2, 9, 3, 4};
static const double a = 0.5, b = 0.75, k = 1.5;
enum { TYPES = 4, WINDOWS = 4 };

struct scene {
    unsigned n;
    struct lrn *lrn;
    struct rig_tensor x, y, dy, dx;
    struct tensor *of_x, *of_y;
};

static struct scene begin(int type, unsigned n)
{
    rig_handle();
    struct scene s = {.n = n,
                      .x = rig_tensor(type, 4, sizes, false, 1),
                      .y = rig_tensor(type, 4, sizes, true, 2),
                      .dy = rig_tensor(type, 4, sizes, true, 3),
                      .dx = rig_tensor(type, 4, sizes, false, 4)};
    rig_fine(&s.x, 2, 5);
    s.of_x = rig_descriptor(&s.x);
    s.of_y = rig_descriptor(&s.y);
    GOOD(cudnnCreateLRNDescriptor(&s.lrn));
    GOOD(cudnnSetLRNDescriptor(s.lrn, n, a, b, k));
    return s;
}

static void end(struct scene *s)
{
    GOOD(cudnnDestroyLRNDescriptor(s->lrn));
    GOOD(cudnnDestroyTensorDescriptor(s->of_x));
    GOOD(cudnnDestroyTensorDescriptor(s->of_y));
    rig_free(&s->x);
    rig_free(&s->y);
    rig_free(&s->dy);
    rig_free(&s->dx);
}

/* Element i of the output. A window of even width has one channel more above than below. */
static double normalized(const struct scene *s, int i)
{
    int image = sizes[1] * sizes[2] * sizes[3], space = sizes[2] * sizes[3];
    int channel = i % image / space, first = channel - ((int)s->n - 1) / 2;
    double squares = 0;
    for (int c = first; c < first + (int)s->n; c++)
        if (c >= 0 && c < sizes[1])
            squares += pow(s->x.values[rig_number(&s->x, i + (c - channel) * space)], 2);
    return s->x.values[rig_number(&s->x, i)] * pow(k + a / s->n * squares, -b);
}

/* The sum of an image's outputs at one position, each times its gradient. */
static double loss(const struct scene *s, int i)
{
    int image = sizes[1] * sizes[2] * sizes[3], space = sizes[2] * sizes[3], first = i / image * image + i % space;
    double sum = 0;
    for (int c = 0; c < sizes[1]; c++)
        sum += normalized(s, first + c * space) * s->dy.values[rig_number(&s->dy, first + c * space)];
    return sum;
}

static void both_ways_agree_for_all_windows(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int i = 0; i < TYPES * WINDOWS; i++) {
        int type = types[i % TYPES];
        struct scene s = begin(type, windows[i / TYPES]);
        GOOD(cudnnLRNCrossChannelForward(rig_handle(), s.lrn, 0, RIG_SCALAR(type, 2), s.of_x, rig_at(&s.x),
                                         RIG_SCALAR(type, 0.5), s.of_y, rig_at(&s.y)));
        GOOD(cudnnLRNCrossChannelBackward(rig_handle(), s.lrn, 0, RIG_SCALAR(type, 2), s.of_y, rig_at(&s.y), s.of_y,
                                          rig_at(&s.dy), s.of_x, rig_at(&s.x), RIG_SCALAR(type, -1), s.of_x,
                                          rig_at(&s.dx)));
        for (int e = 0; e < rig_count(&s.x); e++) {
            double *y = &s.y.values[rig_number(&s.y, e)], *x = &s.x.values[rig_number(&s.x, e)], at = *x;
            double *dx = &s.dx.values[rig_number(&s.dx, e)];
            *y = 2 * normalized(&s, e) + 0.5 * *y;
            *x = at + h;
            double more = loss(&s, e);
            *x = at - h;
            *dx = 2 * (more - loss(&s, e)) / (2 * h) - *dx;
            *x = at;
        }
        rig_expect(&s.y, 4 * errors[i % TYPES], "y");
        rig_expect(&s.dx, 1e-8 + 8 * errors[i % TYPES], "dx");
        end(&s);
    }
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct scene s = begin(DNN_F32, 5);
    const void *one = RIG_SCALAR(DNN_F32, 1);
    unsigned n;
    double told[3];
    assert_int_equal(cudnnSetLRNDescriptor(s.lrn, 0, a, b, k), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetLRNDescriptor(s.lrn, 17, a, b, k), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetLRNDescriptor(s.lrn, 5, a, 0.001, k), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetLRNDescriptor(s.lrn, 5, a, b, 1e-6), CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnGetLRNDescriptor(s.lrn, &n, &told[0], &told[1], &told[2]));
    assert_true(n == 5 && told[0] == a && told[1] == b && told[2] == k);
    assert_int_equal(
        cudnnLRNCrossChannelForward(rig_handle(), s.lrn, 1, one, s.of_x, rig_at(&s.x), one, s.of_y, rig_at(&s.y)),
        CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnLRNCrossChannelForward(rig_handle(), s.lrn, 0, one, s.of_x, NULL, one, s.of_y, rig_at(&s.y)),
                     CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    rig_expect(&s.y, 0, "nothing was written");
    end(&s);
}

UNIT_TESTS(UNIT(both_ways_agree_for_all_windows), UNIT(wrong_arguments_have_the_documented_status))
