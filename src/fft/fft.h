/* Our own cuFFT: the public, documented interface on kernels of our own. Its files share this. It stands on the public
 * functions of the driver API only. */
#ifndef SUBCORE_FFT_FFT_H
#define SUBCORE_FFT_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/handles.h"
#include "fft/kernels/arguments.h"

/* Begins a function that programs call: FFT_API(type, name, parameters...) { ... }. */
#define FFT_API(type, name, ...)                                                                                       \
    __attribute__((visibility("default"))) type name(__VA_ARGS__);                                                     \
    type name(__VA_ARGS__)

/* Numbers of the documentation. */
typedef enum {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_INTERNAL_ERROR = 5,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_NO_WORKSPACE = 13,
    CUFFT_NOT_IMPLEMENTED = 14,
    CUFFT_NOT_SUPPORTED = 16
} cufftResult;

typedef int cufftHandle;

/* cufftType */
enum fft_type { FFT_C2C = 0x29, FFT_R2C = 0x2a, FFT_C2R = 0x2c, FFT_Z2Z = 0x69, FFT_D2Z = 0x6a, FFT_Z2D = 0x6c };

/* cudaDataType, as far as there are transforms. */
enum fft_data { FFT_F32 = 0, FFT_F64 = 1, FFT_F16 = 2, FFT_C32 = 4, FFT_C64 = 5, FFT_C16 = 6 };

enum { FFT_FORWARD = -1, FFT_INVERSE = 1, FFT_FACTORS = 32 };

/* One end of a transform. */
struct fft_side {
    unsigned type, form;           /* enum fft_data, enum fft_form */
    bool packed;                   /* the program gave no layout */
    long long steps[FFT_RANK + 1]; /* as the kernels take them */
};

struct fft_plan {
    bool made, own_memory; /* its sizes are known; the library reserves the work buffers */
    struct fft_side in, out;
    unsigned sizes[FFT_RANK];
    unsigned long long count; /* complex numbers of all transforms */
    size_t work_bytes;
    CUdeviceptr work, reserved; /* the program's buffers or the library's; and those to be released */
    CUstream stream;
};

/* Returns the plan of a handle, or null. Plans belong to the process. */
struct fft_plan *plan_of(cufftHandle handle);

/* Starts the kernels of a transform. `sign` is FFT_FORWARD or FFT_INVERSE. */
cufftResult transform_run(const struct fft_plan *plan, void *in, void *out, int sign);

/* Tells whether the library's kernels are loaded, and loads them at the first call. */
bool transform_ready(void);

/* Says once on standard error that a function, or a combination of arguments, is missing in this library. */
cufftResult fft_refuse(const char *function, const char *what);

#endif
