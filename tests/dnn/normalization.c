/* Batch normalization in training and in use, and its gradients, against sums in double on the host. */
#include <math.h>

#include "tests/dnn/rig.h"

cudnnStatus_t cudnnBatchNormalizationForwardTraining(cudnnHandle_t, int, const void *, const void *,
                                                     const struct tensor *, const void *, const struct tensor *, void *,
                                                     const struct tensor *, const void *, const void *, double, void *,
                                                     void *, double, void *, void *);
cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t, int, const void *, const void *,
                                                      const struct tensor *, const void *, const struct tensor *,
                                                      void *, const struct tensor *, const void *, const void *,
                                                      const void *, const void *, double);
cudnnStatus_t cudnnBatchNormalizationBackward(cudnnHandle_t, int, const void *, const void *, const void *,
                                              const void *, const struct tensor *, const void *, const struct tensor *,
                                              const void *, const struct tensor *, void *, const struct tensor *,
                                              const void *, void *, void *, double, const void *, const void *);

enum { IMAGES = 3, CHANNELS = 4, HEIGHT = 5, WIDTH = 6, EACH = 0, SPATIAL = 1 };
static const double epsilon = 1e-3, factor = 0.25;

static const struct form {
    int type, mode;
    bool last;
    double error;
} forms[] = {{DNN_F32, SPATIAL, false, 1e-5},   {DNN_F32, SPATIAL, true, 1e-5}, {DNN_F64, SPATIAL, false, 1e-13},
             {DNN_F64, EACH, true, 1e-13},      {DNN_F32, EACH, false, 1e-5},   {DNN_F16, SPATIAL, true, 4e-3},
             {DNN_BF16, SPATIAL, false, 2.5e-2}};
enum { FORMS = sizeof forms / sizeof forms[0] };

struct batch {
    const struct form *form;
    struct rig_tensor x, y, dy, dx, scale, bias, mean, inverse, running_mean, running_variance, dscale, dbias;
    struct tensor *whole, *parameters;
    unsigned sets; /* of parameters */
};

static struct batch batch_of(const struct form *f)
{
    const int sizes[] = {IMAGES, CHANNELS, HEIGHT, WIDTH};
    const int set[] = {1, CHANNELS, f->mode == EACH ? HEIGHT : 1, f->mode == EACH ? WIDTH : 1};
    int type = f->type == DNN_F64 ? DNN_F64 : DNN_F32;
    struct batch b = {.form = f, .sets = (unsigned)(set[1] * set[2] * set[3])};
    struct rig_tensor *wholes[] = {&b.x, &b.y, &b.dy, &b.dx};
    struct rig_tensor *sets[] = {&b.scale,  &b.bias, &b.mean, &b.inverse, &b.running_mean, &b.running_variance,
                                 &b.dscale, &b.dbias};
    for (unsigned i = 0; i < 4; i++)
        *wholes[i] = rig_tensor(f->type, 4, sizes, f->last, i + 1);
    for (unsigned i = 0; i < 8; i++)
        *sets[i] = rig_tensor(type, 4, set, false, i + 11);
    b.whole = rig_descriptor(&b.x);
    b.parameters = rig_descriptor(&b.scale);
    return b;
}

static void release(struct batch *b)
{
    struct rig_tensor *all[] = {&b->x,      &b->y,    &b->dy,      &b->dx,           &b->scale,
                                &b->bias,   &b->mean, &b->inverse, &b->running_mean, &b->running_variance,
                                &b->dscale, &b->dbias};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rig_free(all[i]);
    GOOD(cudnnDestroyTensorDescriptor(b->whole));
    GOOD(cudnnDestroyTensorDescriptor(b->parameters));
}

/* Which elements share set `set`: its element number `i` of `*count`. */
static size_t element(const struct batch *b, unsigned set, int i, int *count)
{
    int positions = HEIGHT * WIDTH;
    bool each = b->form->mode == EACH;
    int channel = each ? (int)set / positions : (int)set, position = each ? (int)set % positions : i % positions;
    int at[DNN_DIMENSIONS] = {each ? i : i / positions, channel, position / WIDTH, position % WIDTH};
    *count = each ? IMAGES : IMAGES * positions;
    return rig_place(&b->x, at);
}

struct moments {
    double mean, square, inverse;
    int count;
};

static struct moments moments_of(const struct batch *b, unsigned set)
{
    struct moments m = {0};
    element(b, set, 0, &m.count);
    for (int i = 0; i < m.count; i++)
        m.mean += b->x.values[element(b, set, i, &m.count)] / m.count;
    for (int i = 0; i < m.count; i++)
        m.square += pow(b->x.values[element(b, set, i, &m.count)] - m.mean, 2);
    m.inverse = 1 / sqrt(m.square / m.count + epsilon);
    return m;
}

static void expect_forward(struct batch *b, unsigned set)
{
    struct moments m = moments_of(b, set);
    for (int i = 0; i < m.count; i++) {
        size_t at = element(b, set, i, &m.count);
        b->y.values[at] = (b->x.values[at] - m.mean) * m.inverse * b->scale.values[set] + b->bias.values[set];
    }
    b->mean.values[set] = m.mean;
    b->inverse.values[set] = m.inverse;
    b->running_mean.values[set] = (1 - factor) * b->running_mean.values[set] + factor * m.mean;
    b->running_variance.values[set] =
        (1 - factor) * b->running_variance.values[set] + factor * m.square / (m.count - 1);
}

static void expect_backward(struct batch *b, unsigned set)
{
    struct moments m = moments_of(b, set);
    double all = 0, along = 0;
    for (int i = 0; i < m.count; i++) {
        size_t at = element(b, set, i, &m.count);
        all += b->dy.values[at];
        along += b->dy.values[at] * (b->x.values[at] - m.mean) * m.inverse;
    }
    for (int i = 0; i < m.count; i++) {
        size_t at = element(b, set, i, &m.count);
        double normalized = (b->x.values[at] - m.mean) * m.inverse;
        b->dx.values[at] =
            b->scale.values[set] * m.inverse * (b->dy.values[at] - all / m.count - normalized * along / m.count);
    }
    b->dscale.values[set] = along;
    b->dbias.values[set] = all;
}

/* Scalars in the type of the parameters. */
static const double one = 1, zero = 0;
static const float one_f = 1, zero_f = 0;
#define ONE(b) ((b)->form->type == DNN_F64 ? (const void *)&one : &one_f)
#define ZERO(b) ((b)->form->type == DNN_F64 ? (const void *)&zero : &zero_f)

static cudnnStatus_t forward(const struct batch *b)
{
    return cudnnBatchNormalizationForwardTraining(
        rig_handle(), b->form->mode, ONE(b), ZERO(b), b->whole, rig_at(&b->x), b->whole, rig_at(&b->y), b->parameters,
        rig_at(&b->scale), rig_at(&b->bias), factor, rig_at(&b->running_mean), rig_at(&b->running_variance), epsilon,
        rig_at(&b->mean), rig_at(&b->inverse));
}

static cudnnStatus_t backward(const struct batch *b, bool saved)
{
    return cudnnBatchNormalizationBackward(
        rig_handle(), b->form->mode, ONE(b), ZERO(b), ONE(b), ZERO(b), b->whole, rig_at(&b->x), b->whole,
        rig_at(&b->dy), b->whole, rig_at(&b->dx), b->parameters, rig_at(&b->scale), rig_at(&b->dscale),
        rig_at(&b->dbias), epsilon, saved ? rig_at(&b->mean) : NULL, saved ? rig_at(&b->inverse) : NULL);
}

static void training_and_gradients_agree_with_sums_in_double(void **state)
{
    (void)state;
    rig_handle();
    for (size_t f = 0; f < FORMS; f++) {
        double error = forms[f].error, narrow = forms[f].type == DNN_F64 ? 1e-12 : 2e-4;
        struct batch b = batch_of(&forms[f]);
        GOOD(forward(&b));
        GOOD(backward(&b, f % 2 == 0));
        for (unsigned set = 0; set < b.sets; set++) {
            expect_forward(&b, set);
            expect_backward(&b, set);
        }
        rig_expect(&b.y, 8 * error, "y");
        rig_expect(&b.dx, 32 * error, "dx");
        rig_expect(&b.mean, narrow, "mean");
        rig_expect(&b.inverse, 32 * narrow, "inverse");
        rig_expect(&b.running_mean, narrow, "running mean");
        rig_expect(&b.running_variance, narrow, "running variance");
        rig_expect(&b.dscale, narrow, "gradient of the scale");
        rig_expect(&b.dbias, narrow, "gradient of the bias");
        release(&b);
    }
}

static void inference_takes_the_running_moments(void **state)
{
    (void)state;
    rig_handle();
    for (size_t f = 0; f < FORMS; f++) {
        struct batch b = batch_of(&forms[f]);
        for (unsigned set = 0; set < b.sets; set++) {
            int count;
            element(&b, set, 0, &count);
            double inverse = 1 / sqrt(pow(b.scale.values[set], 2) + epsilon);
            for (int i = 0; i < count; i++) {
                size_t at = element(&b, set, i, &count);
                b.y.values[at] = (b.x.values[at] - b.bias.values[set]) * inverse + b.bias.values[set];
            }
        }
        /* The bias is the mean too, and a scale of 1 is null. The variances are squares. */
        void *square = malloc(b.sets * rig_size(b.scale.type));
        assert_non_null(square);
        for (unsigned set = 0; set < b.sets; set++)
            rig_write(square, b.scale.type, set, pow(b.scale.values[set], 2));
        assert_int_equal(cuMemcpyHtoD_v2(b.inverse.device, square, b.sets * rig_size(b.scale.type)), CUDA_SUCCESS);
        free(square);
        GOOD(cudnnBatchNormalizationForwardInference(rig_handle(), forms[f].mode, ONE(&b), ZERO(&b), b.whole,
                                                     rig_at(&b.x), b.whole, rig_at(&b.y), b.parameters, NULL,
                                                     rig_at(&b.bias), rig_at(&b.bias), rig_at(&b.inverse), epsilon));
        rig_expect(&b.y, 100 * forms[f].error, "y");
        release(&b);
    }
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    rig_handle();
    struct form wrong = forms[0];
    struct batch b = batch_of(&wrong);
    wrong.mode = 3;
    assert_int_equal(forward(&b), CUDNN_STATUS_BAD_PARAM);
    wrong.mode = SPATIAL;
    struct tensor *kept = b.parameters;
    b.parameters = NULL;
    assert_int_equal(forward(&b), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    b.parameters = kept;
    kept->shape.type = DNN_F64;
    assert_int_equal(forward(&b), CUDNN_STATUS_NOT_SUPPORTED);
    kept->shape.type = DNN_F32;
    GOOD(forward(&b));
    release(&b);
}

UNIT_TESTS(UNIT(training_and_gradients_agree_with_sums_in_double), UNIT(inference_takes_the_running_moments),
           UNIT(wrong_arguments_have_the_documented_status))
