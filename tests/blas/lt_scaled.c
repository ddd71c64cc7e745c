/* cublasLt's block scales: FP8 and FP4 operands, every scale mode and result type, against sums in double. */
#include "blas/kernels/scaled.h"
#include "tests/blas/lt_rig.h"

enum { SCALE_MODE_B = 32, SCALE_MODE_D = 34, FP4 = 33 };

static const char *const blackwell = "b200";

/* One operand: K elements for each vector, behind each other. */
struct operand {
    unsigned type;
    int mode, vectors, depth, pitch;
    struct rig_matrix data, scales;
    layout_t layout;
};

static int up(int n, int each) { return (n + each - 1) / each; }

static size_t scale_count(const struct operand *o)
{
    switch (o->mode) {
    case SCALED_16_UE4M3: return (size_t)(up(o->vectors, 128) * up(up(o->depth, 16), 4) * 512);
    case SCALED_32_UE8M0: return (size_t)(up(o->vectors, 128) * up(up(o->depth, 32), 4) * 512);
    case SCALED_VECTOR: return (size_t)o->vectors;
    case SCALED_128: return (size_t)(o->vectors * up(o->depth, 128));
    default: return (size_t)(up(o->vectors, 128) * up(up(o->depth, 128), 4) * 4);
    }
}

static bool byte_scales(int mode) { return mode == SCALED_16_UE4M3 || mode == SCALED_32_UE8M0; }

static struct operand operand(unsigned type, int mode, int vectors, int depth, uint64_t seed)
{
    struct operand o = {.type = type, .mode = mode, .vectors = vectors, .depth = depth, .pitch = depth + 16};
    size_t elements = (size_t)(o.pitch * vectors);
    o.data = rig_matrix(type == FP4 ? GEMM_S8 : type, type == FP4 ? elements / 2 : elements, seed);
    o.scales = rig_matrix(byte_scales(mode) ? GEMM_S8 : GEMM_F32, scale_count(&o), seed + 7);
    for (size_t i = 0; i < o.scales.count && byte_scales(mode); i++) /* no NaN, and exponents near zero */
        ((uint8_t *)o.scales.host)[i] = (uint8_t)(mode == SCALED_32_UE8M0 ? 121 + ((uint8_t *)o.scales.host)[i] % 12
                                                                          : ((uint8_t *)o.scales.host)[i] % 127);
    assert_int_equal(cuMemcpyHtoD_v2(o.scales.device, o.scales.host, o.scales.count * product_size(o.scales.type)),
                     CUDA_SUCCESS);
    GOOD(cublasLtMatrixLayoutCreate(&o.layout, (int)type, (uint64_t)depth, (uint64_t)vectors, o.pitch));
    return o;
}

static void free_operand(struct operand *o)
{
    GOOD(cublasLtMatrixLayoutDestroy(o->layout));
    rig_free(&o->data);
    rig_free(&o->scales);
}

static double element(const struct operand *o, int v, int l)
{
    static const double values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    size_t at = (size_t)(v * o->pitch + l);
    if (o->type != FP4)
        return read_one(&o->data, o->data.host, at);
    unsigned bits = ((const uint8_t *)o->data.host)[at / 2] >> (at % 2 * 4) & 15;
    return bits & 8 ? -values[bits & 7] : values[bits];
}

/* The scale for place l in vector v. One-byte scales stand in tiles (128 vectors, four blocks): 32 rows by 16 bytes. */
static double scale(const struct operand *o, int v, int l)
{
    int each = o->mode == SCALED_16_UE4M3 ? 16 : 32, block = l / each, tiles = up(up(o->depth, each), 4);
    size_t tiled = (size_t)(((v / 128 * tiles + block / 4) * 32 + v % 32) * 16 + v % 128 / 32 * 4 + block % 4);
    const uint8_t *bytes = o->scales.host;
    const float *floats = o->scales.host;
    switch (o->mode) {
    case SCALED_16_UE4M3: return rig_fp8_value(bytes[tiled], 3, 7);
    case SCALED_32_UE8M0: return ldexp(1, bytes[tiled] - 127);
    case SCALED_VECTOR: return (double)floats[v];
    case SCALED_128: return (double)floats[l / 128 * o->vectors + v];
    default: return (double)floats[v / 128 * (up(up(o->depth, 128), 4) * 4) + l / 128];
    }
}

struct scaled_case {
    unsigned type_a, type_b, result;
    int mode_a, mode_b;
    uint32_t epilogue;
};

static operation_t operation(const struct scaled_case *c, const struct operand *a, const struct operand *b,
                             const struct rig_matrix *bias)
{
    operation_t op;
    int32_t transposed = BLAS_T, modes[2] = {c->mode_a, c->mode_b};
    void *places[3] = {rig_at(&a->scales, 0), rig_at(&b->scales, 0), rig_at(bias, 0)};
    GOOD(cublasLtMatmulDescCreate(&op, BLAS_COMPUTE_32F, GEMM_F32));
    GOOD(cublasLtMatmulDescSetAttribute(op, TRANSA, &transposed, sizeof transposed));
    GOOD(cublasLtMatmulDescSetAttribute(op, SCALE_MODE_A, &modes[0], sizeof modes[0]));
    GOOD(cublasLtMatmulDescSetAttribute(op, SCALE_MODE_B, &modes[1], sizeof modes[1]));
    GOOD(cublasLtMatmulDescSetAttribute(op, SCALE_A, &places[0], sizeof places[0]));
    GOOD(cublasLtMatmulDescSetAttribute(op, SCALE_B, &places[1], sizeof places[1]));
    GOOD(cublasLtMatmulDescSetAttribute(op, EPILOGUE, &c->epilogue, sizeof c->epilogue));
    GOOD(cublasLtMatmulDescSetAttribute(op, BIAS, &places[2], sizeof places[2]));
    return op;
}

static void compare(const struct scaled_case *c, const struct operand *a, const struct operand *b,
                    const struct rig_matrix *d, int ldd, const struct rig_matrix *bias, double alpha, double beta)
{
    void *found = rig_result(d);
    for (int j = 0; j < b->vectors; j++)
        for (int i = 0; i < a->vectors; i++) {
            double sum = 0, size = 0;
            for (int l = 0; l < a->depth; l++) {
                double x = element(a, i, l) * scale(a, i, l) * element(b, j, l) * scale(b, j, l);
                sum += x;
                size += fabs(x);
            }
            size_t at = (size_t)(j * ldd + i);
            double right = alpha * sum + beta * read_one(d, d->host, at);
            if (c->epilogue & GEMM_BIAS)
                right += read_one(bias, bias->host, (size_t)i);
            if (c->epilogue & GEMM_RELU)
                right = right > 0 ? right : 0;
            double got = read_one(d, found, at);
            double allowed = (fabs(alpha) * size + 2) * (a->depth + 8) * 0x1p-23 +
                             (fabs(right) + 1e-6) * rig_precision(c->result) * 1.01;
            if (!(fabs(got - right) <= allowed))
                fail_msg("modes %d and %d, types %u and %u, (%d, %d): %.9g instead of %.9g, allowed %g", c->mode_a,
                         c->mode_b, c->type_a, c->type_b, i, j, got, right, allowed);
        }
    free(found);
}

static void try(const struct scaled_case *c, int m, int n, int k)
{
    cublasHandle_t handle = rig_handle(blackwell);
    struct operand a = operand(c->type_a, c->mode_a, m, k, 1), b = operand(c->type_b, c->mode_b, n, k, 2);
    int ldd = m + 3, count = 0;
    struct rig_matrix d = rig_matrix(c->result, (size_t)(ldd * n), 3), bias = rig_matrix(c->result, (size_t)m, 4);
    layout_t layout;
    preference_t preference;
    char results[96];
    float alpha = 1.5f, beta = -0.5f;
    operation_t op = operation(c, &a, &b, &bias);
    GOOD(cublasLtMatrixLayoutCreate(&layout, (int)c->result, (uint64_t)m, (uint64_t)n, ldd));
    GOOD(cublasLtMatmulPreferenceCreate(&preference));
    GOOD(
        cublasLtMatmulAlgoGetHeuristic(handle, op, a.layout, b.layout, layout, layout, preference, 1, results, &count));
    assert_int_equal(count, 1);
    GOOD(cublasLtMatmul(handle, op, &alpha, rig_at(&a.data, 0), a.layout, rig_at(&b.data, 0), b.layout, &beta,
                        rig_at(&d, 0), layout, rig_at(&d, 0), layout, results, NULL, 0, NULL));
    compare(c, &a, &b, &d, ldd, &bias, 1.5, -0.5);
    GOOD(cublasLtMatmulPreferenceDestroy(preference));
    GOOD(cublasLtMatmulDescDestroy(op));
    GOOD(cublasLtMatrixLayoutDestroy(layout));
    free_operand(&a), free_operand(&b);
    rig_free(&d), rig_free(&bias);
}

static void every_mode_agrees_with_sums_in_double(void **state)
{
    (void)state;
    static const struct scaled_case cases[] = {
        {FP4, FP4, GEMM_F32, SCALED_16_UE4M3, SCALED_16_UE4M3, GEMM_NO_STEP},
        {FP4, FP4, GEMM_BF16, SCALED_16_UE4M3, SCALED_16_UE4M3, GEMM_BIAS},
        {GEMM_E4M3, GEMM_E4M3, GEMM_F32, SCALED_32_UE8M0, SCALED_32_UE8M0, GEMM_NO_STEP},
        {GEMM_E4M3, GEMM_E5M2, GEMM_F16, SCALED_32_UE8M0, SCALED_32_UE8M0, GEMM_RELU | GEMM_BIAS},
        {GEMM_E4M3, GEMM_E4M3, GEMM_BF16, SCALED_VECTOR, SCALED_VECTOR, GEMM_BIAS},
        {GEMM_E5M2, GEMM_E4M3, GEMM_F32, SCALED_128, SCALED_128, GEMM_NO_STEP},
        {GEMM_E4M3, GEMM_E4M3, GEMM_BF16, SCALED_128, SCALED_SQUARE, GEMM_NO_STEP},
        {GEMM_E4M3, GEMM_E4M3, GEMM_F32, SCALED_SQUARE, SCALED_128, GEMM_RELU},
    };
    static const int sizes[][3] = {{1, 1, 32}, {33, 20, 160}, {150, 40, 96}, {16, 260, 700}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            try(&cases[i], sizes[s][0], sizes[s][1], sizes[s][2]);
}

/* Changes a good call in one way, which has no kernel or is wrong. */
static void refused(const struct scaled_case *c, int attribute, int32_t value, cublasStatus_t status)
{
    cublasHandle_t handle = rig_handle(blackwell);
    struct operand a = operand(c->type_a, SCALED_32_UE8M0, 32, 32, 1),
                   b = operand(c->type_b, SCALED_32_UE8M0, 32, 32, 2);
    struct rig_matrix d = rig_matrix(GEMM_F32, 32 * 32, 3);
    operation_t op = operation(c, &a, &b, &d);
    layout_t layout;
    float one = 1;
    void *none = NULL;
    if (attribute == SCALE_A)
        GOOD(cublasLtMatmulDescSetAttribute(op, attribute, &none, sizeof none));
    else
        GOOD(cublasLtMatmulDescSetAttribute(op, attribute, &value, sizeof value));
    GOOD(cublasLtMatrixLayoutCreate(&layout, GEMM_F32, 32, 32, 32));
    assert_int_equal(cublasLtMatmul(handle, op, &one, rig_at(&a.data, 0), a.layout, rig_at(&b.data, 0), b.layout, &one,
                                    rig_at(&d, 0), layout, rig_at(&d, 0), layout, NULL, NULL, 0, NULL),
                     status);
    void *found = rig_result(&d);
    assert_memory_equal(found, d.host, d.count * sizeof(float));
    free(found);
    GOOD(cublasLtMatmulDescDestroy(op));
    GOOD(cublasLtMatrixLayoutDestroy(layout));
    free_operand(&a), free_operand(&b);
    rig_free(&d);
}

static void modes_without_a_kernel_are_refused(void **state)
{
    (void)state;
    rig_handle(blackwell);
    struct scaled_case c = {GEMM_E4M3, GEMM_E4M3, GEMM_F32, SCALED_32_UE8M0, SCALED_32_UE8M0, GEMM_NO_STEP};
    refused(&c, SCALE_MODE_B, SCALED_VECTOR, CUBLAS_STATUS_NOT_SUPPORTED);
    refused(&c, SCALE_MODE_B, SCALED_WHOLE, CUBLAS_STATUS_NOT_SUPPORTED);
    refused(&c, SCALE_MODE_B, SCALED_16_UE4M3, CUBLAS_STATUS_NOT_SUPPORTED);
    refused(&c, SCALE_MODE_B, 99, CUBLAS_STATUS_NOT_SUPPORTED);
    refused(&c, SCALE_MODE_D, SCALED_32_UE8M0, CUBLAS_STATUS_NOT_SUPPORTED);
    refused(&c, TRANSA, BLAS_N, CUBLAS_STATUS_NOT_SUPPORTED);
    refused(&c, TRANSB, BLAS_T, CUBLAS_STATUS_NOT_SUPPORTED);
    refused(&c, EPILOGUE, 256, CUBLAS_STATUS_NOT_SUPPORTED);
    refused(&c, SCALE_A, 0, CUBLAS_STATUS_INVALID_VALUE);
    struct scaled_case wide = {GEMM_F32, GEMM_F32, GEMM_F32, SCALED_32_UE8M0, SCALED_32_UE8M0, GEMM_NO_STEP};
    refused(&wide, TRANSA, BLAS_T, CUBLAS_STATUS_NOT_SUPPORTED);
}

UNIT_TESTS(UNIT(every_mode_agrees_with_sums_in_double), UNIT(modes_without_a_kernel_are_refused))
