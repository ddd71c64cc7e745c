/* Connectionist temporal classification against a sum over all paths. Gradients are compared with differences of it. */
#include <math.h>

#include "driver/abi/api_stream.h"
#include "tests/dnn/rig.h"

struct ctc;

cudnnStatus_t cudnnCreateCTCLossDescriptor(struct ctc **);
cudnnStatus_t cudnnDestroyCTCLossDescriptor(struct ctc *);
cudnnStatus_t cudnnSetCTCLossDescriptor(struct ctc *, int);
cudnnStatus_t cudnnSetCTCLossDescriptorEx(struct ctc *, int, int, int);
cudnnStatus_t cudnnSetCTCLossDescriptor_v8(struct ctc *, int, int, int, int);
cudnnStatus_t cudnnSetCTCLossDescriptor_v9(struct ctc *, int, int, int, int);
cudnnStatus_t cudnnGetCTCLossDescriptor_v8(const struct ctc *, int *, int *, int *, int *);
cudnnStatus_t cudnnGetCTCLossDescriptor_v9(const struct ctc *, int *, int *, int *, int *);
cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t, const struct tensor *, const struct tensor *, const int *,
                                           const int *, const int *, int, const struct ctc *, size_t *);
cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t, int, const struct ctc *, const struct tensor *,
                                              const struct tensor *, size_t *);
cudnnStatus_t cudnnCTCLoss(cudnnHandle_t, const struct tensor *, const void *, const int *, const int *, const int *,
                           void *, const struct tensor *, void *, int, const struct ctc *, void *, size_t);
cudnnStatus_t cudnnCTCLoss_v8(cudnnHandle_t, int, const struct ctc *, const struct tensor *, const void *, const int *,
                              const int *, const int *, void *, const struct tensor *, void *, size_t, void *);

enum { STEPS = 5, SAMPLES = 7, CLASSES = 4, PATHS = 1024, LABELS = 14 };
static const int sizes[] = {STEPS, SAMPLES, CLASSES};
/* Equal neighbours, an empty label, one that fills its steps, one that is too long, and one without steps. */
static const int labels[LABELS] = {1, 2, 2, 2, 3, 1, 1, 3, 2, 1, 1, 3, 3, 3};
static const int label_lengths[SAMPLES] = {2, 2, 0, 3, 3, 1, 3}, input_lengths[SAMPLES] = {5, 4, 3, 3, 2, 5, 5};

struct scene {
    struct ctc *ctc;
    struct rig_tensor x, dx, costs;
    struct tensor *of_x;
    CUdeviceptr work, labels;
    size_t bytes;
};

static struct scene begin(int softmax, int skip)
{
    rig_handle();
    struct scene s = {.x = rig_tensor(DNN_F32, 3, sizes, false, 1),
                      .dx = rig_tensor(DNN_F32, 3, sizes, false, 2),
                      .costs = rig_tensor(DNN_F32, 1, (int[]){SAMPLES}, false, 3)};
    size_t other;
    rig_fine(&s.x, 2, 4);
    s.of_x = rig_descriptor(&s.x);
    GOOD(cudnnCreateCTCLossDescriptor(&s.ctc));
    GOOD(cudnnSetCTCLossDescriptor_v9(s.ctc, DNN_F32, softmax, skip, 3));
    GOOD(cudnnGetCTCLossWorkspaceSize(rig_handle(), s.of_x, s.of_x, labels, label_lengths, input_lengths, 0, s.ctc,
                                      &s.bytes));
    GOOD(cudnnGetCTCLossWorkspaceSize_v8(rig_handle(), 0, s.ctc, s.of_x, s.of_x, &other));
    s.bytes = other > s.bytes ? other : s.bytes;
    assert_int_equal(cuMemAlloc_v2(&s.work, s.bytes), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&s.labels, sizeof labels + sizeof label_lengths + sizeof input_lengths),
                     CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(s.labels, labels, sizeof labels), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(s.labels + sizeof labels, label_lengths, sizeof label_lengths), CUDA_SUCCESS);
    assert_int_equal(
        cuMemcpyHtoD_v2(s.labels + sizeof labels + sizeof label_lengths, input_lengths, sizeof input_lengths),
        CUDA_SUCCESS);
    return s;
}

static void end(struct scene *s)
{
    GOOD(cudnnDestroyCTCLossDescriptor(s->ctc));
    GOOD(cudnnDestroyTensorDescriptor(s->of_x));
    assert_int_equal(cuMemFree_v2(s->work), CUDA_SUCCESS);
    assert_int_equal(cuMemFree_v2(s->labels), CUDA_SUCCESS);
    rig_free(&s->x);
    rig_free(&s->dx);
    rig_free(&s->costs);
}

static double *at(const struct rig_tensor *t, int step, int n, int c)
{
    return &t->values[(step * SAMPLES + n) * CLASSES + c];
}

static double probability(const struct scene *s, int step, int n, int c)
{
    double sum = 0;
    for (int k = 0; k < CLASSES; k++)
        sum += exp(*at(&s->x, step, n, k));
    return exp(*at(&s->x, step, n, c)) / sum;
}

/* Whether a path, without repetitions and blanks, is the label of a sample. */
static bool spells(int path, int n)
{
    const int *label = labels;
    int found = 0, before = 0;
    for (int k = 0; k < n; k++)
        label += label_lengths[k];
    for (int t = 0; t < input_lengths[n]; t++, path /= CLASSES) {
        int c = path % CLASSES;
        if (c != 0 && c != before) {
            if (found == label_lengths[n] || label[found] != c)
                return false;
            found++;
        }
        before = c;
    }
    return found == label_lengths[n];
}

/* The cost of a sample, and 0 if its label cannot be spelt. */
static double cost(const struct scene *s, int n)
{
    double sum = 0;
    int paths = 1;
    for (int t = 0; t < input_lengths[n]; t++)
        paths *= CLASSES;
    assert_true(paths <= PATHS);
    for (int path = 0; path < paths; path++) {
        double product = 1;
        for (int t = 0, rest = path; t < input_lengths[n]; t++, rest /= CLASSES)
            product *= probability(s, t, n, rest % CLASSES);
        sum += spells(path, n) ? product : 0;
    }
    return sum > 0 ? -log(sum) : 0;
}

static void expect(struct scene *s, bool skip)
{
    const double h = 1e-5;
    for (int n = 0; n < SAMPLES; n++) {
        s->costs.values[n] = cost(s, n);
        for (int t = 0; t < STEPS; t++)
            for (int c = 0; c < CLASSES; c++) {
                double *x = at(&s->x, t, n, c), kept = *x;
                *x = kept + h;
                double more = cost(s, n);
                *x = kept - h;
                double slope = (more - cost(s, n)) / (2 * h);
                *x = kept;
                if (!skip || s->costs.values[n] > 0)
                    *at(&s->dx, t, n, c) = slope;
            }
    }
    rig_expect(&s->costs, 1e-5, "cost");
    rig_expect(&s->dx, 1e-5, "gradient");
}

static cudnnStatus_t from_host(const struct scene *s, void *gradients)
{
    return cudnnCTCLoss(rig_handle(), s->of_x, rig_at(&s->x), labels, label_lengths, input_lengths, rig_at(&s->costs),
                        s->of_x, gradients, 0, s->ctc, (void *)(uintptr_t)s->work, s->bytes);
}

static cudnnStatus_t from_device(const struct scene *s)
{
    const int *device = (const int *)(uintptr_t)s->labels;
    return cudnnCTCLoss_v8(rig_handle(), 0, s->ctc, s->of_x, rig_at(&s->x), device, device + LABELS,
                           device + LABELS + SAMPLES, rig_at(&s->costs), s->of_x, rig_at(&s->dx), s->bytes,
                           (void *)(uintptr_t)s->work);
}

static void costs_are_sums_over_all_paths(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool skip = i % 2;
        struct scene s = begin(1, skip);
        GOOD(i < 2 ? from_host(&s, rig_at(&s.dx)) : from_device(&s));
        expect(&s, skip);
        end(&s);
    }
}

static void probabilities_give_the_gradients_before_softmax(void **state)
{
    (void)state;
    struct scene s = begin(0, 0);
    float narrow[STEPS * SAMPLES * CLASSES];
    for (int i = 0; i < STEPS * SAMPLES * CLASSES; i++)
        narrow[i] = (float)probability(&s, i / (SAMPLES * CLASSES), i / CLASSES % SAMPLES, i % CLASSES);
    assert_int_equal(cuMemcpyHtoD_v2(s.x.device, narrow, sizeof narrow), CUDA_SUCCESS);
    GOOD(from_host(&s, rig_at(&s.dx)));
    expect(&s, false);
    end(&s);
}

static void costs_come_without_gradients(void **state)
{
    (void)state;
    struct scene s = begin(1, 0);
    GOOD(from_host(&s, NULL));
    for (int n = 0; n < SAMPLES; n++)
        s.costs.values[n] = cost(&s, n);
    rig_expect(&s.costs, 1e-5, "cost");
    rig_expect(&s.dx, 0, "gradients stay");
    end(&s);
}

static void labels_outside_the_classes_do_no_harm(void **state)
{
    (void)state;
    struct scene s = begin(1, 0);
    int wild[LABELS], long_lengths[SAMPLES] = {2, 2, 0, 3, 3, 1, 200};
    for (int i = 0; i < LABELS; i++)
        wild[i] = i % 2 ? 1000000 : -5;
    assert_int_equal(cuMemcpyHtoD_v2(s.labels, wild, sizeof wild), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(s.labels + sizeof labels, long_lengths, sizeof long_lengths), CUDA_SUCCESS);
    GOOD(from_device(&s));
    assert_int_equal(cuCtxSynchronize(), CUDA_SUCCESS);
    end(&s);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct scene s = begin(1, 0);
    int told[4], lengths[SAMPLES] = {2, 2, 0, 3, 3, 1, 256};
    size_t bytes;
    assert_int_equal(cudnnSetCTCLossDescriptor(s.ctc, DNN_F64), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetCTCLossDescriptorEx(s.ctc, DNN_F32, 2, 0), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetCTCLossDescriptor_v8(s.ctc, DNN_F32, 1, 0, 256), CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnSetCTCLossDescriptor_v8(s.ctc, DNN_F32, 1, 1, 7));
    GOOD(cudnnGetCTCLossDescriptor_v8(s.ctc, &told[0], &told[1], &told[2], &told[3]));
    assert_memory_equal(told, ((int[]){DNN_F32, 1, 1, 7}), sizeof told);
    GOOD(cudnnSetCTCLossDescriptor_v9(s.ctc, DNN_F32, 0, 1, 3));
    GOOD(cudnnGetCTCLossDescriptor_v9(s.ctc, &told[0], &told[1], &told[2], &told[3]));
    assert_memory_equal(told, ((int[]){DNN_F32, 0, 1, 3}), sizeof told);
    assert_int_equal(
        cudnnGetCTCLossWorkspaceSize(rig_handle(), s.of_x, s.of_x, labels, lengths, input_lengths, 0, s.ctc, &bytes),
        CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnGetCTCLossWorkspaceSize(rig_handle(), s.of_x, s.of_x, labels, label_lengths, input_lengths, 2,
                                                  s.ctc, &bytes),
                     CUDNN_STATUS_NOT_SUPPORTED);
    s.bytes = 64;
    assert_int_equal(from_host(&s, rig_at(&s.dx)), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(from_device(&s), CUDNN_STATUS_BAD_PARAM);
    rig_expect(&s.dx, 0, "nothing was written");
    end(&s);
}

UNIT_TESTS(UNIT(costs_are_sums_over_all_paths), UNIT(probabilities_give_the_gradients_before_softmax),
           UNIT(costs_come_without_gradients), UNIT(labels_outside_the_classes_do_no_harm),
           UNIT(wrong_arguments_have_the_documented_status))
