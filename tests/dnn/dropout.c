/* Dropout: which elements stay, their scale, the way back, and the state of the generator. */
#include <math.h>

#include "dnn/dropout.h"
#include "tests/dnn/rig.h"

cudnnStatus_t cudnnCreateDropoutDescriptor(struct dropout **);
cudnnStatus_t cudnnDestroyDropoutDescriptor(struct dropout *);
cudnnStatus_t cudnnSetDropoutDescriptor(struct dropout *, cudnnHandle_t, float, void *, size_t, unsigned long long);
cudnnStatus_t cudnnRestoreDropoutDescriptor(struct dropout *, cudnnHandle_t, float, void *, size_t, unsigned long long);
cudnnStatus_t cudnnGetDropoutDescriptor(const struct dropout *, cudnnHandle_t, float *, void **, unsigned long long *);
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, size_t *);
cudnnStatus_t cudnnDropoutGetReserveSpaceSize(const struct tensor *, size_t *);
cudnnStatus_t cudnnDropoutForward(cudnnHandle_t, const struct dropout *, const struct tensor *, const void *,
                                  const struct tensor *, void *, void *, size_t);
cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t, const struct dropout *, const struct tensor *, const void *,
                                   const struct tensor *, void *, void *, size_t);

static const int sizes[] = {4, 5, 9, 11};
enum { COUNT = 4 * 5 * 9 * 11 };

struct scene {
    struct dropout *how;
    struct rig_tensor x, y;
    struct tensor *from, *to;
    CUdeviceptr states, reserve;
    size_t state_bytes, reserve_bytes;
};

/* The input has its channels first in memory, the output last. */
static struct scene begin(int type, float probability, unsigned long long seed)
{
    struct scene s = {0};
    rig_handle();
    s.x = rig_tensor(type, 4, sizes, false, 1);
    s.y = rig_tensor(type, 4, sizes, true, 2);
    s.from = rig_descriptor(&s.x);
    s.to = rig_descriptor(&s.y);
    GOOD(cudnnCreateDropoutDescriptor(&s.how));
    GOOD(cudnnDropoutGetStatesSize(rig_handle(), &s.state_bytes));
    GOOD(cudnnDropoutGetReserveSpaceSize(s.from, &s.reserve_bytes));
    assert_int_equal(cuMemAlloc_v2(&s.states, s.state_bytes), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&s.reserve, s.reserve_bytes), CUDA_SUCCESS);
    GOOD(cudnnSetDropoutDescriptor(s.how, rig_handle(), probability, (void *)(uintptr_t)s.states, s.state_bytes, seed));
    return s;
}

static void end(struct scene *s)
{
    GOOD(cudnnDestroyDropoutDescriptor(s->how));
    GOOD(cudnnDestroyTensorDescriptor(s->from));
    GOOD(cudnnDestroyTensorDescriptor(s->to));
    assert_int_equal(cuMemFree_v2(s->states), CUDA_SUCCESS);
    assert_int_equal(cuMemFree_v2(s->reserve), CUDA_SUCCESS);
    rig_free(&s->x);
    rig_free(&s->y);
}

static cudnnStatus_t forward(const struct scene *s)
{
    return cudnnDropoutForward(rig_handle(), s->how, s->from, rig_at(&s->x), s->to, rig_at(&s->y),
                               (void *)(uintptr_t)s->reserve, s->reserve_bytes);
}

static void mask_of(const struct scene *s, unsigned char mask[COUNT])
{
    assert_int_equal(s->reserve_bytes, COUNT);
    assert_int_equal(cuMemcpyDtoH_v2(mask, s->reserve, COUNT), CUDA_SUCCESS);
}

static void kept_elements_are_scaled_on_both_ways(void **state)
{
    (void)state;
    static const int types[] = {DNN_F32, DNN_F64, DNN_F16, DNN_BF16};
    for (size_t i = 0; i < 4; i++) {
        struct scene s = begin(types[i], 0.75f, 11);
        unsigned char mask[COUNT];
        int kept = 0;
        GOOD(forward(&s));
        mask_of(&s, mask);
        for (int e = 0; e < COUNT; e++) {
            kept += mask[e];
            s.y.values[rig_number(&s.y, e)] = mask[e] ? 4 * s.x.values[rig_number(&s.x, e)] : 0;
        }
        rig_expect(&s.y, 0, "output");
        assert_in_range(kept, COUNT * 21 / 100, COUNT * 29 / 100);
        GOOD(cudnnDropoutBackward(rig_handle(), s.how, s.to, rig_at(&s.y), s.from, rig_at(&s.x),
                                  (void *)(uintptr_t)s.reserve, s.reserve_bytes));
        for (int e = 0; e < COUNT; e++)
            s.x.values[rig_number(&s.x, e)] = mask[e] ? 4 * s.y.values[rig_number(&s.y, e)] : 0;
        rig_expect(&s.x, 0, "gradient");
        end(&s);
    }
}

static void a_seed_repeats_its_masks_and_a_restored_state_goes_on(void **state)
{
    (void)state;
    struct scene s = begin(DNN_F32, 0.5f, 1);
    unsigned char first[COUNT], second[COUNT], other[COUNT];
    void *at = (void *)(uintptr_t)s.states;
    GOOD(forward(&s));
    mask_of(&s, first);
    GOOD(forward(&s));
    mask_of(&s, second);
    assert_memory_not_equal(first, second, COUNT);
    GOOD(cudnnSetDropoutDescriptor(s.how, rig_handle(), 0.5f, at, s.state_bytes, 1));
    GOOD(forward(&s));
    mask_of(&s, other);
    assert_memory_equal(first, other, COUNT);
    GOOD(cudnnRestoreDropoutDescriptor(s.how, rig_handle(), 0.5f, at, s.state_bytes, 1));
    GOOD(forward(&s));
    mask_of(&s, other);
    assert_memory_equal(second, other, COUNT);
    GOOD(cudnnSetDropoutDescriptor(s.how, rig_handle(), 0.5f, at, s.state_bytes, 2));
    GOOD(forward(&s));
    mask_of(&s, other);
    assert_memory_not_equal(first, other, COUNT);
    end(&s);
}

static void all_or_nothing_is_dropped_at_the_limits(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct scene s = begin(DNN_F32, (float)all, 5);
        GOOD(forward(&s));
        for (int e = 0; e < COUNT; e++)
            s.y.values[rig_number(&s.y, e)] = all ? 0 : s.x.values[rig_number(&s.x, e)];
        rig_expect(&s.y, 0, "output");
        end(&s);
    }
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct scene s = begin(DNN_F32, 0.5f, 5);
    float probability;
    void *states, *at = (void *)(uintptr_t)s.states;
    unsigned long long seed;
    GOOD(cudnnGetDropoutDescriptor(s.how, rig_handle(), &probability, &states, &seed));
    assert_true(probability == 0.5f && states == at && seed == 5);
    assert_int_equal(cudnnSetDropoutDescriptor(s.how, rig_handle(), 1.5f, at, s.state_bytes, 5),
                     CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetDropoutDescriptor(s.how, rig_handle(), NAN, at, s.state_bytes, 5), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetDropoutDescriptor(s.how, rig_handle(), 0.5f, at, s.state_bytes - 1, 5),
                     CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetDropoutDescriptor(NULL, rig_handle(), 0.5f, at, s.state_bytes, 5),
                     CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    s.reserve_bytes--;
    assert_int_equal(forward(&s), CUDNN_STATUS_BAD_PARAM);
    s.reserve_bytes++;
    GOOD(cudnnSetDropoutDescriptor(s.how, rig_handle(), 0.5f, NULL, 0, 5));
    assert_int_equal(forward(&s), CUDNN_STATUS_BAD_PARAM); /* there is no generator */
    end(&s);
}

UNIT_TESTS(UNIT(kept_elements_are_scaled_on_both_ways), UNIT(a_seed_repeats_its_masks_and_a_restored_state_goes_on),
           UNIT(all_or_nothing_is_dropped_at_the_limits), UNIT(wrong_arguments_have_the_documented_status))
