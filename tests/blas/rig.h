/* A simulated GPU, matrices of every type on it, and products computed in double on the host. */
#ifndef SUBCORE_TESTS_BLAS_RIG_H
#define SUBCORE_TESTS_BLAS_RIG_H

#include <math.h>

#include "blas/product.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_memory.h"
#include "tests/unit.h"

#define GOOD(call) assert_int_equal((call), CUBLAS_STATUS_SUCCESS)

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, int mode);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, int transa, int transb, int m, int n, int k, const void *alpha,
                            const void *A, int type_a, int lda, const void *B, int type_b, int ldb, const void *beta,
                            void *C, int type_c, int ldc, int compute, int algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, int transa, int transb, int m, int n, int k,
                                          const void *alpha, const void *A, int type_a, int lda, long long strideA,
                                          const void *B, int type_b, int ldb, long long strideB, const void *beta,
                                          void *C, int type_c, int ldc, long long strideC, int batch, int compute,
                                          int algorithm);

/* One handle for a program: the GPU is SUBCORE_GPU, or the one that is named here. */
static inline cublasHandle_t rig_handle(const char *gpu)
{
    static cublasHandle_t handle;
    setenv("SUBCORE_GPU", gpu, 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
    if (handle == NULL)
        GOOD(cublasCreate_v2(&handle));
    return handle;
}

/* Numbers that differ from run to run of the generator only. */
static inline double rig_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 20 & 0xffff) / 32768 - 1;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static inline float rig_bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint16_t rig_bfloat(double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline uint16_t rig_half(double x)
{
    int exponent;
    double size = fabs(x);
    if (size == 0)
        return 0;
    frexp(size, &exponent);
    int shift = exponent < -13 ? 24 : 11 - exponent;
    int steps = (int)nearbyint(ldexp(size, shift));
    int bits = shift == 24 ? steps : ((exponent + 14) << 10) + steps - 1024;
    return (uint16_t)(bits | (x < 0 ? 0x8000 : 0));
}

static inline double rig_half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

/* E4M3 and E5M2 by their bits. No test uses NaN. */
static inline double rig_fp8_value(uint8_t bits, int mantissa, int bias)
{
    int exponent = (bits & 0x7f) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
    double size = exponent == 0 ? ldexp(fraction, 1 - bias - mantissa)
                                : ldexp((1 << mantissa) + fraction, exponent - bias - mantissa);
    return bits & 0x80 ? -size : size;
}

/* Writes element i from `x`: [0] is the real part, [1] the imaginary part of complex types. */
static inline void rig_write(void *data, unsigned type, size_t i, const double x[2])
{
    switch (type) {
    case GEMM_F32: ((float *)data)[i] = (float)x[0]; break;
    case GEMM_F64: ((double *)data)[i] = x[0]; break;
    case GEMM_F16: ((uint16_t *)data)[i] = rig_half(x[0]); break;
    case GEMM_BF16: ((uint16_t *)data)[i] = rig_bfloat(x[0]); break;
    case GEMM_S8: ((int8_t *)data)[i] = (int8_t)(x[0] * 127); break;
    case GEMM_S32: ((int32_t *)data)[i] = (int32_t)(x[0] * 100); break;
    case GEMM_C32: ((float *)data)[2 * i] = (float)x[0], ((float *)data)[2 * i + 1] = (float)x[1]; break;
    case GEMM_C64: ((double *)data)[2 * i] = x[0], ((double *)data)[2 * i + 1] = x[1]; break;
    default: ((uint8_t *)data)[i] = (uint8_t)((x[0] < 0 ? 0x80 : 0) | (int)(fabs(x[0]) * 63)); break;
    }
}

static inline void rig_read(const void *data, unsigned type, size_t i, double x[2])
{
    x[1] = 0;
    switch (type) {
    case GEMM_F32: x[0] = (double)((const float *)data)[i]; break;
    case GEMM_F64: x[0] = ((const double *)data)[i]; break;
    case GEMM_F16: x[0] = rig_half_value(((const uint16_t *)data)[i]); break;
    case GEMM_BF16: x[0] = (double)rig_bits_float((uint32_t)((const uint16_t *)data)[i] << 16); break;
    case GEMM_S8: x[0] = ((const int8_t *)data)[i]; break;
    case GEMM_S32: x[0] = ((const int32_t *)data)[i]; break;
    case GEMM_C32: x[0] = (double)((const float *)data)[2 * i], x[1] = (double)((const float *)data)[2 * i + 1]; break;
    case GEMM_C64: x[0] = ((const double *)data)[2 * i], x[1] = ((const double *)data)[2 * i + 1]; break;
    case GEMM_E4M3: x[0] = rig_fp8_value(((const uint8_t *)data)[i], 3, 7); break;
    default: x[0] = rig_fp8_value(((const uint8_t *)data)[i], 2, 15); break;
    }
}

/* Half a unit in the last place, relative; 0 for types that are exact. */
static inline double rig_precision(unsigned type)
{
    switch (type) {
    case GEMM_F64:
    case GEMM_C64: return 0x1p-53;
    case GEMM_F32:
    case GEMM_C32: return 0x1p-24;
    case GEMM_F16: return 0x1p-11;
    case GEMM_BF16: return 0x1p-8;
    case GEMM_E4M3: return 0x1p-4;
    case GEMM_E5M2: return 0x1p-3;
    default: return 0;
    }
}

/* ---- matrices on both sides -------------------------------------------------------------------------------------- */

struct rig_matrix {
    unsigned type;
    size_t count; /* elements */
    void *host;
    CUdeviceptr device;
};

static inline struct rig_matrix rig_matrix(unsigned type, size_t count, uint64_t seed)
{
    struct rig_matrix m = {.type = type, .count = count > 0 ? count : 1};
    size_t bytes = m.count * product_size(type);
    m.host = calloc(1, bytes);
    assert_non_null(m.host);
    for (size_t i = 0; i < m.count; i++) {
        double x[2] = {rig_random(&seed), 0};
        x[1] = rig_random(&seed);
        rig_write(m.host, type, i, x);
    }
    assert_int_equal(cuMemAlloc_v2(&m.device, bytes), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(m.device, m.host, bytes), CUDA_SUCCESS);
    return m;
}

static inline void *rig_at(const struct rig_matrix *m, size_t element)
{
    return (void *)(uintptr_t)(m->device + element * product_size(m->type));
}

/* The device's elements. The caller frees them. */
static inline void *rig_result(const struct rig_matrix *m)
{
    size_t bytes = m->count * product_size(m->type);
    void *host = malloc(bytes);
    assert_non_null(host);
    assert_int_equal(cuMemcpyDtoH_v2(host, m->device, bytes), CUDA_SUCCESS);
    return host;
}

static inline void rig_free(struct rig_matrix *m)
{
    free(m->host);
    assert_int_equal(cuMemFree_v2(m->device), CUDA_SUCCESS);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* A sum, and the sum of the addends' sizes, which bounds its rounding. */
struct rig_sum {
    double re, im, size;
};

static inline void rig_add(struct rig_sum *s, const double a[2], const double b[2], int conjugate_a, int conjugate_b)
{
    double ai = conjugate_a ? -a[1] : a[1], bi = conjugate_b ? -b[1] : b[1];
    s->re += a[0] * b[0] - ai * bi;
    s->im += a[0] * bi + ai * b[0];
    s->size += hypot(a[0], a[1]) * hypot(b[0], b[1]);
}

/* Row i and column j of op(A) op(B). */
static inline struct rig_sum rig_product(const struct rig_matrix *a, size_t at_a, long long lda, int op_a,
                                         const struct rig_matrix *b, size_t at_b, long long ldb, int op_b, size_t i,
                                         size_t j, size_t k)
{
    struct rig_sum sum = {0};
    for (size_t l = 0; l < k; l++) {
        double x[2], y[2];
        rig_read(a->host, a->type, at_a + (op_a == BLAS_N ? i + l * (size_t)lda : l + i * (size_t)lda), x);
        rig_read(b->host, b->type, at_b + (op_b == BLAS_N ? l + j * (size_t)ldb : j + l * (size_t)ldb), y);
        rig_add(&sum, x, y, op_a == BLAS_C, op_b == BLAS_C);
    }
    return sum;
}

#endif
