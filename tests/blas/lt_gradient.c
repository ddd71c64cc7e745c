/* cublasLt's bias gradients, alone and behind ReLU and GELU, and the bits that ReLU keeps, against sums in double. */
#include "blas/lt_epilogue.h"
#include "tests/blas/lt_rig.h"

enum { BIAS_STRIDE = 10, AUX_STRIDE = 13, BIAS_TYPE = 26 };
enum { BITS = GEMM_RELU | GEMM_AUX, RELU_BACK = GEMM_AUX | GEMM_RELU_GRADIENT };
enum { GELU_BACK = GEMM_AUX | GEMM_GELU_GRADIENT };

/* A call with its matrices: A, B and D, the vector, and the auxiliary matrix. */
struct call {
    struct lt_case c;
    struct stored s[3];
    struct rig_matrix bias, aux;
    long long aux_ld;
    unsigned bias_type;
};

static bool has_bits(const struct lt_case *c) { return (c->epilogue & (GEMM_RELU | GEMM_RELU_GRADIENT)) != 0; }

static long long bias_length(const struct lt_case *c) { return (c->epilogue == LT_BIAS_GRADIENT_B ? c->n : c->m) + 3; }

static struct call call_of(const struct lt_case *c, unsigned bias_type)
{
    rig_handle(gpu);
    bool a_n = c->op_a == BLAS_N, b_n = c->op_b == BLAS_N;
    struct call call = {.c = *c, .aux_ld = has_bits(c) ? (c->m + 127) / 128 * 128 : (c->m + 7) / 8 * 8};
    call.s[0] = stored(c->type, a_n ? c->m : c->k, a_n ? c->k : c->m, c, false, 1);
    call.s[1] = stored(c->type, b_n ? c->k : c->n, b_n ? c->n : c->k, c, false, 2);
    call.s[2] = stored(c->result, c->m, c->n, c, false, 3);
    call.bias_type = bias_type;
    call.bias = rig_matrix(bias_type, (size_t)(bias_length(c) * c->batch), 4);
    size_t aux = (size_t)(call.aux_ld * c->n * c->batch);
    call.aux = has_bits(c) ? rig_matrix(GEMM_S8, aux / 8, 5) : rig_matrix(c->result, aux, 5);
    return call;
}

static void free_call(struct call *call)
{
    for (int i = 0; i < 3; i++)
        release(&call->s[i]);
    rig_free(&call->bias);
    rig_free(&call->aux);
}

static operation_t operation(const struct call *call)
{
    const struct lt_case *c = &call->c;
    operation_t op;
    bool wide = c->type == GEMM_F64;
    int32_t ops[2] = {c->op_a, c->op_b}, bias_type = (int32_t)call->bias_type;
    int64_t bias_stride = bias_length(c), aux_stride = call->aux_ld * c->n;
    uint32_t epilogue = c->epilogue;
    void *places[2] = {rig_at(&call->bias, 0), rig_at(&call->aux, 0)};
    GOOD(cublasLtMatmulDescCreate(&op, wide ? BLAS_COMPUTE_64F : BLAS_COMPUTE_32F, wide ? GEMM_F64 : GEMM_F32));
    GOOD(cublasLtMatmulDescSetAttribute(op, TRANSA, &ops[0], sizeof ops[0]));
    GOOD(cublasLtMatmulDescSetAttribute(op, TRANSB, &ops[1], sizeof ops[1]));
    GOOD(cublasLtMatmulDescSetAttribute(op, EPILOGUE, &epilogue, sizeof epilogue));
    GOOD(cublasLtMatmulDescSetAttribute(op, BIAS, &places[0], sizeof places[0]));
    GOOD(cublasLtMatmulDescSetAttribute(op, BIAS_TYPE, &bias_type, sizeof bias_type));
    GOOD(cublasLtMatmulDescSetAttribute(op, BIAS_STRIDE, &bias_stride, sizeof bias_stride));
    GOOD(cublasLtMatmulDescSetAttribute(op, AUX, &places[1], sizeof places[1]));
    GOOD(cublasLtMatmulDescSetAttribute(op, AUX_LD, &call->aux_ld, sizeof call->aux_ld));
    GOOD(cublasLtMatmulDescSetAttribute(op, AUX_STRIDE, &aux_stride, sizeof aux_stride));
    return op;
}

static cublasStatus_t run(const struct call *call, operation_t op)
{
    const struct lt_case *c = &call->c;
    double wide[2] = {(double)c->alpha, (double)c->beta};
    bool is_wide = c->type == GEMM_F64;
    return cublasLtMatmul(rig_handle(gpu), op, is_wide ? (const void *)&wide[0] : &c->alpha,
                          rig_at(&call->s[0].data, 0), call->s[0].layout, rig_at(&call->s[1].data, 0),
                          call->s[1].layout, is_wide ? (const void *)&wide[1] : &c->beta, rig_at(&call->s[2].data, 0),
                          call->s[2].layout, rig_at(&call->s[2].data, 0), call->s[2].layout, NULL, NULL, 0, NULL);
}

/* The product's element before the epilogue, and its rounding. */
static double element(const struct call *call, int z, int i, int j, double *rounding)
{
    const struct lt_case *c = &call->c;
    const struct stored *s = call->s;
    struct rig_sum sum = rig_product(&s[0].data, (size_t)(z * s[0].stride), s[0].ld, c->op_a, &s[1].data,
                                     (size_t)(z * s[1].stride), s[1].ld, c->op_b, (size_t)i, (size_t)j, (size_t)c->k);
    double old = read_one(&s[2].data, s[2].data.host, place(&s[2], z, i, j));
    double x = (double)c->alpha * sum.re + (double)c->beta * old;
    *rounding = (sum.size * fabs((double)c->alpha) + 2) * (2 * c->k + 8) *
                rig_precision(c->type == GEMM_F64 ? c->type : GEMM_F32);
    return x;
}

static bool bit(const struct call *call, const void *bytes, int z, int i, int j)
{
    size_t at = (size_t)((z * call->c.n + j) * call->aux_ld + i);
    return ((const uint8_t *)bytes)[at / 8] >> at % 8 & 1;
}

/* Checks gradients, ReLU's bits, and each row's sum. */
static void check_steps(const struct call *call, const void *d, const void *aux, const void *bias)
{
    const struct lt_case *c = &call->c;
    for (int z = 0; z < c->batch; z++)
        for (int i = 0; i < c->m; i++) {
            double row = 0, allowed = 0,
                   added = read_one(&call->bias, call->bias.host, (size_t)(z * bias_length(c) + i));
            for (int j = 0; j < c->n; j++) {
                double rounding, x = element(call, z, i, j, &rounding), right = x;
                double got = read_one(&call->s[2].data, d, place(&call->s[2], z, i, j));
                if (c->epilogue & GEMM_BIAS)
                    right = x += added;
                if (c->epilogue & GEMM_GELU_GRADIENT)
                    right = x * gelu_slope(
                                    read_one(&call->aux, call->aux.host, (size_t)((z * c->n + j) * call->aux_ld + i)));
                else if (c->epilogue & GEMM_RELU_GRADIENT)
                    right = bit(call, call->aux.host, z, i, j) ? x : 0;
                else
                    right = x > 0 ? x : 0;
                double limit = 1.3 * rounding + (fabs(right) + 1) * rig_precision(c->result) * 1.01;
                if (!(fabs(got - right) <= limit))
                    fail_msg("epilogue %u, type %u, (%d, %d): %.9g instead of %.9g", c->epilogue, c->type, i, j, got,
                             right);
                if ((c->epilogue & BITS) == BITS && fabs(x) > rounding)
                    assert_int_equal(bit(call, aux, z, i, j), x > 0);
                row += right;
                allowed += limit;
            }
            double sum = read_one(&call->bias, bias, (size_t)(z * bias_length(c) + i));
            double kept = c->epilogue & GEMM_BIAS_GRADIENT ? row : added;
            allowed =
                c->epilogue & GEMM_BIAS_GRADIENT ? allowed + fabs(row) * rig_precision(call->bias_type) * 1.01 : 0;
            if (!(fabs(sum - kept) <= allowed))
                fail_msg("epilogue %u, type %u, row %d: sum %.9g instead of %.9g", c->epilogue, c->type, i, sum, kept);
        }
}

/* Gradients by A or B: D is the product, and the vector has the sums over the depth. */
static void check_operand(const struct call *call, const void *d, const void *bias)
{
    const struct lt_case *c = &call->c;
    bool of_b = c->epilogue == LT_BIAS_GRADIENT_B;
    const struct stored *m = &call->s[of_b];
    bool along = of_b == ((of_b ? c->op_b : c->op_a) == BLAS_N);
    for (int z = 0; z < c->batch; z++) {
        for (int v = 0; v < (of_b ? c->n : c->m); v++) {
            double sum = 0, size = 0, got = read_one(&call->bias, bias, (size_t)(z * bias_length(c) + v));
            for (int l = 0; l < c->k; l++) {
                double x = read_one(&m->data, m->data.host, place(m, z, along ? l : v, along ? v : l));
                sum += x;
                size += fabs(x);
            }
            double unit = rig_precision(c->type == GEMM_F64 ? GEMM_F64 : GEMM_F32);
            if (!(fabs(got - sum) <= size * c->k * unit + fabs(sum) * rig_precision(call->bias_type) * 1.01))
                fail_msg("epilogue %u, type %u, vector %d: %.9g instead of %.9g", c->epilogue, c->type, v, got, sum);
        }
        for (int j = 0; j < c->n; j++)
            for (int i = 0; i < c->m; i++) {
                double rounding, x = element(call, z, i, j, &rounding);
                double got = read_one(&call->s[2].data, d, place(&call->s[2], z, i, j));
                assert_true(fabs(got - x) <= rounding + (fabs(x) + 1) * rig_precision(c->result) * 1.01);
            }
    }
}

/* The bytes between the vectors of a batch stay as they were. */
static void check_gaps(const struct call *call, const void *bias)
{
    long long length = bias_length(&call->c);
    for (int z = 0; z < call->c.batch; z++)
        for (long long i = length - 3; i < length; i++)
            assert_true(read_one(&call->bias, bias, (size_t)(z * length + i)) ==
                        read_one(&call->bias, call->bias.host, (size_t)(z * length + i)));
}

static void try(const struct lt_case *c, unsigned bias_type)
{
    struct call call = call_of(c, bias_type);
    operation_t op = operation(&call);
    preference_t preference;
    char results[96];
    int count = 0;
    layout_t l[3] = {call.s[0].layout, call.s[1].layout, call.s[2].layout};
    GOOD(cublasLtMatmulPreferenceCreate(&preference));
    GOOD(cublasLtMatmulAlgoGetHeuristic(rig_handle(gpu), op, l[0], l[1], l[2], l[2], preference, 1, results, &count));
    assert_int_equal(count, 1);
    GOOD(run(&call, op));
    void *d = rig_result(&call.s[2].data), *aux = rig_result(&call.aux), *bias = rig_result(&call.bias);
    if (c->epilogue >= LT_BIAS_GRADIENT_A)
        check_operand(&call, d, bias);
    else
        check_steps(&call, d, aux, bias);
    check_gaps(&call, bias);
    free(d), free(aux), free(bias);
    GOOD(cublasLtMatmulPreferenceDestroy(preference));
    GOOD(cublasLtMatmulDescDestroy(op));
    free_call(&call);
}

static const unsigned types[][3] = {{GEMM_F32, GEMM_F32, GEMM_F32},
                                    {GEMM_F16, GEMM_F16, GEMM_F16},
                                    {GEMM_BF16, GEMM_BF16, GEMM_BF16},
                                    {GEMM_F16, GEMM_F32, GEMM_F32},
                                    {GEMM_BF16, GEMM_BF16, GEMM_F32}};
enum { TYPES = sizeof types / sizeof types[0] };

static struct lt_case shaped(unsigned type, unsigned result, unsigned epilogue, int ops)
{
    return (struct lt_case){.type = type,
                            .result = result,
                            .m = 33 + 53 * ops,
                            .n = 20 + ops,
                            .k = 70,
                            .more = ops,
                            .op_a = ops % 2,
                            .op_b = ops / 2,
                            .batch = 1 + ops % 3,
                            .epilogue = epilogue,
                            .alpha = 1.5f,
                            .beta = ops == 1 ? 0 : -0.5f};
}

static void gradients_of_a_bias_agree_with_sums_in_double(void **state)
{
    (void)state;
    static const unsigned epilogues[] = {RELU_BACK | GEMM_BIAS_GRADIENT, GELU_BACK | GEMM_BIAS_GRADIENT,
                                         LT_BIAS_GRADIENT_A, LT_BIAS_GRADIENT_B};
    for (size_t e = 0; e < sizeof epilogues / sizeof epilogues[0]; e++)
        for (size_t t = 0; t < TYPES; t++)
            for (int ops = 0; ops < 4; ops++) {
                struct lt_case c = shaped(types[t][0], types[t][1], epilogues[e], ops);
                try(&c, types[t][2]);
            }
}

static void fp64_has_gradients_by_its_operands(void **state)
{
    (void)state;
    for (int ops = 0; ops < 4; ops++)
        for (unsigned e = LT_BIAS_GRADIENT_A; e <= LT_BIAS_GRADIENT_B; e *= 2) {
            struct lt_case c = shaped(GEMM_F64, GEMM_F64, e, ops);
            try(&c, GEMM_F64);
        }
}

static void relu_keeps_the_bits_that_its_gradient_reads(void **state)
{
    (void)state;
    static const unsigned epilogues[] = {BITS, BITS | GEMM_BIAS, RELU_BACK};
    for (size_t e = 0; e < sizeof epilogues / sizeof epilogues[0]; e++)
        for (size_t t = 0; t < TYPES - 1; t++)
            for (int ops = 0; ops < 4; ops++) {
                struct lt_case c = shaped(types[t][0], types[t][1], epilogues[e], ops);
                try(&c, types[t][1]);
            }
}

static void missing_vectors_and_odd_masks_are_refused(void **state)
{
    (void)state;
    void *null = NULL;
    int64_t odd = 96;
    struct lt_case c = shaped(GEMM_F32, GEMM_F32, RELU_BACK | GEMM_BIAS_GRADIENT, 0);
    struct call call = call_of(&c, GEMM_F32);
    operation_t op = operation(&call);
    GOOD(cublasLtMatmulDescSetAttribute(op, AUX_LD, &odd, sizeof odd));
    assert_int_equal(run(&call, op), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasLtMatmulDescSetAttribute(op, AUX_LD, &call.aux_ld, sizeof call.aux_ld));
    GOOD(cublasLtMatmulDescSetAttribute(op, AUX, &null, sizeof null));
    assert_int_equal(run(&call, op), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasLtMatmulDescDestroy(op));
    op = operation(&call);
    GOOD(cublasLtMatmulDescSetAttribute(op, BIAS, &null, sizeof null));
    assert_int_equal(run(&call, op), CUBLAS_STATUS_INVALID_VALUE);
    uint32_t unknown[] = {GEMM_BIAS_GRADIENT, LT_BIAS_GRADIENT_A | GEMM_RELU, GEMM_RELU | GEMM_GELU, 0, 1024};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        GOOD(cublasLtMatmulDescSetAttribute(op, EPILOGUE, &unknown[i], sizeof unknown[i]));
        assert_int_equal(run(&call, op), CUBLAS_STATUS_NOT_SUPPORTED);
    }
    void *d = rig_result(&call.s[2].data);
    assert_memory_equal(d, call.s[2].data.host, call.s[2].data.count * sizeof(float));
    free(d);
    GOOD(cublasLtMatmulDescDestroy(op));
    free_call(&call);
}

UNIT_TESTS(UNIT(gradients_of_a_bias_agree_with_sums_in_double), UNIT(fp64_has_gradients_by_its_operands),
           UNIT(relu_keeps_the_bits_that_its_gradient_reads), UNIT(missing_vectors_and_odd_masks_are_refused))
