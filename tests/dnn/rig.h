/* A simulated GPU, and tensors of small whole numbers on it, which all types hold and whose sums are exact. */
#ifndef SUBCORE_TESTS_DNN_RIG_H
#define SUBCORE_TESTS_DNN_RIG_H

#include "dnn/descriptor.h"
#include "dnn/tensors.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_memory.h"
#include "tests/unit.h"

#define GOOD(call) assert_int_equal((call), CUDNN_STATUS_SUCCESS)

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle);
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);
cudnnStatus_t cudnnCreateTensorDescriptor(struct tensor **tensor);
cudnnStatus_t cudnnDestroyTensorDescriptor(struct tensor *tensor);
cudnnStatus_t cudnnSetTensorNdDescriptor(struct tensor *tensor, int type, int count, const int *sizes,
                                         const int *steps);

/* One handle for a program: the GPU is SUBCORE_GPU, or an A100. */
static inline cudnnHandle_t rig_handle(void)
{
    static cudnnHandle_t handle;
    setenv("SUBCORE_GPU", "a100", 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
    if (handle == NULL)
        GOOD(cudnnCreate(&handle));
    return handle;
}

static inline size_t rig_size(int type) { return type == DNN_F64 ? 8 : type == DNN_F32 ? 4 : 2; }

/* Whole numbers up to 256 are exact in each type. */
static inline void rig_write(void *data, int type, size_t i, double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    switch (type) {
    case DNN_F64: ((double *)data)[i] = x; break;
    case DNN_F32: ((float *)data)[i] = f; break;
    case DNN_BF16: ((uint16_t *)data)[i] = (uint16_t)(bits >> 16); break;
    default: /* 5 exponent bits with a bias of 15, for 8 with 127 */
        ((uint16_t *)data)[i] =
            (uint16_t)(x == 0 ? 0 : (bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) | (bits >> 13 & 1023));
        break;
    }
}

static inline double rig_read(const void *data, int type, size_t i)
{
    uint32_t half, bits;
    float f;
    switch (type) {
    case DNN_F64: return ((const double *)data)[i];
    case DNN_F32: return (double)((const float *)data)[i];
    case DNN_BF16: bits = (uint32_t)((const uint16_t *)data)[i] << 16; break;
    default:
        half = ((const uint16_t *)data)[i];
        bits = (half & 0x7fff) == 0 ? 0 : (half & 0x8000) << 16 | ((half >> 10 & 31) + 112) << 23 | (half & 1023) << 13;
        break;
    }
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* ---- tensors on both sides --------------------------------------------------------------------------------------- */

struct rig_tensor {
    int type, count;
    int sizes[DNN_DIMENSIONS], steps[DNN_DIMENSIONS];
    size_t elements; /* in memory: 3 more than the tensor has, which nobody may touch */
    double *values;
    CUdeviceptr device;
};

static inline size_t rig_place(const struct rig_tensor *t, const int at[DNN_DIMENSIONS])
{
    size_t i = 0;
    for (int d = 0; d < t->count; d++)
        i += (size_t)at[d] * (size_t)t->steps[d];
    return i;
}

/* -1, 0 and 1 in an order that the seed tells. Channels are the last dimension in memory if `last`. */
static inline struct rig_tensor rig_tensor(int type, int count, const int *sizes, bool last, unsigned seed)
{
    struct rig_tensor t = {.type = type, .count = count, .elements = 3};
    int step = last ? sizes[1] : 1;
    for (int d = count - 1; d >= 0; d--) {
        t.sizes[d] = sizes[d];
        t.steps[d] = last && d == 1 ? 1 : step;
        step *= last && d == 1 ? 1 : sizes[d];
    }
    t.elements += (size_t)step;
    t.values = calloc(t.elements, sizeof *t.values);
    void *bytes = calloc(t.elements, rig_size(type));
    assert_non_null(t.values);
    assert_non_null(bytes);
    for (size_t i = 0; i < t.elements; i++) {
        seed = seed * 1664525 + 1013904223;
        t.values[i] = (double)(seed >> 16) / 65536 * 3 - 1;
        t.values[i] = (int)(t.values[i] < 0 ? t.values[i] - 0.999 : t.values[i]);
        rig_write(bytes, type, i, t.values[i]);
    }
    assert_int_equal(cuMemAlloc_v2(&t.device, t.elements * rig_size(type)), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(t.device, bytes, t.elements * rig_size(type)), CUDA_SUCCESS);
    free(bytes);
    return t;
}

/* Replaces the values by multiples of 1/16 between -range and range, which all types hold. */
static inline void rig_fine(struct rig_tensor *t, double range, unsigned seed)
{
    void *bytes = calloc(t->elements, rig_size(t->type));
    assert_non_null(bytes);
    for (size_t i = 0; i < t->elements; i++) {
        seed = seed * 1664525 + 1013904223;
        int sixteenths = (int)((double)(seed >> 16) / 65536 * 32 * range) - (int)(16 * range);
        t->values[i] = (double)sixteenths / 16;
        rig_write(bytes, t->type, i, t->values[i]);
    }
    assert_int_equal(cuMemcpyHtoD_v2(t->device, bytes, t->elements * rig_size(t->type)), CUDA_SUCCESS);
    free(bytes);
}

static inline void *rig_at(const struct rig_tensor *t) { return (void *)(uintptr_t)t->device; }

/* Compares the device's elements with the values, exactly or up to an error. */
static inline void rig_expect(const struct rig_tensor *t, double error, const char *what)
{
    void *bytes = malloc(t->elements * rig_size(t->type));
    assert_non_null(bytes);
    assert_int_equal(cuMemcpyDtoH_v2(bytes, t->device, t->elements * rig_size(t->type)), CUDA_SUCCESS);
    for (size_t i = 0; i < t->elements; i++) {
        double found = rig_read(bytes, t->type, i), distance = found - t->values[i];
        if (!(distance <= error && distance >= -error))
            fail_msg("%s, type %d, element %zu: %.17g instead of %.17g", what, t->type, i, found, t->values[i]);
    }
    free(bytes);
}

/* Element i of a tensor, counted in the order of its dimensions. */
static inline size_t rig_number(const struct rig_tensor *t, int i)
{
    int at[DNN_DIMENSIONS];
    for (int d = t->count - 1; d >= 0; d--) {
        at[d] = i % t->sizes[d];
        i /= t->sizes[d];
    }
    return rig_place(t, at);
}

static inline int rig_count(const struct rig_tensor *t)
{
    int count = 1;
    for (int d = 0; d < t->count; d++)
        count *= t->sizes[d];
    return count;
}

/* Scalars in the type that functions take for a type of tensors. */
static inline const void *rig_scalar(int type, double value, double at[1])
{
    float narrow = (float)value;
    if (type == DNN_F64)
        *at = value;
    else
        memcpy(at, &narrow, sizeof narrow);
    return at;
}

#define RIG_SCALAR(type, value) rig_scalar(type, value, (double[1]){0})

static inline void rig_free(struct rig_tensor *t)
{
    free(t->values);
    assert_int_equal(cuMemFree_v2(t->device), CUDA_SUCCESS);
}

static inline struct tensor *rig_descriptor(const struct rig_tensor *t)
{
    struct tensor *descriptor;
    GOOD(cudnnCreateTensorDescriptor(&descriptor));
    GOOD(cudnnSetTensorNdDescriptor(descriptor, t->type, t->count, t->sizes, t->steps));
    return descriptor;
}

#endif
