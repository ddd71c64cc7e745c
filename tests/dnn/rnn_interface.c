/* The interface of recurrent networks: descriptors, where weights are, memory sizes, and wrong arguments. */
#include "tests/dnn/rnn_rig.h"

cudnnStatus_t cudnnGetRNNDescriptor_v8(const struct rnn *, int *, int *, int *, int *, int *, int *, int *, int *,
                                       int32_t *, int32_t *, int32_t *, int32_t *, const struct dropout **, uint32_t *);
cudnnStatus_t cudnnRNNGetClip_v9(const struct rnn *, int *, double *, double *);
cudnnStatus_t cudnnRNNSetClip_v8(struct rnn *, int, int, double, double);
cudnnStatus_t cudnnRNNGetClip_v8(const struct rnn *, int *, int *, double *, double *);
cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t, const struct rnn *, int);
cudnnStatus_t cudnnGetRNNDataDescriptor(const struct rnn_data *, int *, int *, int *, int *, int *, int, int *, void *);
cudnnStatus_t cudnnGetTensorNdDescriptor(const struct tensor *, int, int *, int *, int *, int *);

static const struct net plain = {DNN_F32, RNN_LSTM, RNN_BOTH_BIASES, 2, 2,   5, 6, 3, RNN_STEPS_FIRST,
                                 4,       3,        {4, 4, 4},       0, NULL};

static void a_descriptor_tells_what_it_was_set_to(void **state)
{
    (void)state;
    struct rnn *rnn;
    int32_t n[12];
    uint32_t flags;
    const struct dropout *dropout = NULL, *given = (const struct dropout *)(uintptr_t)64;
    GOOD(cudnnCreateRNNDescriptor(&rnn));
    GOOD(cudnnSetRNNDescriptor_v8(rnn, 1, RNN_LSTM, RNN_INPUT_BIAS, 1, 0, DNN_F16, DNN_F32, 2, 7, 9, 4, 3, given, 1));
    GOOD(cudnnGetRNNDescriptor_v8(rnn, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9], &n[10],
                                  &n[11], &dropout, &flags));
    assert_memory_equal(n, ((int32_t[]){1, RNN_LSTM, RNN_INPUT_BIAS, 1, 0, DNN_F16, DNN_F32, 2, 7, 9, 4, 3}), sizeof n);
    assert_ptr_equal(dropout, given);
    assert_int_equal(flags, 1);
    GOOD(cudnnDestroyRNNDescriptor(rnn));
}

static void clipping_is_for_lstms_and_is_told(void **state)
{
    (void)state;
    struct rnn *rnn;
    int clip, nan;
    double low, high;
    GOOD(cudnnCreateRNNDescriptor(&rnn));
    assert_int_equal(cudnnRNNSetClip_v9(rnn, 1, -1, 1), CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnSetRNNDescriptor_v8(rnn, 0, RNN_GRU, RNN_BOTH_BIASES, 0, 0, DNN_F32, DNN_F32, 0, 5, 6, 6, 1, NULL, 0));
    assert_int_equal(cudnnRNNSetClip_v9(rnn, 1, -1, 1), CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnSetRNNDescriptor_v8(rnn, 0, RNN_LSTM, RNN_BOTH_BIASES, 0, 0, DNN_F32, DNN_F32, 0, 5, 6, 6, 1, NULL, 0));
    assert_int_equal(cudnnRNNSetClip_v9(rnn, 1, 1, -1), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnRNNSetClip_v9(rnn, 2, -1, 1), CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnRNNSetClip_v8(rnn, 1, 0, -2, 3));
    GOOD(cudnnRNNGetClip_v8(rnn, &clip, &nan, &low, &high));
    assert_true(clip == 1 && low == -2.0 && high == 3.0);
    GOOD(cudnnRNNGetClip_v9(rnn, &clip, &low, &high));
    assert_true(clip == 1 && low == -2.0 && high == 3.0);
    GOOD(cudnnBuildRNNDynamic(rig_handle(), rnn, 4));
    assert_int_equal(cudnnBuildRNNDynamic(rig_handle(), rnn, 0), CUDNN_STATUS_BAD_PARAM);
    GOOD(cudnnDestroyRNNDescriptor(rnn));
}

static void data_keep_lengths_and_the_fill_value(void **state)
{
    (void)state;
    static const int types[] = {DNN_F64, DNN_F32, DNN_F16, DNN_BF16};
    struct rnn_data *data;
    GOOD(cudnnCreateRNNDataDescriptor(&data));
    for (size_t i = 0; i < 4; i++) {
        int n[5], lengths[2];
        char fill[8] = {0}, told[8] = {0};
        rig_write(fill, types[i], 0, -2.5);
        GOOD(cudnnSetRNNDataDescriptor(data, types[i], RNN_BATCH_FIRST, 6, 2, 9, (int[]){4, 6}, fill));
        GOOD(cudnnGetRNNDataDescriptor(data, &n[0], &n[1], &n[2], &n[3], &n[4], 2, lengths, told));
        assert_memory_equal(n, ((int[]){types[i], RNN_BATCH_FIRST, 6, 2, 9}), sizeof n);
        assert_memory_equal(lengths, ((int[]){4, 6}), sizeof lengths);
        assert_memory_equal(fill, told, sizeof fill);
    }
    GOOD(cudnnDestroyRNNDataDescriptor(data));
    GOOD(cudnnDestroyRNNDataDescriptor(NULL));
}

/* Marks the elements of one matrix or bias, none of which may be marked already. */
static size_t mark(char *marks, char *base, const struct tensor *shape, void *at, const int *wanted)
{
    int type, count, sizes[3], steps[3];
    GOOD(cudnnGetTensorNdDescriptor(shape, 3, &type, &count, sizes, steps));
    if (at == NULL) {
        assert_int_equal(count, 0);
        return 0;
    }
    assert_int_equal(count, 3);
    assert_memory_equal(sizes, wanted, sizeof sizes);
    size_t elements = (size_t)(sizes[1] * sizes[2]), first = (size_t)((char *)at - base) / sizeof(float);
    for (size_t i = 0; i < elements; i++)
        assert_int_equal(marks[first + i]++, 0);
    return elements;
}

static void matrices_and_biases_share_the_weight_space_without_overlap(void **state)
{
    (void)state;
    for (int bias = 0; bias < RNN_BIASES; bias++) {
        struct rnn *rnn;
        struct tensor *m, *b;
        void *at_m, *at_b;
        size_t bytes, found = 0;
        GOOD(cudnnCreateRNNDescriptor(&rnn));
        GOOD(cudnnCreateTensorDescriptor(&m));
        GOOD(cudnnCreateTensorDescriptor(&b));
        GOOD(cudnnSetRNNDescriptor_v8(rnn, 0, RNN_LSTM, bias, 1, 0, DNN_F32, DNN_F32, 0, 5, 6, 4, 3, NULL, 0));
        GOOD(cudnnGetRNNWeightSpaceSize(rig_handle(), rnn, &bytes));
        char *marks = calloc(bytes, 1), *base = (char *)(uintptr_t)4096;
        for (int pseudo = 0; pseudo < 6; pseudo++)
            for (int id = 0; id < 9; id++) {
                int columns = id == 8 ? 6 : id > 3 ? 4 : pseudo < 2 ? 5 : 8;
                GOOD(cudnnGetRNNWeightParams(rig_handle(), rnn, pseudo, bytes, base, id, m, &at_m, b, &at_b));
                found += mark(marks, base, m, at_m, (int[]){1, id == 8 ? 4 : 6, columns});
                found += mark(marks, base, b, at_b, (int[]){1, 6, 1});
                assert_int_equal(at_b != NULL,
                                 id < 8 && (bias == RNN_BOTH_BIASES || (bias == RNN_INPUT_BIAS && id < 4) ||
                                            (bias == RNN_RECURRENT_BIAS && id >= 4)));
            }
        assert_int_equal(found * sizeof(float), bytes);
        assert_int_equal(cudnnGetRNNWeightParams(rig_handle(), rnn, 6, bytes, base, 0, m, &at_m, b, &at_b),
                         CUDNN_STATUS_BAD_PARAM);
        assert_int_equal(cudnnGetRNNWeightParams(rig_handle(), rnn, 0, bytes, base, 9, m, &at_m, b, &at_b),
                         CUDNN_STATUS_BAD_PARAM);
        assert_int_equal(cudnnGetRNNWeightParams(rig_handle(), rnn, 0, bytes - 4, base, 0, m, &at_m, b, &at_b),
                         CUDNN_STATUS_BAD_PARAM);
        free(marks);
        GOOD(cudnnDestroyTensorDescriptor(m));
        GOOD(cudnnDestroyTensorDescriptor(b));
        GOOD(cudnnDestroyRNNDescriptor(rnn));
    }
}

static void wrong_networks_are_refused(void **state)
{
    (void)state;
    static const struct {
        int mode, bias, type, math, input, hidden, projection, layers;
        cudnnStatus_t status;
    } wrong[] = {
        {RNN_GRU, 0, DNN_F32, DNN_F32, 0, 4, 4, 1, CUDNN_STATUS_BAD_PARAM},
        {RNN_GRU, 0, DNN_F32, DNN_F32, 4, 0, 0, 1, CUDNN_STATUS_BAD_PARAM},
        {RNN_GRU, 0, DNN_F32, DNN_F32, 4, 4, 4, 0, CUDNN_STATUS_BAD_PARAM},
        {RNN_GRU, 4, DNN_F32, DNN_F32, 4, 4, 4, 1, CUDNN_STATUS_BAD_PARAM},
        {4, 0, DNN_F32, DNN_F32, 4, 4, 4, 1, CUDNN_STATUS_BAD_PARAM},
        {RNN_LSTM, 0, DNN_F32, DNN_F32, 4, 4, 5, 1, CUDNN_STATUS_BAD_PARAM},
        {RNN_GRU, 0, DNN_F32, DNN_F32, 4, 4, 3, 1, CUDNN_STATUS_NOT_SUPPORTED},
        {RNN_GRU, 0, DNN_F32, DNN_F64, 4, 4, 4, 1, CUDNN_STATUS_NOT_SUPPORTED},
        {RNN_GRU, 0, 3, 3, 4, 4, 4, 1, CUDNN_STATUS_NOT_SUPPORTED},
    };
    struct rnn *rnn;
    size_t bytes;
    GOOD(cudnnCreateRNNDescriptor(&rnn));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(cudnnSetRNNDescriptor_v8(rnn, 0, wrong[i].mode, wrong[i].bias, 0, 0, wrong[i].type,
                                                  wrong[i].math, 0, wrong[i].input, wrong[i].hidden,
                                                  wrong[i].projection, wrong[i].layers, NULL, 0),
                         wrong[i].status);
    assert_int_equal(cudnnSetRNNDescriptor_v8(rnn, 0, RNN_GRU, 0, 0, 1, DNN_F32, DNN_F32, 0, 4, 4, 4, 1, NULL, 0),
                     CUDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(cudnnGetRNNWeightSpaceSize(rig_handle(), rnn, &bytes), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnGetRNNWeightSpaceSize(NULL, rnn, &bytes), CUDNN_STATUS_NOT_INITIALIZED);
    GOOD(cudnnDestroyRNNDescriptor(rnn));
}

static void wrong_data_are_refused(void **state)
{
    (void)state;
    struct rnn_data *data;
    GOOD(cudnnCreateRNNDataDescriptor(&data));
    assert_int_equal(cudnnSetRNNDataDescriptor(data, DNN_F32, 0, 4, 2, 5, (int[]){4, 5}, NULL), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetRNNDataDescriptor(data, DNN_F32, 0, 4, 2, 5, (int[]){4, -1}, NULL),
                     CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetRNNDataDescriptor(data, DNN_F32, RNN_PACKED, 4, 2, 5, (int[]){3, 4}, NULL),
                     CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetRNNDataDescriptor(data, DNN_F32, 3, 4, 2, 5, (int[]){4, 4}, NULL), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetRNNDataDescriptor(data, DNN_F32, 0, 4, 0, 5, (int[]){4, 4}, NULL), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetRNNDataDescriptor(data, 3, 0, 4, 2, 5, (int[]){4, 4}, NULL), CUDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(cudnnSetRNNDataDescriptor(data, DNN_F32, 0, 4, 2, 5, NULL, NULL),
                     CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    GOOD(cudnnDestroyRNNDataDescriptor(data));
}

/* Each change of the rig makes the call wrong. The last call is right again. */
static void wrong_calls_have_the_documented_status(void **state)
{
    (void)state;
    struct net_rig r = net_rig(&plain, 1), kept = r;
    size_t *sizes[] = {&r.weight_bytes, &r.work_bytes, &r.reserve_bytes};
    for (size_t i = 0; i < 3; i++) {
        /* The larger size of both ways was reserved. */
        *sizes[i] = i == 1 ? 255 : *sizes[i] - 1;
        assert_int_equal(net_forward(&r, RNN_TRAINING), CUDNN_STATUS_BAD_PARAM);
        assert_int_equal(net_backward(&r, RNN_ADD), CUDNN_STATUS_BAD_PARAM);
        r = kept;
    }
    r.h = r.c; /* it has the hidden size */
    assert_int_equal(net_forward(&r, RNN_TRAINING), CUDNN_STATUS_BAD_PARAM);
    r = kept;
    r.y = r.x;
    assert_int_equal(net_forward(&r, RNN_TRAINING), CUDNN_STATUS_BAD_PARAM);
    r = kept;
    r.rnn = NULL;
    assert_int_equal(net_forward(&r, RNN_TRAINING), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    r = kept;
    assert_int_equal(net_forward(&r, 2), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(net_backward(&r, 2), CUDNN_STATUS_BAD_PARAM);
    GOOD(net_forward(&r, RNN_TRAINING));
    GOOD(net_backward(&r, RNN_SET));
    net_release(&r);
}

UNIT_TESTS(UNIT(a_descriptor_tells_what_it_was_set_to), UNIT(clipping_is_for_lstms_and_is_told),
           UNIT(data_keep_lengths_and_the_fill_value), UNIT(matrices_and_biases_share_the_weight_space_without_overlap),
           UNIT(wrong_networks_are_refused), UNIT(wrong_data_are_refused), UNIT(wrong_calls_have_the_documented_status))
