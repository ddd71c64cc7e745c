/* Transforms of matrices against double on the host: orders in memory, transposes, types, batches, scalars. */
#include "blas/kernels/transform.h"
#include "tests/blas/lt_rig.h"

typedef struct lt_transform *transform_t;
cublasStatus_t cublasLtMatrixTransformDescCreate(transform_t *, int);
cublasStatus_t cublasLtMatrixTransformDescInit_internal(transform_t, size_t, int);
cublasStatus_t cublasLtMatrixTransformDescDestroy(transform_t);
cublasStatus_t cublasLtMatrixTransformDescSetAttribute(transform_t, int, const void *, size_t);
cublasStatus_t cublasLtMatrixTransformDescGetAttribute(transform_t, int, void *, size_t, size_t *);
cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t, transform_t, const void *, const void *, layout_t,
                                       const void *, const void *, layout_t, void *, layout_t, CUstream);

enum { SCALE_TYPE = 0, POINTER_MODE = 1, TRANSFORM_A = 2, TRANSFORM_B = 3, MODE = 8, TYPE = 0, LD = 4, PLANE = 7 };
enum { GROUP = 32 };

/* ---- matrices in any order --------------------------------------------------------------------------------------- */

struct ordered {
    struct rig_matrix data;
    layout_t layout;
    int rows, columns, order, op;
    long long ld, stride;
};

/* The number of an element in memory, as the documentation of the orders tells it. */
static long long place_of(const struct ordered *m, int i, int j)
{
    int row = i % GROUP, column = j % GROUP;
    switch (m->order) {
    case TRANSFORM_ROWS: return i * m->ld + j;
    case TRANSFORM_COLUMNS_32: return j / GROUP * m->ld + i * GROUP + column;
    case TRANSFORM_TILES_32:
        return j / GROUP * m->ld + i / GROUP * GROUP * GROUP + ((row % 8 / 2 * 4 + row / 8) * 2 + row % 2) * GROUP +
               column;
    default: return j * m->ld + i;
    }
}

static void set(layout_t layout, int attribute, int64_t value, size_t size)
{
    GOOD(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, size));
}

/* A matrix whose op has so many rows and columns. */
static struct ordered ordered(unsigned type, int rows, int columns, int order, int op, int batch, uint64_t seed)
{
    rig_handle(gpu);
    struct ordered m = {.rows = op == BLAS_N ? rows : columns, .columns = op == BLAS_N ? columns : rows};
    int groups = (m.columns + GROUP - 1) / GROUP, tiles = (m.rows + GROUP - 1) / GROUP;
    m.order = order, m.op = op;
    switch (order) {
    case TRANSFORM_ROWS: m.ld = m.columns + 3, m.stride = m.ld * m.rows; break;
    case TRANSFORM_COLUMNS_32: m.ld = GROUP * m.rows + 5, m.stride = m.ld * groups; break;
    case TRANSFORM_TILES_32: m.ld = GROUP * GROUP * tiles + 7, m.stride = m.ld * groups; break;
    default: m.ld = m.rows + 2, m.stride = m.ld * m.columns;
    }
    m.stride += 16;
    m.data = rig_matrix(type, (size_t)(m.stride * batch), seed);
    GOOD(cublasLtMatrixLayoutCreate(&m.layout, (int)type, (uint64_t)m.rows, (uint64_t)m.columns, m.ld));
    set(m.layout, ORDER, order, 4);
    set(m.layout, BATCH, batch, 4);
    set(m.layout, STRIDE, m.stride, 8);
    return m;
}

static void let_go(struct ordered *m)
{
    GOOD(cublasLtMatrixLayoutDestroy(m->layout));
    rig_free(&m->data);
}

/* Reads element (i, j) of op(M). */
static void read_at(const struct ordered *m, int z, int i, int j, double x[2])
{
    long long at = m->op == BLAS_N ? place_of(m, i, j) : place_of(m, j, i);
    rig_read(m->data.host, m->data.type, (size_t)(z * m->stride + at), x);
    x[1] = m->op == BLAS_C ? -x[1] : x[1];
}

/* ---- one transform ----------------------------------------------------------------------------------------------- */

struct sum {
    unsigned scale;
    int rows, columns, batch;
    struct ordered a, b, c;
    double alpha[2], beta[2];
    char bytes[2][16];
    bool without_b;
};

static void put_scalars(struct sum *t, double alpha, double beta)
{
    bool complex = t->scale == GEMM_C32 || t->scale == GEMM_C64;
    t->alpha[0] = alpha, t->beta[0] = beta;
    t->alpha[1] = complex ? 0.5 : 0, t->beta[1] = complex ? -0.25 : 0;
    for (int k = 0; k < 2; k++)
        if (t->scale == GEMM_S32)
            *(int32_t *)(void *)t->bytes[k] = (int32_t)(k == 0 ? alpha : beta);
        else
            rig_write(t->bytes[k], t->scale, 0, k == 0 ? t->alpha : t->beta);
}

static void run(const struct sum *t, bool on_device)
{
    transform_t transform;
    struct rig_matrix scalars = rig_matrix(GEMM_C64, 2, 4);
    const void *alpha = t->bytes[0], *beta = t->bytes[1];
    int32_t op_a = t->a.op, op_b = t->b.op, mode = BLAS_DEVICE;
    GOOD(cublasLtMatrixTransformDescCreate(&transform, (int)t->scale));
    GOOD(cublasLtMatrixTransformDescSetAttribute(transform, TRANSFORM_A, &op_a, 4));
    GOOD(cublasLtMatrixTransformDescSetAttribute(transform, TRANSFORM_B, &op_b, 4));
    if (on_device) {
        assert_int_equal(cuMemcpyHtoD_v2(scalars.device, t->bytes, sizeof t->bytes), CUDA_SUCCESS);
        alpha = rig_at(&scalars, 0), beta = rig_at(&scalars, 1);
        GOOD(cublasLtMatrixTransformDescSetAttribute(transform, POINTER_MODE, &mode, 4));
    }
    GOOD(cublasLtMatrixTransform(rig_handle(gpu), transform, alpha, rig_at(&t->a.data, 0), t->a.layout, beta,
                                 t->without_b ? NULL : rig_at(&t->b.data, 0), t->without_b ? NULL : t->b.layout,
                                 rig_at(&t->c.data, 0), t->c.layout, NULL));
    GOOD(cublasLtMatrixTransformDescDestroy(transform));
    rig_free(&scalars);
}

static void add(double sum[2], const double scalar[2], const double x[2])
{
    sum[0] += scalar[0] * x[0] - scalar[1] * x[1];
    sum[1] += scalar[0] * x[1] + scalar[1] * x[0];
}

/* Returns the value that an integer type has for `x`, before it is rounded. */
static double saturated(double x, unsigned type)
{
    double most = type == GEMM_S8 ? 127 : 2147483647;
    return type == GEMM_S8 || type == GEMM_S32 ? fmax(-most - 1, fmin(most, x)) : x;
}

static double allowed(const struct sum *t, double size, double result)
{
    unsigned type = t->c.data.type;
    bool rounds = (type == GEMM_S8 || type == GEMM_S32) && t->scale != GEMM_S32;
    return 4 * size * rig_precision(t->scale) + fabs(result) * rig_precision(type) * 1.01 +
           (type == GEMM_F16 ? 0x1p-24 : 0) + (rounds ? 0.5 : 0);
}

static void check_element(const struct sum *t, const void *found, int z, int i, int j)
{
    double x[2], y[2], got[2], right[2] = {0}, size;
    size_t at = (size_t)(z * t->c.stride + place_of(&t->c, i, j));
    read_at(&t->a, z, i, j, x);
    add(right, t->alpha, x);
    size = hypot(t->alpha[0], t->alpha[1]) * hypot(x[0], x[1]);
    if (!t->without_b) {
        read_at(&t->b, z, i, j, y);
        add(right, t->beta, y);
        size += hypot(t->beta[0], t->beta[1]) * hypot(y[0], y[1]);
    }
    rig_read(found, t->c.data.type, at, got);
    right[0] = saturated(right[0], t->c.data.type);
    if (!(fabs(got[0] - right[0]) <= allowed(t, size, right[0])) ||
        !(fabs(got[1] - right[1]) <= allowed(t, size, right[1])))
        fail_msg("(%d, %d): %.17g %.17g instead of %.17g %.17g", i, j, got[0], got[1], right[0], right[1]);
    size_t bytes = product_size(t->c.data.type);
    memcpy((char *)t->c.data.host + at * bytes, (const char *)found + at * bytes, bytes);
}

/* Checks all elements, and that nothing else was written, and frees all. */
static void finish(struct sum *t)
{
    void *found = rig_result(&t->c.data);
    for (int z = 0; z < t->batch; z++)
        for (int j = 0; j < t->columns; j++)
            for (int i = 0; i < t->rows; i++)
                check_element(t, found, z, i, j);
    assert_memory_equal(found, t->c.data.host, t->c.data.count * product_size(t->c.data.type));
    free(found);
    let_go(&t->a);
    let_go(&t->b);
    let_go(&t->c);
}

static void orders_and_transposes_agree_with_double(void **state)
{
    (void)state;
    static const int orders[] = {TRANSFORM_COLUMNS, TRANSFORM_ROWS, TRANSFORM_COLUMNS_32, TRANSFORM_TILES_32};
    for (int k = 0; k < 4 * 4 * 9; k++) {
        int op_a = k % 3, op_b = k / 3 % 3, order_a = orders[k / 9 % 4], order_c = orders[k / 36], big = k % 2;
        struct sum t = {.scale = GEMM_F32, .rows = big ? 45 : 7, .columns = big ? 34 : 70, .batch = 1};
        t.a = ordered(GEMM_F32, t.rows, t.columns, order_a, op_a, 1, 1);
        t.b = ordered(GEMM_F32, t.rows, t.columns, orders[k % 4], op_b, 1, 2);
        t.c = ordered(GEMM_F32, t.rows, t.columns, order_c, BLAS_N, 1, 3);
        put_scalars(&t, 1.5, -0.75);
        run(&t, false);
        finish(&t);
    }
}

/* Types: `scale` for the sum, and one for each matrix. */
static const struct types {
    unsigned scale, a, b, c;
} types[] = {
    {GEMM_F32, GEMM_F16, GEMM_F16, GEMM_F16}, {GEMM_F32, GEMM_BF16, GEMM_BF16, GEMM_BF16},
    {GEMM_F32, GEMM_S8, GEMM_S8, GEMM_S8},    {GEMM_F32, GEMM_S32, GEMM_S32, GEMM_S32},
    {GEMM_F32, GEMM_S8, GEMM_F32, GEMM_F16},  {GEMM_F32, GEMM_F16, GEMM_BF16, GEMM_F32},
    {GEMM_F32, GEMM_F32, GEMM_S32, GEMM_S8},  {GEMM_F32, GEMM_F32, GEMM_F32, GEMM_BF16},
    {GEMM_S32, GEMM_S8, GEMM_S32, GEMM_S32},  {GEMM_S32, GEMM_S32, GEMM_S8, GEMM_S8},
    {GEMM_F16, GEMM_F16, GEMM_F16, GEMM_F16}, {GEMM_F64, GEMM_F64, GEMM_F64, GEMM_F64},
    {GEMM_C32, GEMM_C32, GEMM_C32, GEMM_C32}, {GEMM_C64, GEMM_C64, GEMM_C64, GEMM_C64},
};
enum { TYPES = sizeof types / sizeof types[0] };

static void types_are_converted_in_batches(void **state)
{
    (void)state;
    for (int k = 0; k < TYPES * 6; k++) {
        const struct types *y = &types[k / 6];
        struct sum t = {.scale = y->scale, .rows = 33, .columns = 5, .batch = 3};
        t.a = ordered(y->a, 33, 5, k % 2 ? TRANSFORM_ROWS : TRANSFORM_COLUMNS, k % 3, 3, 1);
        t.b = ordered(y->b, 33, 5, TRANSFORM_COLUMNS, (k + 1) % 3, 3, 2);
        t.c = ordered(y->c, 33, 5, k % 3 ? TRANSFORM_COLUMNS_32 : TRANSFORM_ROWS, BLAS_N, 3, 3);
        put_scalars(&t, y->scale == GEMM_S32 ? 3 : 1.25, -2);
        run(&t, k % 2);
        finish(&t);
    }
}

static void a_matrix_may_lie_in_each_place_of_a_batch(void **state)
{
    (void)state;
    struct sum t = {.scale = GEMM_F64, .rows = 4, .columns = 6, .batch = 3};
    t.a = ordered(GEMM_F64, 4, 6, TRANSFORM_COLUMNS, BLAS_T, 3, 1);
    t.b = ordered(GEMM_F64, 4, 6, TRANSFORM_ROWS, BLAS_N, 3, 2);
    t.c = ordered(GEMM_F64, 4, 6, TRANSFORM_COLUMNS, BLAS_N, 3, 3);
    t.b.stride = 0;
    set(t.b.layout, STRIDE, 0, 8);
    put_scalars(&t, -1, 4);
    run(&t, false);
    finish(&t);
}

static void the_second_matrix_may_be_absent(void **state)
{
    (void)state;
    struct sum t = {.scale = GEMM_F32, .rows = 40, .columns = 40, .batch = 1, .without_b = true};
    t.a = ordered(GEMM_S8, 40, 40, TRANSFORM_COLUMNS, BLAS_T, 1, 1);
    t.b = ordered(GEMM_S8, 40, 40, TRANSFORM_COLUMNS, BLAS_N, 1, 1);
    t.c = ordered(GEMM_S8, 40, 40, TRANSFORM_TILES_32, BLAS_N, 1, 3);
    put_scalars(&t, 1, 0);
    run(&t, false);
    finish(&t);
}

static void integers_round_to_even_and_saturate(void **state)
{
    (void)state;
    static const float given[] = {0.5f, 1.5f, -2.5f, 1000, -1000, 126.6f, -0.5f, 2.51f};
    static const int8_t right[] = {0, 2, -2, 127, -128, 127, 0, 3};
    float one = 1, zero = 0;
    int8_t *found;
    transform_t transform;
    struct ordered a = ordered(GEMM_F32, 8, 1, TRANSFORM_COLUMNS, BLAS_N, 1, 1);
    struct ordered c = ordered(GEMM_S8, 8, 1, TRANSFORM_COLUMNS, BLAS_N, 1, 2);
    assert_int_equal(cuMemcpyHtoD_v2(a.data.device, given, sizeof given), CUDA_SUCCESS);
    GOOD(cublasLtMatrixTransformDescCreate(&transform, GEMM_F32));
    GOOD(cublasLtMatrixTransform(rig_handle(gpu), transform, &one, rig_at(&a.data, 0), a.layout, &zero, NULL, NULL,
                                 rig_at(&c.data, 0), c.layout, NULL));
    found = rig_result(&c.data);
    assert_memory_equal(found, right, sizeof right);
    free(found);
    GOOD(cublasLtMatrixTransformDescDestroy(transform));
    let_go(&a);
    let_go(&c);
}

/* ---- descriptors and wrong arguments ----------------------------------------------------------------------------- */

static void descriptors_keep_their_attributes(void **state)
{
    (void)state;
    transform_t made;
    uint64_t room[8];
    transform_t own = (transform_t)(void *)room;
    int32_t value = -1;
    size_t written = 0;
    GOOD(cublasLtMatrixTransformDescCreate(&made, GEMM_F64));
    GOOD(cublasLtMatrixTransformDescInit_internal(own, sizeof room, GEMM_S32));
    GOOD(cublasLtMatrixTransformDescGetAttribute(made, SCALE_TYPE, &value, 4, &written));
    assert_true(value == GEMM_F64 && written == 4);
    GOOD(cublasLtMatrixTransformDescGetAttribute(own, SCALE_TYPE, &value, 4, NULL));
    assert_int_equal(value, GEMM_S32);
    for (int attribute = POINTER_MODE; attribute <= TRANSFORM_B; attribute++) {
        GOOD(cublasLtMatrixTransformDescGetAttribute(made, attribute, &value, 4, NULL));
        assert_int_equal(value, 0);
        value = attribute;
        GOOD(cublasLtMatrixTransformDescSetAttribute(made, attribute, &value, 4));
    }
    for (int attribute = POINTER_MODE; attribute <= TRANSFORM_B; attribute++) {
        GOOD(cublasLtMatrixTransformDescGetAttribute(made, attribute, &value, 4, NULL));
        assert_int_equal(value, attribute);
    }
    written = 0;
    GOOD(cublasLtMatrixTransformDescGetAttribute(made, TRANSFORM_A, NULL, 0, &written));
    assert_int_equal(written, 4);
    const int invalid = CUBLAS_STATUS_INVALID_VALUE;
    assert_int_equal(cublasLtMatrixTransformDescCreate(NULL, GEMM_F32), invalid);
    assert_int_equal(cublasLtMatrixTransformDescInit_internal(NULL, 64, GEMM_F32), invalid);
    assert_int_equal(cublasLtMatrixTransformDescInit_internal(own, 8, GEMM_F32), CUBLAS_STATUS_ALLOC_FAILED);
    assert_int_equal(cublasLtMatrixTransformDescSetAttribute(made, 4, &value, 4), invalid);
    assert_int_equal(cublasLtMatrixTransformDescSetAttribute(made, TRANSFORM_A, &value, 8), invalid);
    assert_int_equal(cublasLtMatrixTransformDescSetAttribute(made, TRANSFORM_A, NULL, 4), invalid);
    assert_int_equal(cublasLtMatrixTransformDescSetAttribute(NULL, TRANSFORM_A, &value, 4), invalid);
    assert_int_equal(cublasLtMatrixTransformDescGetAttribute(made, -1, &value, 4, NULL), invalid);
    assert_int_equal(cublasLtMatrixTransformDescGetAttribute(made, TRANSFORM_A, &value, 2, NULL), invalid);
    assert_int_equal(cublasLtMatrixTransformDescGetAttribute(NULL, TRANSFORM_A, &value, 4, NULL), invalid);
    GOOD(cublasLtMatrixTransformDescDestroy(made));
}

/* A call with A, B and C of 4 x 3. One thing at a time is made wrong. */
struct rigged {
    transform_t transform;
    struct ordered a, b, c;
    float one;
};

static cublasStatus_t call(const struct rigged *r)
{
    return cublasLtMatrixTransform(rig_handle(gpu), r->transform, &r->one, rig_at(&r->a.data, 0), r->a.layout, &r->one,
                                   rig_at(&r->b.data, 0), r->b.layout, rig_at(&r->c.data, 0), r->c.layout, NULL);
}

/* Calls with another value of an attribute, which is put back. */
static void expect_layout(const struct rigged *r, const struct ordered *m, int attribute, int64_t value, size_t size,
                          cublasStatus_t status)
{
    int64_t old = 0;
    GOOD(cublasLtMatrixLayoutGetAttribute(m->layout, attribute, &old, size, NULL));
    set(m->layout, attribute, value, size);
    if (call(r) != status)
        fail_msg("attribute %d with %d: not %d", attribute, (int)value, (int)status);
    set(m->layout, attribute, old, size);
}

static void expect_transform(const struct rigged *r, int attribute, int32_t value, cublasStatus_t status)
{
    int32_t old;
    GOOD(cublasLtMatrixTransformDescGetAttribute(r->transform, attribute, &old, 4, NULL));
    GOOD(cublasLtMatrixTransformDescSetAttribute(r->transform, attribute, &value, 4));
    assert_int_equal(call(r), status);
    GOOD(cublasLtMatrixTransformDescSetAttribute(r->transform, attribute, &old, 4));
}

static void wrong_layouts(const struct rigged *r)
{
    const struct ordered *all[] = {&r->a, &r->b, &r->c};
    for (int k = 0; k < 3; k++) {
        expect_layout(r, all[k], 2, 5, 8, CUBLAS_STATUS_INVALID_VALUE); /* rows */
        expect_layout(r, all[k], 3, 2, 8, CUBLAS_STATUS_INVALID_VALUE); /* columns */
        expect_layout(r, all[k], LD, 3, 8, CUBLAS_STATUS_INVALID_VALUE);
        expect_layout(r, all[k], BATCH, 2, 4, CUBLAS_STATUS_INVALID_VALUE);
        expect_layout(r, all[k], ORDER, 5, 4, CUBLAS_STATUS_INVALID_VALUE);
        expect_layout(r, all[k], ORDER, TRANSFORM_INTERLEAVED, 4, CUBLAS_STATUS_NOT_SUPPORTED);
        expect_layout(r, all[k], ORDER, TRANSFORM_COLUMNS_32, 4, CUBLAS_STATUS_INVALID_VALUE); /* ld is too small */
        expect_layout(r, all[k], TYPE, GEMM_F64, 4, CUBLAS_STATUS_NOT_SUPPORTED);
        expect_layout(r, all[k], MODE, 1, 4, CUBLAS_STATUS_NOT_SUPPORTED);
        expect_layout(r, all[k], PLANE, 64, 8, CUBLAS_STATUS_NOT_SUPPORTED);
    }
}

static void wrong_transforms_have_the_documented_status(void **state)
{
    (void)state;
    cublasLtHandle_t handle = rig_handle(gpu);
    struct rigged r = {.a = ordered(GEMM_F32, 4, 3, TRANSFORM_COLUMNS, BLAS_N, 1, 1),
                       .b = ordered(GEMM_F32, 4, 3, TRANSFORM_COLUMNS, BLAS_N, 1, 2),
                       .c = ordered(GEMM_F32, 4, 3, TRANSFORM_COLUMNS, BLAS_N, 1, 3),
                       .one = 1};
    void *a = rig_at(&r.a.data, 0), *c = rig_at(&r.c.data, 0);
    layout_t la = r.a.layout, lb = r.b.layout, lc = r.c.layout;
    float *one = &r.one, zero = 0;
    const int invalid = CUBLAS_STATUS_INVALID_VALUE;
    GOOD(cublasLtMatrixTransformDescCreate(&r.transform, GEMM_F32));
    transform_t t = r.transform;
    GOOD(call(&r));
    wrong_layouts(&r);
    expect_transform(&r, SCALE_TYPE, GEMM_F64, CUBLAS_STATUS_NOT_SUPPORTED);
    expect_transform(&r, SCALE_TYPE, 99, CUBLAS_STATUS_NOT_SUPPORTED);
    expect_transform(&r, POINTER_MODE, 2, CUBLAS_STATUS_NOT_SUPPORTED);
    expect_transform(&r, TRANSFORM_A, 3, CUBLAS_STATUS_INVALID_VALUE);
    expect_transform(&r, TRANSFORM_B, BLAS_T, CUBLAS_STATUS_INVALID_VALUE); /* 3 x 4 does not fit */
#define CALL(h, t, al, a, la, be, b, lb, c, lc) (int)cublasLtMatrixTransform(h, t, al, a, la, be, b, lb, c, lc, NULL)
    assert_int_equal(CALL(NULL, t, one, a, la, one, a, lb, c, lc), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(CALL(handle, NULL, one, a, la, one, a, lb, c, lc), invalid);
    assert_int_equal(CALL(handle, t, NULL, a, la, one, a, lb, c, lc), invalid);
    assert_int_equal(CALL(handle, t, one, a, la, NULL, a, lb, c, lc), invalid);
    assert_int_equal(CALL(handle, t, one, a, NULL, one, a, lb, c, lc), invalid);
    assert_int_equal(CALL(handle, t, one, a, la, one, a, NULL, c, lc), invalid);
    assert_int_equal(CALL(handle, t, one, a, la, one, a, lb, c, NULL), invalid);
    assert_int_equal(CALL(handle, t, one, a, la, one, a, lb, NULL, lc), invalid);
    assert_int_equal(CALL(handle, t, one, NULL, la, one, a, lb, c, lc), invalid);
    assert_int_equal(CALL(handle, t, one, a, la, one, NULL, lb, c, lc), invalid);
    GOOD(CALL(handle, t, one, a, la, &zero, NULL, lb, c, lc));
    GOOD(cublasLtMatrixTransformDescDestroy(r.transform));
    let_go(&r.a);
    let_go(&r.b);
    let_go(&r.c);
}

UNIT_TESTS(UNIT(orders_and_transposes_agree_with_double), UNIT(types_are_converted_in_batches),
           UNIT(a_matrix_may_lie_in_each_place_of_a_batch), UNIT(the_second_matrix_may_be_absent),
           UNIT(integers_round_to_even_and_saturate), UNIT(descriptors_keep_their_attributes),
           UNIT(wrong_transforms_have_the_documented_status))
