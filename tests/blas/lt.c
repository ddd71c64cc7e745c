/* cublasLt: products with their epilogues, orders, batches and FP8 scales against sums in double, attributes, and the
 * answers to wrong arguments. */
#include "tests/blas/lt_rig.h"

static operation_t operation_of(const struct lt_case *c, const struct rig_matrix *bias, const struct rig_matrix *aux)
{
    operation_t op;
    int32_t ops[2] = {c->op_a, c->op_b};
    bool wide = c->type == GEMM_F64;
    GOOD(cublasLtMatmulDescCreate(&op, wide ? BLAS_COMPUTE_64F : BLAS_COMPUTE_32F, wide ? GEMM_F64 : GEMM_F32));
    GOOD(cublasLtMatmulDescSetAttribute(op, TRANSA, &ops[0], sizeof ops[0]));
    GOOD(cublasLtMatmulDescSetAttribute(op, TRANSB, &ops[1], sizeof ops[1]));
    uint32_t epilogue = c->epilogue;
    void *places[2] = {rig_at(bias, 0), rig_at(aux, 0)};
    int64_t aux_ld = c->m + 8;
    GOOD(cublasLtMatmulDescSetAttribute(op, EPILOGUE, &epilogue, sizeof epilogue));
    if (epilogue & GEMM_BIAS)
        GOOD(cublasLtMatmulDescSetAttribute(op, BIAS, &places[0], sizeof places[0]));
    if (epilogue & GEMM_AUX) {
        GOOD(cublasLtMatmulDescSetAttribute(op, AUX, &places[1], sizeof places[1]));
        GOOD(cublasLtMatmulDescSetAttribute(op, AUX_LD, &aux_ld, sizeof aux_ld));
    }
    return op;
}

/* The epilogue of x. A value that it keeps is compared with the device's. */
static double finished(const struct lt_case *c, double x, double bias, double old_aux, double new_aux, double allowed)
{
    if (c->epilogue & GEMM_BIAS)
        x += bias;
    if (c->epilogue & GEMM_GELU_GRADIENT)
        return x * gelu_slope(old_aux);
    if (c->epilogue & GEMM_GELU) {
        if ((c->epilogue & GEMM_AUX) && !(fabs(new_aux - x) <= allowed))
            fail_msg("the input of GELU is kept as %.9g instead of %.9g", new_aux, x);
        return gelu(x);
    }
    return (c->epilogue & GEMM_RELU) && x < 0 ? 0 : x;
}

static void compare(const struct lt_case *c, const struct stored s[3], const struct rig_matrix *bias,
                    const struct rig_matrix *aux)
{
    void *found = rig_result(&s[2].data), *kept = rig_result(aux);
    for (int z = 0; z < c->batch; z++)
        for (int j = 0; j < c->n; j++)
            for (int i = 0; i < c->m; i++) {
                struct rig_sum sum =
                    rig_product(&s[0].data, (size_t)(z * s[0].stride), s[0].ld, c->op_a, &s[1].data,
                                (size_t)(z * s[1].stride), s[1].ld, c->op_b, (size_t)i, (size_t)j, (size_t)c->k);
                size_t at = place(&s[2], z, i, j), aux_at = (size_t)(j * (c->m + 8) + i);
                double x = (double)c->alpha * sum.re + (double)c->beta * read_one(&s[2].data, s[2].data.host, at);
                double allowed = (sum.size * fabs((double)c->alpha) + 2) * (2 * c->k + 8) *
                                     (c->type == GEMM_F64 ? 0x1p-53 : 0x1p-24) +
                                 (fabs(x) + 1) * rig_precision(c->result);
                double right = finished(c, x, read_one(bias, bias->host, (size_t)i), read_one(aux, aux->host, aux_at),
                                        read_one(aux, kept, aux_at), allowed);
                double got = read_one(&s[2].data, found, at);
                allowed += fabs(right) * rig_precision(c->result) * 1.01;
                if (!(fabs(got - right) <= 1.2 * allowed))
                    fail_msg("epilogue %u, type %u, (%d, %d) of %d: %.9g instead of %.9g", c->epilogue, c->type, i, j,
                             z, got, right);
            }
    free(found);
    free(kept);
}

static void try(const struct lt_case *c)
{
    cublasHandle_t handle = rig_handle(gpu);
    bool a_n = c->op_a == BLAS_N, b_n = c->op_b == BLAS_N;
    struct stored s[3] = {
        stored(c->type, a_n ? c->m : c->k, a_n ? c->k : c->m, c, false, 1),
        stored(c->type, b_n ? c->k : c->n, b_n ? c->n : c->k, c, false, 2),
        stored(c->result, c->m, c->n, c, c->by_rows, 3),
    };
    struct rig_matrix bias = rig_matrix(c->result, (size_t)c->m, 4);
    struct rig_matrix aux = rig_matrix(c->result, (size_t)((c->m + 8) * c->n), 5);
    operation_t op = operation_of(c, &bias, &aux);
    preference_t preference;
    char results[96];
    int count = 0;
    double alpha = (double)c->alpha, beta = (double)c->beta;
    bool wide = c->type == GEMM_F64;
    GOOD(cublasLtMatmulPreferenceCreate(&preference));
    GOOD(cublasLtMatmulAlgoGetHeuristic(handle, op, s[0].layout, s[1].layout, s[2].layout, s[2].layout, preference, 1,
                                        results, &count));
    assert_int_equal(count, 1);
    GOOD(cublasLtMatmul(handle, op, wide ? (const void *)&alpha : &c->alpha, rig_at(&s[0].data, 0), s[0].layout,
                        rig_at(&s[1].data, 0), s[1].layout, wide ? (const void *)&beta : &c->beta,
                        rig_at(&s[2].data, 0), s[2].layout, rig_at(&s[2].data, 0), s[2].layout, results, NULL, 0,
                        NULL));
    compare(c, s, &bias, &aux);
    GOOD(cublasLtMatmulPreferenceDestroy(preference));
    GOOD(cublasLtMatmulDescDestroy(op));
    for (int i = 0; i < 3; i++)
        release(&s[i]);
    rig_free(&bias);
    rig_free(&aux);
}

static void every_epilogue_agrees_with_its_function_in_double(void **state)
{
    (void)state;
    static const unsigned epilogues[] = {GEMM_NO_STEP,
                                         GEMM_RELU,
                                         GEMM_BIAS,
                                         GEMM_RELU | GEMM_BIAS,
                                         GEMM_GELU,
                                         GEMM_GELU | GEMM_BIAS,
                                         GEMM_GELU | GEMM_AUX,
                                         GEMM_GELU | GEMM_AUX | GEMM_BIAS,
                                         GEMM_AUX | GEMM_GELU_GRADIENT};
    static const unsigned types[][2] = {
        {GEMM_F32, GEMM_F32}, {GEMM_F16, GEMM_F16}, {GEMM_BF16, GEMM_BF16}, {GEMM_F16, GEMM_F32}};
    for (size_t e = 0; e < sizeof epilogues / sizeof epilogues[0]; e++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (int ops = 0; ops < 4; ops++)
                try(&(struct lt_case){.type = types[t][0],
                                      .result = types[t][1],
                                      .m = 33 + 7 * ops,
                                      .n = 20,
                                      .k = 24,
                                      .more = ops,
                                      .op_a = ops % 2,
                                      .op_b = ops / 2,
                                      .batch = 1,
                                      .epilogue = epilogues[e],
                                      .alpha = 1.5f,
                                      .beta = ops == 1 ? 0 : -0.5f});
}

static void fp64_has_a_bias_and_relu(void **state)
{
    (void)state;
    static const unsigned epilogues[] = {GEMM_NO_STEP, GEMM_RELU, GEMM_BIAS, GEMM_RELU | GEMM_BIAS};
    for (size_t e = 0; e < sizeof epilogues / sizeof epilogues[0]; e++)
        try(&(struct lt_case){.type = GEMM_F64,
                              .result = GEMM_F64,
                              .m = 33,
                              .n = 20,
                              .k = 24,
                              .more = 1,
                              .op_a = BLAS_T,
                              .batch = 2,
                              .epilogue = epilogues[e],
                              .alpha = 1.5f,
                              .beta = -0.5f});
}

static void batches_and_results_by_rows_agree(void **state)
{
    (void)state;
    for (int ops = 0; ops < 4; ops++)
        for (int by_rows = 0; by_rows < 2; by_rows++)
            for (int half = 0; half < 2; half++)
                try(&(struct lt_case){.type = half ? GEMM_F16 : GEMM_F32,
                                      .result = half ? GEMM_F16 : GEMM_F32,
                                      .m = 17,
                                      .n = 30,
                                      .k = 9,
                                      .more = half,
                                      .op_a = ops % 2,
                                      .op_b = ops / 2,
                                      .batch = 3,
                                      .epilogue = GEMM_NO_STEP,
                                      .by_rows = by_rows,
                                      .alpha = 1,
                                      .beta = 2});
}

static void a_large_product_uses_tiles_of_every_size(void **state)
{
    (void)state;
    static const int sizes[][3] = {{200, 300, 64}, {1030, 1000, 40}, {16, 700, 100}, {1032, 2120, 40}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        try(&(struct lt_case){.type = GEMM_BF16,
                              .result = GEMM_F32,
                              .m = sizes[i][0],
                              .n = sizes[i][1],
                              .k = sizes[i][2],
                              .op_a = BLAS_T,
                              .op_b = BLAS_N,
                              .batch = 1,
                              .epilogue = GEMM_BIAS,
                              .alpha = 1,
                              .beta = 0});
}

static void scales_of_whole_matrices_multiply_fp8_operands(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    static const unsigned types[][2] = {{GEMM_E4M3, GEMM_E4M3}, {GEMM_E4M3, GEMM_E5M2}, {GEMM_E5M2, GEMM_E4M3}};
    float scales[3] = {0.5f, 0.25f, 4}, alpha = 1, beta = 0;
    struct lt_case c = {.m = 16, .n = 32, .k = 48, .batch = 1};
    struct rig_matrix factors = rig_matrix(GEMM_F32, 3, 9);
    assert_int_equal(cuMemcpyHtoD_v2(factors.device, scales, sizeof scales), CUDA_SUCCESS);
    for (size_t t = 0; t < 3; t++) {
        struct stored a = stored(types[t][0], c.k, c.m, &c, false, 1), b = stored(types[t][1], c.k, c.n, &c, false, 2);
        struct stored d = stored(GEMM_F32, c.m, c.n, &c, false, 3);
        c.op_a = BLAS_T, c.epilogue = GEMM_NO_STEP;
        operation_t op = operation_of(&c, &factors, &factors);
        static const int attributes[3] = {SCALE_A, SCALE_B, SCALE_D};
        for (size_t i = 0; i < 3; i++) {
            void *at = rig_at(&factors, i);
            GOOD(cublasLtMatmulDescSetAttribute(op, attributes[i], &at, sizeof at));
        }
        GOOD(cublasLtMatmul(handle, op, &alpha, rig_at(&a.data, 0), a.layout, rig_at(&b.data, 0), b.layout, &beta,
                            rig_at(&d.data, 0), d.layout, rig_at(&d.data, 0), d.layout, NULL, NULL, 0, NULL));
        void *found = rig_result(&d.data);
        for (int j = 0; j < c.n; j++)
            for (int i = 0; i < c.m; i++) {
                struct rig_sum sum =
                    rig_product(&a.data, 0, a.ld, BLAS_T, &b.data, 0, b.ld, BLAS_N, (size_t)i, (size_t)j, (size_t)c.k);
                double got = read_one(&d.data, found, place(&d, 0, i, j));
                assert_true(fabs(got - 0.5 * sum.re) <= sum.size * 48 * 0x1p-24);
            }
        free(found);
        GOOD(cublasLtMatmulDescDestroy(op));
        release(&a);
        release(&b);
        release(&d);
    }
    rig_free(&factors);
}

static void an_epilogue_without_a_kernel_has_no_algorithm_and_is_refused(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct lt_case c = {.m = 8, .n = 8, .k = 8, .batch = 1};
    struct stored s = stored(GEMM_F32, 8, 8, &c, false, 1);
    preference_t preference;
    operation_t op;
    uint32_t unknown = 1024;
    int32_t by_block = 1;
    float one = 1;
    char results[96];
    GOOD(cublasLtMatmulPreferenceCreate(&preference));
    for (int i = 0; i < 2; i++) {
        int count = 5;
        GOOD(cublasLtMatmulDescCreate(&op, BLAS_COMPUTE_32F, GEMM_F32));
        if (i == 0)
            GOOD(cublasLtMatmulDescSetAttribute(op, EPILOGUE, &unknown, sizeof unknown));
        else
            GOOD(cublasLtMatmulDescSetAttribute(op, SCALE_MODE_A, &by_block, sizeof by_block));
        GOOD(cublasLtMatmulAlgoGetHeuristic(handle, op, s.layout, s.layout, s.layout, s.layout, preference, 1, results,
                                            &count));
        assert_int_equal(count, 0);
        assert_int_equal(cublasLtMatmul(handle, op, &one, rig_at(&s.data, 0), s.layout, rig_at(&s.data, 0), s.layout,
                                        &one, rig_at(&s.data, 0), s.layout, rig_at(&s.data, 0), s.layout, NULL, NULL, 0,
                                        NULL),
                         CUBLAS_STATUS_NOT_SUPPORTED);
        GOOD(cublasLtMatmulDescDestroy(op));
    }
    GOOD(cublasLtMatmulPreferenceDestroy(preference));
    release(&s);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct lt_case c = {.m = 8, .n = 8, .k = 8, .batch = 1}, more = {.batch = 2};
    struct stored s = stored(GEMM_F32, 8, 8, &c, false, 1), tall = stored(GEMM_F32, 9, 8, &c, false, 1);
    struct stored batched = stored(GEMM_F32, 8, 8, &more, false, 1);
    operation_t op;
    float one = 1;
    char foreign[64] = {1};
    void *p = rig_at(&s.data, 0);
    GOOD(cublasLtMatmulDescCreate(&op, BLAS_COMPUTE_32F, GEMM_F32));
#define MATMUL(h, o, al, a, la, lb, lc, d, ld, algorithm)                                                              \
    cublasLtMatmul(h, o, al, a, la, p, lb, &one, p, lc, d, ld, algorithm, NULL, 0, NULL)
    layout_t l = s.layout;
    assert_int_equal(MATMUL(NULL, op, &one, p, l, l, l, p, l, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(MATMUL(handle, NULL, &one, p, l, l, l, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, NULL, p, l, l, l, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, NULL, l, l, l, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, p, NULL, l, l, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, p, l, l, l, p, NULL, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, p, l, l, l, NULL, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, p, l, l, l, p, l, foreign), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, p, tall.layout, l, l, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, p, l, tall.layout, l, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, p, l, l, tall.layout, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(MATMUL(handle, op, &one, p, batched.layout, l, l, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    uint32_t bias = GEMM_BIAS;
    GOOD(cublasLtMatmulDescSetAttribute(op, EPILOGUE, &bias, sizeof bias)); /* without its vector */
    assert_int_equal(MATMUL(handle, op, &one, p, l, l, l, p, l, NULL), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasLtMatmulDescDestroy(op));
    release(&s);
    release(&tall);
    release(&batched);
}

static void attributes_keep_their_value_and_check_its_size(void **state)
{
    (void)state;
    operation_t op;
    layout_t layout;
    uint64_t rows = 0;
    int32_t transposed = BLAS_T, read = 0;
    size_t written = 0;
    GOOD(cublasLtMatmulDescCreate(&op, BLAS_COMPUTE_32F, GEMM_F32));
    GOOD(cublasLtMatrixLayoutCreate(&layout, GEMM_F16, 12, 34, 16));
    GOOD(cublasLtMatrixLayoutGetAttribute(layout, 2, &rows, sizeof rows, &written));
    assert_true(rows == 12 && written == 8);
    GOOD(cublasLtMatrixLayoutGetAttribute(layout, 3, NULL, 0, &written));
    assert_true(written == 8);
    assert_int_equal(cublasLtMatrixLayoutGetAttribute(layout, 2, &rows, 4, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasLtMatrixLayoutGetAttribute(layout, 99, &rows, 8, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasLtMatrixLayoutSetAttribute(layout, 2, &rows, 4), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasLtMatrixLayoutSetAttribute(NULL, 2, &rows, 8), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasLtMatmulDescSetAttribute(op, TRANSB, &transposed, sizeof transposed));
    GOOD(cublasLtMatmulDescGetAttribute(op, TRANSB, &read, sizeof read, NULL));
    assert_int_equal(read, BLAS_T);
    assert_int_equal(cublasLtMatmulDescSetAttribute(op, TRANSB, &transposed, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasLtMatmulDescSetAttribute(op, TRANSB, NULL, 4), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasLtMatmulDescSetAttribute(op, -1, &transposed, 4), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasLtMatmulDescCreate(NULL, BLAS_COMPUTE_32F, GEMM_F32), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasLtMatmulPreferenceSetAttribute(NULL, 1, &rows, 8), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasLtMatmulDescDestroy(op));
    GOOD(cublasLtMatrixLayoutDestroy(layout));
}

UNIT_TESTS(UNIT(every_epilogue_agrees_with_its_function_in_double), UNIT(fp64_has_a_bias_and_relu),
           UNIT(batches_and_results_by_rows_agree), UNIT(a_large_product_uses_tiles_of_every_size),
           UNIT(scales_of_whole_matrices_multiply_fp8_operands),
           UNIT(an_epilogue_without_a_kernel_has_no_algorithm_and_is_refused),
           UNIT(wrong_arguments_have_the_documented_status), UNIT(attributes_keep_their_value_and_check_its_size))
