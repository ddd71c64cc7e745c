/* Softmax over images and channels, and its gradient, against sums in double on the host. */
#include <math.h>

#include "tests/dnn/rig.h"

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t, int, int, const void *, const struct tensor *, const void *,
                                  const void *, const struct tensor *, void *);
cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t, int, int, const void *, const struct tensor *, const void *,
                                   const struct tensor *, const void *, const void *, const struct tensor *, void *);

static const int types[] = {DNN_F64, DNN_F32, DNN_F16, DNN_BF16};
static const double errors[] = {1e-13, 1e-5, 1e-2, 6e-2};
enum { TYPES = 4, FAST = 0, ACCURATE, LOG, ALGORITHMS, OF_IMAGES = 0, OF_CHANNELS };
static const int flat[] = {3, 5, 4, 7}, deep[] = {2, 37, 2, 3, 2};

struct scene {
    struct rig_tensor x, y, dy;
    struct tensor *of_x, *of_y;
    int sets, each, inner;
};

/* The result has its channels last in memory, the others first. */
static struct scene begin(int type, bool with_depth, int mode)
{
    const int *sizes = with_depth ? deep : flat;
    int count = with_depth ? 5 : 4, space = 1;
    rig_handle();
    struct scene s = {.x = rig_tensor(type, count, sizes, false, 1),
                      .y = rig_tensor(type, count, sizes, true, 2),
                      .dy = rig_tensor(type, count, sizes, false, 3)};
    rig_fine(&s.x, 3, 4);
    rig_fine(&s.y, 1, 5);
    s.of_x = rig_descriptor(&s.x);
    s.of_y = rig_descriptor(&s.y);
    for (int d = 2; d < count; d++)
        space *= sizes[d];
    s.inner = mode == OF_CHANNELS ? space : 1;
    s.each = mode == OF_CHANNELS ? sizes[1] : sizes[1] * space;
    s.sets = rig_count(&s.x) / s.each;
    return s;
}

static void end(struct scene *s)
{
    GOOD(cudnnDestroyTensorDescriptor(s->of_x));
    GOOD(cudnnDestroyTensorDescriptor(s->of_y));
    rig_free(&s->x);
    rig_free(&s->y);
    rig_free(&s->dy);
}

/* Element k of a set. */
static double *at(const struct scene *s, const struct rig_tensor *t, int set, int k)
{
    return &t->values[rig_number(t, (set / s->inner * s->each + k) * s->inner + set % s->inner)];
}

static void expect_forward(const struct scene *s, int algorithm, double alpha, double beta)
{
    for (int set = 0; set < s->sets; set++) {
        double sum = 0;
        for (int k = 0; k < s->each; k++)
            sum += exp(*at(s, &s->x, set, k));
        for (int k = 0; k < s->each; k++) {
            double x = *at(s, &s->x, set, k), *y = at(s, &s->y, set, k);
            *y = alpha * (algorithm == LOG ? x - log(sum) : exp(x) / sum) + beta * *y;
        }
    }
}

/* The gradient takes the place of x. */
static void expect_backward(const struct scene *s, int algorithm, double alpha, double beta)
{
    for (int set = 0; set < s->sets; set++) {
        double sum = 0;
        for (int k = 0; k < s->each; k++)
            sum += *at(s, &s->dy, set, k) * (algorithm == LOG ? 1 : *at(s, &s->y, set, k));
        for (int k = 0; k < s->each; k++) {
            double y = *at(s, &s->y, set, k), dy = *at(s, &s->dy, set, k), *dx = at(s, &s->x, set, k);
            *dx = alpha * (algorithm == LOG ? dy - exp(y) * sum : y * (dy - sum)) + beta * *dx;
        }
    }
}

static void both_ways_agree_for_images_and_channels(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES * ALGORITHMS * 2 * 2; i++) {
        int t = i % TYPES, algorithm = i / TYPES % ALGORITHMS, mode = i / TYPES / ALGORITHMS % 2, type = types[t];
        struct scene s = begin(type, i / TYPES / ALGORITHMS / 2, mode);
        double beta = algorithm == FAST ? 0 : 0.5;
        GOOD(cudnnSoftmaxForward(rig_handle(), algorithm, mode, RIG_SCALAR(type, 2), s.of_x, rig_at(&s.x),
                                 RIG_SCALAR(type, beta), s.of_y, rig_at(&s.y)));
        expect_forward(&s, algorithm, 2, beta);
        rig_expect(&s.y, 4 * errors[t], "y");
        rig_fine(&s.y, 1, 6); /* any numbers: the formula does not ask where they came from */
        GOOD(cudnnSoftmaxBackward(rig_handle(), algorithm, mode, RIG_SCALAR(type, 0.5), s.of_y, rig_at(&s.y), s.of_x,
                                  rig_at(&s.dy), RIG_SCALAR(type, beta), s.of_x, rig_at(&s.x)));
        expect_backward(&s, algorithm, 0.5, beta);
        rig_expect(&s.x, 100 * errors[t], "dx");
        end(&s);
    }
}

static void only_the_fast_algorithm_overflows(void **state)
{
    (void)state;
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
        struct scene s = begin(DNN_F32, false, OF_IMAGES);
        for (size_t i = 0; i < s.x.elements; i++)
            s.x.values[i] *= 1000;
        float *narrow = malloc(s.x.elements * sizeof *narrow), found;
        for (size_t i = 0; i < s.x.elements; i++)
            narrow[i] = (float)s.x.values[i];
        assert_int_equal(cuMemcpyHtoD_v2(s.x.device, narrow, s.x.elements * sizeof *narrow), CUDA_SUCCESS);
        GOOD(cudnnSoftmaxForward(rig_handle(), algorithm, OF_IMAGES, RIG_SCALAR(DNN_F32, 1), s.of_x, rig_at(&s.x),
                                 RIG_SCALAR(DNN_F32, 0), s.of_x, rig_at(&s.x)));
        bool good = true;
        for (size_t i = 0; i + 3 < s.x.elements; i++) {
            assert_int_equal(cuMemcpyDtoH_v2(&found, s.x.device + 4 * i, sizeof found), CUDA_SUCCESS);
            good = good && isfinite(found);
        }
        assert_int_equal(good, algorithm != FAST);
        free(narrow);
        end(&s);
    }
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct scene s = begin(DNN_F32, false, OF_IMAGES), other = begin(DNN_F32, true, OF_IMAGES);
    const void *one = RIG_SCALAR(DNN_F32, 1);
    void *x = rig_at(&s.x), *y = rig_at(&s.y);
    assert_int_equal(cudnnSoftmaxForward(rig_handle(), 3, 0, one, s.of_x, x, one, s.of_y, y), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSoftmaxForward(rig_handle(), 0, 2, one, s.of_x, x, one, s.of_y, y), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSoftmaxForward(rig_handle(), 0, 0, one, s.of_x, x, one, other.of_y, y),
                     CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSoftmaxForward(rig_handle(), 0, 0, one, s.of_x, NULL, one, s.of_y, y),
                     CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    assert_int_equal(cudnnSoftmaxForward(NULL, 0, 0, one, s.of_x, x, one, s.of_y, y), CUDNN_STATUS_NOT_INITIALIZED);
    assert_int_equal(cudnnSoftmaxBackward(rig_handle(), 0, 0, one, s.of_y, y, s.of_x, x, one, NULL, x),
                     CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    rig_expect(&s.y, 0, "nothing was written");
    end(&s);
    end(&other);
}

UNIT_TESTS(UNIT(both_ways_agree_for_images_and_channels), UNIT(only_the_fast_algorithm_overflows),
           UNIT(wrong_arguments_have_the_documented_status))
