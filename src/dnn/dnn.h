/* Our own cuDNN: the public, documented interface on kernels of our own. Its files share this. It stands on the public
 * functions of the driver API only. The functions without a definition answer
 * CUDNN_STATUS_NOT_SUPPORTED. */
#ifndef SUBCORE_DNN_DNN_H
#define SUBCORE_DNN_DNN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/handles.h"

/* Begins a function that programs call: DNN_API(type, name, parameters...) { ... }. */
#define DNN_API(type, name, ...)                                                                                       \
    __attribute__((visibility("default"))) type name(__VA_ARGS__);                                                     \
    type name(__VA_ARGS__)

/* Numbers in the documentation of cuDNN 9. */
typedef enum {
    CUDNN_STATUS_SUCCESS = 0,
    CUDNN_STATUS_NOT_INITIALIZED = 1001,
    CUDNN_STATUS_BAD_PARAM = 2000,
    CUDNN_STATUS_BAD_PARAM_NULL_POINTER = 2002,
    CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED = 2004,
    CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH = 2008,
    CUDNN_STATUS_NOT_SUPPORTED = 3000,
    CUDNN_STATUS_INTERNAL_ERROR = 4000,
    CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED = 4003,
    CUDNN_STATUS_EXECUTION_FAILED = 5000
} cudnnStatus_t;

/* cudnnDataType_t, as far as there are kernels. */
enum dnn_type { DNN_F32 = 0, DNN_F64 = 1, DNN_F16 = 2, DNN_BF16 = 9 };

/* Files of kernels. */
enum dnn_image {
    DNN_CONVOLUTION,
    DNN_CTC,
    DNN_DROPOUT,
    DNN_LRN,
    DNN_NORMALIZATION,
    DNN_POINTWISE,
    DNN_POOLING,
    DNN_REDUCTION,
    DNN_RNN,
    DNN_SOFTMAX,
    DNN_SPATIAL,
    DNN_IMAGES
};

/* A cudnnHandle_t points to it. */
struct dnn {
    uint64_t magic; /* DNN_MAGIC while it lives */
    CUlibrary images[DNN_IMAGES];
    CUdevice device;
    CUstream stream;
};

typedef struct dnn *cudnnHandle_t;

#define DNN_MAGIC 0x73756263646e6e73u

static inline bool dnn_lives(const struct dnn *dnn) { return dnn != NULL && dnn->magic == DNN_MAGIC; }

/* Starts a kernel of an image with one struct as its argument. */
cudnnStatus_t dnn_launch(const struct dnn *dnn, enum dnn_image image, const char *name, const unsigned grid[3],
                         unsigned threads, void *argument);

/* Returns the last word in the name of a type's kernels: f32, f64, f16 or bf16. NULL if there are none. */
const char *dnn_type_name(int type);

/* Returns a scalar of the program: FP32, for FP64 tensors FP64. */
static inline double dnn_scalar(const void *at, int type)
{
    return type == DNN_F64 ? *(const double *)at : (double)*(const float *)at;
}

/* Returns a value of a tensor's type. A 16-bit one is taken apart, since C has no such type everywhere. */
double dnn_value(const void *at, int type);

/* Makes a descriptor of zeros. */
cudnnStatus_t dnn_create(void **out, size_t size);

/* Says once on standard error that a function, or a combination of arguments, is missing in this library. */
cudnnStatus_t dnn_refuse(const char *function, const char *what);

#endif
