/* Connectionist temporal classification. The descriptor has come in four versions. */
#include <stdlib.h>

#include "dnn/kernels/ctc_arguments.h"
#include "dnn/tensors.h"
#include "driver/abi/api_memory.h"

enum { MOST_LABELS = 255, ALGORITHMS = 2, ALIGNMENT = 256 };

/* A cudnnCTCLossDescriptor_t points to it. */
struct ctc {
    bool set;
    int type, softmax, nan, skip; /* skip: gradients of impossible samples are not written */
    int longest;                  /* label */
};

DNN_API(cudnnStatus_t, cudnnCreateCTCLossDescriptor, struct ctc **ctc)
{
    return dnn_create((void **)ctc, sizeof **ctc);
}

DNN_API(cudnnStatus_t, cudnnDestroyCTCLossDescriptor, struct ctc *ctc)
{
    free(ctc);
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t set(struct ctc *ctc, struct ctc made)
{
    if (ctc == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (made.type != DNN_F32 || made.softmax < 0 || made.softmax > 1 || made.nan < 0 || made.nan > 1 || made.skip < 0 ||
        made.skip > 1 || made.longest < 0 || made.longest > MOST_LABELS)
        return CUDNN_STATUS_BAD_PARAM;
    *ctc = made;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetCTCLossDescriptor, struct ctc *ctc, int type)
{
    return set(ctc, (struct ctc){.set = true, .type = type, .longest = MOST_LABELS});
}

DNN_API(cudnnStatus_t, cudnnSetCTCLossDescriptorEx, struct ctc *ctc, int type, int softmax, int nan)
{
    return set(ctc, (struct ctc){.set = true, .type = type, .softmax = softmax, .nan = nan, .longest = MOST_LABELS});
}

DNN_API(cudnnStatus_t, cudnnSetCTCLossDescriptor_v8, struct ctc *ctc, int type, int softmax, int nan, int longest)
{
    return set(ctc, (struct ctc){.set = true, .type = type, .softmax = softmax, .nan = nan, .longest = longest});
}

DNN_API(cudnnStatus_t, cudnnSetCTCLossDescriptor_v9, struct ctc *ctc, int type, int softmax, int skip, int longest)
{
    return set(ctc, (struct ctc){.set = true, .type = type, .softmax = softmax, .skip = skip, .longest = longest});
}

/* Writes each value whose address is given. Only the type's has to be. */
static cudnnStatus_t tell(const struct ctc *ctc, int *type, int *softmax, int *nan, int *skip, int *longest)
{
    const int values[] = {ctc ? ctc->softmax : 0, ctc ? ctc->nan : 0, ctc ? ctc->skip : 0, ctc ? ctc->longest : 0};
    int *const to[] = {softmax, nan, skip, longest};
    if (ctc == NULL || type == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *type = ctc->type;
    for (int i = 0; i < 4; i++)
        if (to[i] != NULL)
            *to[i] = values[i];
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetCTCLossDescriptor, const struct ctc *ctc, int *type)
{
    return tell(ctc, type, NULL, NULL, NULL, NULL);
}

DNN_API(cudnnStatus_t, cudnnGetCTCLossDescriptorEx, const struct ctc *ctc, int *type, int *softmax, int *nan)
{
    return tell(ctc, type, softmax, nan, NULL, NULL);
}

DNN_API(cudnnStatus_t, cudnnGetCTCLossDescriptor_v8, const struct ctc *ctc, int *type, int *softmax, int *nan,
        int *longest)
{
    return tell(ctc, type, softmax, nan, NULL, longest);
}

DNN_API(cudnnStatus_t, cudnnGetCTCLossDescriptor_v9, const struct ctc *ctc, int *type, int *softmax, int *skip,
        int *longest)
{
    return tell(ctc, type, softmax, NULL, skip, longest);
}

/* ---- work memory ------------------------------------------------------------------------------------------------- */

/* Areas of work memory, in the order of its addresses. Labels and lengths are there if the host has them. */
struct areas {
    size_t forward, backward, labels, end;
};

static struct areas areas_of(const struct tensor *t, size_t longest, size_t labels)
{
    size_t steps = (size_t)t->shape.sizes[0], samples = (size_t)t->shape.sizes[1], states = 2 * longest + 1;
    struct areas a = {.forward = samples * steps * sizeof(float)};
    a.backward = a.forward + samples * steps * states * sizeof(float);
    a.labels = a.backward + 2 * samples * states * sizeof(float);
    a.end = (a.labels + labels * sizeof(int) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return a;
}

/* Labels as the program has them: on the host (with the lengths checked) or on the device. */
struct labels {
    const int *all, *lengths, *inputs;
    size_t longest, count; /* count: of all labels, on the host only */
};

/* Checks the descriptors. */
static cudnnStatus_t check(cudnnHandle_t handle, const struct ctc *ctc, int algorithm, const struct tensor *t,
                           const struct tensor *gradients, const struct labels *l)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (ctc == NULL || t == NULL || l->all == NULL || l->lengths == NULL || l->inputs == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!ctc->set || t->shape.count != 3 || (gradients != NULL && !tensors_alike(t, gradients)))
        return CUDNN_STATUS_BAD_PARAM;
    return algorithm >= 0 && algorithm < ALGORITHMS && t->shape.type == DNN_F32 ? CUDNN_STATUS_SUCCESS
                                                                                : CUDNN_STATUS_NOT_SUPPORTED;
}

/* Checks labels on the host, and counts them. */
static cudnnStatus_t count_labels(struct labels *l, const struct tensor *t)
{
    for (int64_t n = 0; n < t->shape.sizes[1]; n++) {
        if (l->lengths[n] < 0 || l->lengths[n] > MOST_LABELS || l->inputs[n] < 0 || l->inputs[n] > t->shape.sizes[0])
            return CUDNN_STATUS_BAD_PARAM;
        l->longest = (size_t)l->lengths[n] > l->longest ? (size_t)l->lengths[n] : l->longest;
        l->count += (size_t)l->lengths[n];
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetCTCLossWorkspaceSize, cudnnHandle_t handle, const struct tensor *probabilities,
        const struct tensor *gradients, const int *labels, const int *label_lengths, const int *input_lengths,
        int algorithm, const struct ctc *ctc, size_t *bytes)
{
    struct labels l = {labels, label_lengths, input_lengths, 0, 0};
    cudnnStatus_t status = check(handle, ctc, algorithm, probabilities, gradients, &l);
    if (status == CUDNN_STATUS_SUCCESS && bytes == NULL)
        status = CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (status == CUDNN_STATUS_SUCCESS)
        status = count_labels(&l, probabilities);
    if (status == CUDNN_STATUS_SUCCESS)
        *bytes = areas_of(probabilities, l.longest, l.count + 2 * (size_t)probabilities->shape.sizes[1]).end;
    return status;
}

DNN_API(cudnnStatus_t, cudnnGetCTCLossWorkspaceSize_v8, cudnnHandle_t handle, int algorithm, const struct ctc *ctc,
        const struct tensor *probabilities, const struct tensor *gradients, size_t *bytes)
{
    struct labels none = {&(int){0}, &(int){0}, &(int){0}, 0, 0};
    cudnnStatus_t status = check(handle, ctc, algorithm, probabilities, gradients, &none);
    if (status == CUDNN_STATUS_SUCCESS && bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (status == CUDNN_STATUS_SUCCESS)
        *bytes = areas_of(probabilities, (size_t)ctc->longest, 0).end;
    return status;
}

/* ---- the loss ---------------------------------------------------------------------------------------------------- */

/* The addresses of a call. */
struct places {
    const void *probabilities;
    void *costs, *gradients, *work;
    size_t bytes;
};

static cudnnStatus_t start(cudnnHandle_t handle, const struct ctc *ctc, const struct tensor *probabilities,
                           const struct tensor *gradients, const struct labels *l, const struct areas *a,
                           const struct places *at)
{
    char *work = at->work;
    struct ctc_arguments g = {.labels = l->all,
                              .label_lengths = l->lengths,
                              .input_lengths = l->inputs,
                              .costs = at->costs,
                              .scales = (float *)(void *)work,
                              .forward = (float *)(void *)(work + a->forward),
                              .backward = (float *)(void *)(work + a->backward),
                              .longest = (unsigned)l->longest,
                              .softmax = (unsigned)ctc->softmax,
                              .skip = (unsigned)ctc->skip};
    tensor_place(&g.probabilities, probabilities, at->probabilities);
    if (gradients != NULL)
        tensor_place(&g.gradients, gradients, at->gradients);
    return dnn_launch(handle, DNN_CTC, "subcore_ctc_loss_f32", (unsigned[]){g.probabilities.sizes[1], 1, 1},
                      DNN_THREADS, &g);
}

static cudnnStatus_t check_places(const struct places *at, const struct tensor *gradients, size_t wanted)
{
    if (at->probabilities == NULL || at->costs == NULL || at->work == NULL ||
        (at->gradients != NULL && gradients == NULL))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    return at->bytes >= wanted ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

/* Labels and lengths are in host memory, and are copied behind the areas of the work memory. */
DNN_API(cudnnStatus_t, cudnnCTCLoss, cudnnHandle_t handle, const struct tensor *probsDesc, const void *probs,
        const int *labels, const int *label_lengths, const int *input_lengths, void *costs,
        const struct tensor *gradientsDesc, void *gradients, int algorithm, const struct ctc *ctc, void *work,
        size_t bytes)
{
    struct labels l = {labels, label_lengths, input_lengths, 0, 0};
    struct places at = {probs, costs, gradients, work, bytes};
    cudnnStatus_t status = check(handle, ctc, algorithm, probsDesc, gradientsDesc, &l);
    if (status == CUDNN_STATUS_SUCCESS)
        status = count_labels(&l, probsDesc);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    size_t samples = (size_t)probsDesc->shape.sizes[1];
    struct areas a = areas_of(probsDesc, l.longest, l.count + 2 * samples);
    status = check_places(&at, gradientsDesc, a.end);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    const struct {
        const int *from;
        size_t count;
    } parts[] = {{label_lengths, samples}, {input_lengths, samples}, {labels, l.count}};
    const int **to[] = {&l.lengths, &l.inputs, &l.all};
    char *place = (char *)work + a.labels;
    for (int i = 0; i < 3; i++) {
        *to[i] = (const int *)(const void *)place;
        if (parts[i].count > 0 && cuMemcpyHtoDAsync_v2((CUdeviceptr)(uintptr_t)place, parts[i].from,
                                                       parts[i].count * sizeof(int), handle->stream) != CUDA_SUCCESS)
            return CUDNN_STATUS_EXECUTION_FAILED;
        place += parts[i].count * sizeof(int);
    }
    return start(handle, ctc, probsDesc, gradients != NULL ? gradientsDesc : NULL, &l, &a, &at);
}

/* Labels and lengths are in device memory. No label may be longer than the descriptor says. */
DNN_API(cudnnStatus_t, cudnnCTCLoss_v8, cudnnHandle_t handle, int algorithm, const struct ctc *ctc,
        const struct tensor *probsDesc, const void *probs, const int *labels, const int *label_lengths,
        const int *input_lengths, void *costs, const struct tensor *gradientsDesc, void *gradients, size_t bytes,
        void *work)
{
    struct labels l = {labels, label_lengths, input_lengths, 0, 0};
    struct places at = {probs, costs, gradients, work, bytes};
    cudnnStatus_t status = check(handle, ctc, algorithm, probsDesc, gradientsDesc, &l);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    l.longest = (size_t)ctc->longest;
    struct areas a = areas_of(probsDesc, l.longest, 0);
    status = check_places(&at, gradientsDesc, a.end);
    return status == CUDNN_STATUS_SUCCESS
               ? start(handle, ctc, probsDesc, gradients != NULL ? gradientsDesc : NULL, &l, &a, &at)
               : status;
}
