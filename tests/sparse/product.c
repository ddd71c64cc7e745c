/* Products of sparse and dense matrices, sampled products and triangular systems, against sums in double. */
#include "tests/sparse/rig.h"

typedef cusparseStatus_t spmm(struct sparse *, int, int, const void *, const struct sparse_matrix *,
                              const struct sparse_dense *, const void *, const struct sparse_dense *, int, int, void *);
spmm cusparseSpMM;
cusparseStatus_t cusparseSpMM_bufferSize(struct sparse *, int, int, const void *, const struct sparse_matrix *,
                                         const struct sparse_dense *, const void *, const struct sparse_dense *, int,
                                         int, size_t *);
cusparseStatus_t cusparseSDDMM(struct sparse *, int, int, const void *, const struct sparse_dense *,
                               const struct sparse_dense *, const void *, const struct sparse_matrix *, int, int,
                               void *);
cusparseStatus_t cusparseSpMV(struct sparse *, int, const void *, const struct sparse_matrix *,
                              const struct sparse_dense *, const void *, const struct sparse_dense *, int, int, void *);
cusparseStatus_t cusparseCreateDnVec(struct sparse_dense **, int64_t, void *, int);
cusparseStatus_t cusparseDestroyDnVec(struct sparse_dense *);
struct sparse_system;
cusparseStatus_t cusparseSpSM_createDescr(struct sparse_system **);
cusparseStatus_t cusparseSpSM_destroyDescr(struct sparse_system *);
cusparseStatus_t cusparseSpSM_solve(struct sparse *, int, int, const void *, const struct sparse_matrix *,
                                    const struct sparse_dense *, const struct sparse_dense *, int, int,
                                    struct sparse_system *);
cusparseStatus_t cusparseSpMatSetAttribute(struct sparse_matrix *, int, const void *, size_t);

/* A dense matrix in full, row by row, and on the device in either order with a pitch. */
struct dense {
    int rows, columns, pitch;
    unsigned type, order;
    double complex full[RIG_MOST];
    void *device;
    struct sparse_dense *descriptor;
};

static size_t place(const struct dense *d, int i, int j)
{
    return (size_t)(d->order == SPARSE_BY_COLUMNS ? j * d->pitch + i : i * d->pitch + j);
}

static size_t elements(const struct dense *d)
{
    return (size_t)(d->pitch * (d->order == SPARSE_BY_COLUMNS ? d->columns : d->rows));
}

static void make(struct dense *d, unsigned type, int rows, int columns, unsigned order, unsigned seed)
{
    static double complex laid[2 * RIG_MOST];
    memset(laid, 0, sizeof laid);
    d->rows = rows;
    d->columns = columns;
    d->type = type;
    d->order = order;
    d->pitch = (order == SPARSE_BY_COLUMNS ? rows : columns) + 2;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            laid[place(d, i, j)] = d->full[i * columns + j] =
                rig_number((unsigned)(i * columns + j) + seed * 1000u, rig_complex(type));
    d->device = rig_values(laid, elements(d), type);
    assert_int_equal(cusparseCreateDnMat(&d->descriptor, rows, columns, d->pitch, d->device, (int)type, (int)order),
                     GOOD);
}

static double complex found(const struct dense *d, int i, int j)
{
    static double complex laid[2 * RIG_MOST];
    if (i == 0 && j == 0)
        rig_fetch(laid, d->device, elements(d), d->type);
    return laid[place(d, i, j)];
}

static void drop(struct dense *d)
{
    rig_free(d->device);
    assert_int_equal(cusparseDestroyDnMat(d->descriptor), GOOD);
}

/* Element (i, k) of op(A). */
static double complex of(const double complex *full, int columns, int op, int i, int k)
{
    double complex x = op == SPARSE_N ? full[i * columns + k] : full[k * columns + i];
    return op == SPARSE_C ? conj(x) : x;
}

static void expect_products(const struct rig_matrix *a, const struct dense *x, const struct dense *y, int op_a,
                            int op_x, double complex alpha, double complex beta)
{
    int inner = op_a == SPARSE_N ? a->columns : a->rows;
    for (int i = 0; i < y->rows; i++)
        for (int j = 0; j < y->columns; j++) {
            double complex sum = 0;
            double size = 0;
            for (int k = 0; k < inner; k++) {
                double complex one = of(a->full, a->columns, op_a, i, k) * of(x->full, x->columns, op_x, k, j);
                sum += one;
                size += cabs(one);
            }
            rig_expect(found(y, i, j), alpha * sum + beta * y->full[i * y->columns + j], 4 * size, a->type, "A X");
        }
}

/* Multiplies in one way and compares. */
static void expect_spmm(struct sparse *handle, unsigned type, enum rig_form form, int op_a, int op_x, int columns)
{
    static struct rig_matrix a;
    static struct dense x, y;
    int m = 23, n = 14, rows = op_a == SPARSE_N ? m : n, inner = op_a == SPARSE_N ? n : m;
    double complex alpha = rig_complex(type) ? 0.5 - 1 * I : 0.5, beta = form == RIG_COO ? 0 : -2;
    struct rig_scalar host_alpha = rig_scalar(alpha, rig_computed(type));
    struct rig_scalar host_beta = rig_scalar(beta, rig_computed(type));
    size_t bytes = 0;
    rig_some(&a, type, m, n, (unsigned)form);
    rig_make(&a, form, form == RIG_CSR_WIDE);
    make(&x, type, op_x == SPARSE_N ? inner : columns, op_x == SPARSE_N ? columns : inner,
         form == RIG_CSR ? SPARSE_BY_COLUMNS : SPARSE_BY_ROWS, 1);
    make(&y, type, rows, columns, form == RIG_COO ? SPARSE_BY_COLUMNS : SPARSE_BY_ROWS, 2);
    assert_int_equal(cusparseSpMM_bufferSize(handle, op_a, op_x, host_alpha.bytes, a.descriptor, x.descriptor,
                                             host_beta.bytes, y.descriptor, rig_computed(type), 0, &bytes),
                     GOOD);
    assert_int_equal(bytes, 1);
    assert_int_equal(cusparseSpMM(handle, op_a, op_x, host_alpha.bytes, a.descriptor, x.descriptor, host_beta.bytes,
                                  y.descriptor, rig_computed(type), 0, NULL),
                     GOOD);
    expect_products(&a, &x, &y, op_a, op_x, alpha, beta);
    rig_drop(&a);
    drop(&x);
    drop(&y);
}

static void products_of_all_forms_and_types_are_those_of_full_matrices(void **state)
{
    (void)state;
    struct sparse *handle = rig_begin();
    for (int t = 0; t < RIG_TYPES; t++)
        for (int form = 0; form < RIG_FORMS; form++)
            for (int op_a = SPARSE_N; op_a <= (t < RIG_WIDE_TYPES ? SPARSE_C : SPARSE_N); op_a++)
                for (int way = 0; way < 3; way++)
                    expect_spmm(handle, rig_types[t], (enum rig_form)form, op_a, way == 1 ? SPARSE_T : SPARSE_N,
                                way == 2 ? 1 : 7);
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

static void a_vector_with_scalars_on_the_device_is_multiplied(void **state)
{
    (void)state;
    enum { M = 37, N = 11 };
    static struct rig_matrix a;
    struct sparse *handle = rig_begin();
    for (int t = 0; t < RIG_TYPES; t++) {
        double complex x[N], y[M], result[M];
        struct rig_scalar alpha = rig_scalar(2, rig_computed(rig_types[t])),
                          beta = rig_scalar(0, rig_computed(rig_types[t]));
        void *scalars[2] = {rig_upload(alpha.bytes, 16), rig_upload(beta.bytes, 16)};
        rig_some(&a, rig_types[t], M, N, 3);
        rig_make(&a, RIG_CSR, 0);
        for (int i = 0; i < M; i++)
            y[i] = NAN; /* beta is zero, so that Y is not read */
        for (int i = 0; i < N; i++)
            x[i] = rig_number((unsigned)i, rig_complex(rig_types[t]));
        void *at_x = rig_values(x, N, rig_types[t]), *at_y = rig_values(y, M, rig_types[t]);
        struct sparse_dense *vector, *sum;
        assert_int_equal(cusparseCreateDnVec(&vector, N, at_x, (int)rig_types[t]), GOOD);
        assert_int_equal(cusparseCreateDnVec(&sum, M, at_y, (int)rig_types[t]), GOOD);
        assert_int_equal(cusparseSetPointerMode(handle, 1), GOOD);
        assert_int_equal(cusparseSpMV(handle, SPARSE_N, scalars[0], a.descriptor, vector, scalars[1], sum,
                                      rig_computed(rig_types[t]), 0, NULL),
                         GOOD);
        rig_fetch(result, at_y, M, rig_types[t]);
        for (int i = 0; i < M; i++) {
            double complex right = 0;
            for (int k = 0; k < N; k++)
                right += 2 * a.full[i * N + k] * x[k];
            rig_expect(result[i], right, 8, rig_types[t], "A x");
        }
        assert_int_equal(cusparseDestroyDnVec(vector), GOOD);
        assert_int_equal(cusparseDestroyDnVec(sum), GOOD);
        rig_free(scalars[0]);
        rig_free(scalars[1]);
        rig_free(at_x);
        rig_free(at_y);
        rig_drop(&a);
    }
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

static void sampled_products_count_where_the_sparse_matrix_has_elements(void **state)
{
    (void)state;
    enum { M = 12, N = 17, INNER = 9 };
    static struct rig_matrix c;
    static struct dense x, y;
    struct sparse *handle = rig_begin();
    for (int t = 0; t < RIG_TYPES; t++)
        for (int form = 0; form < RIG_FORMS; form++) {
            static double complex values[RIG_MOST];
            unsigned type = rig_types[t];
            struct rig_scalar alpha = rig_scalar(0.5, rig_computed(type)), beta = rig_scalar(-1, rig_computed(type));
            int op = form == RIG_COO ? SPARSE_T : SPARSE_N, next = 0;
            rig_some(&c, type, M, N, 5);
            rig_make(&c, (enum rig_form)form, 0);
            make(&x, type, op == SPARSE_N ? M : INNER, op == SPARSE_N ? INNER : M, SPARSE_BY_ROWS, 1);
            make(&y, type, INNER, N, SPARSE_BY_COLUMNS, 2);
            assert_int_equal(cusparseSDDMM(handle, op, SPARSE_N, alpha.bytes, x.descriptor, y.descriptor, beta.bytes,
                                           c.descriptor, rig_computed(type), 0, NULL),
                             GOOD);
            rig_fetch(values, c.value_part, (size_t)c.count, type);
            for (int i = 0; i < M; i++)
                for (int j = 0; j < N; j++) {
                    double complex right = -c.full[i * N + j];
                    for (int k = 0; k < INNER; k++)
                        right += 0.5 * of(x.full, x.columns, op, i, k) * y.full[k * N + j];
                    if (c.there[i * N + j])
                        rig_expect(values[next++], right, INNER, type, "a sampled product");
                }
            assert_int_equal(next, c.count);
            rig_drop(&c);
            drop(&x);
            drop(&y);
        }
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

static void triangles_of_a_matrix_are_solved(void **state)
{
    (void)state;
    enum { N = 19, COLUMNS = 3 };
    static struct rig_matrix a;
    static struct dense b, x;
    struct sparse *handle = rig_begin();
    for (int way = 0; way < RIG_WIDE_TYPES * 12; way++) {
        unsigned type = rig_types[way / 12], triangle = (unsigned)way % 2, unit = (unsigned)way / 2 % 2;
        int op = way / 4 % 3;
        struct rig_scalar alpha = rig_scalar(2, (int)type);
        struct sparse_system *system;
        rig_some(&a, type, N, N, 7);
        for (int i = 0; i < N; i++) {
            a.there[i * N + i] = true;
            a.full[i * N + i] = 4;
        }
        rig_make(&a, RIG_CSR, 0);
        make(&b, type, N, COLUMNS, SPARSE_BY_ROWS, 1);
        make(&x, type, N, COLUMNS, SPARSE_BY_COLUMNS, 2);
        assert_int_equal(cusparseSpMatSetAttribute(a.descriptor, SPARSE_ATTRIBUTE_TRIANGLE, &triangle, 4), GOOD);
        assert_int_equal(cusparseSpMatSetAttribute(a.descriptor, SPARSE_ATTRIBUTE_DIAGONAL, &unit, 4), GOOD);
        assert_int_equal(cusparseSpSM_createDescr(&system), GOOD);
        assert_int_equal(cusparseSpSM_solve(handle, op, SPARSE_N, alpha.bytes, a.descriptor, b.descriptor, x.descriptor,
                                            (int)type, 0, system),
                         GOOD);
        double complex solution[N * COLUMNS];
        for (int i = 0; i < N * COLUMNS; i++)
            solution[i] = found(&x, i / COLUMNS, i % COLUMNS);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) /* elements that do not count */
                if ((triangle == SPARSE_LOWER ? j > i : j < i) || (unit && i == j))
                    a.full[i * N + j] = i == j;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < COLUMNS; j++) {
                double complex sum = 0;
                double size = 0;
                for (int k = 0; k < N; k++) {
                    double complex one = of(a.full, N, op, i, k), known = solution[k * COLUMNS + j];
                    sum += one * known;
                    size += cabs(one) * cabs(known);
                }
                rig_expect(sum, 2 * b.full[i * COLUMNS + j], N * size, type, "A X");
            }
        assert_int_equal(cusparseSpSM_destroyDescr(system), GOOD);
        rig_drop(&a);
        drop(&b);
        drop(&x);
    }
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

static void bad_arguments_have_the_documented_status(void **state)
{
    (void)state;
    static struct rig_matrix a;
    static struct dense x, y;
    struct sparse *handle = rig_begin();
    struct rig_scalar one = rig_scalar(1, SPARSE_F32);
    struct sparse_matrix *none = NULL;
    struct sparse_dense *dense = NULL;
    unsigned word = 2;
    rig_some(&a, SPARSE_F16, 4, 4, 1);
    rig_make(&a, RIG_CSR, 0);
    make(&x, SPARSE_F16, 4, 2, SPARSE_BY_ROWS, 1);
    make(&y, SPARSE_F16, 4, 2, SPARSE_BY_ROWS, 1);
    assert_int_equal(cusparseCreate(NULL), BAD);
    assert_int_equal(cusparseDestroy(NULL), CUSPARSE_STATUS_NOT_INITIALIZED);
    assert_int_equal(cusparseSetPointerMode(handle, 2), BAD);
    assert_int_equal(cusparseCreateCsr(&none, -1, 1, 0, NULL, NULL, NULL, 2, 2, 0, 0), BAD);
    assert_int_equal(cusparseCreateCsr(&none, 1, 1, 0, NULL, NULL, NULL, 1, 2, 0, 0), BAD);
    assert_int_equal(cusparseCreateCsr(&none, 1, 1, 0, NULL, NULL, NULL, 2, 2, 2, 0), BAD);
    assert_int_equal(cusparseCreateCsr(&none, 1, 1, 0, NULL, NULL, NULL, 2, 2, 0, 3), CUSPARSE_STATUS_NOT_SUPPORTED);
    assert_int_equal(cusparseCreateDnMat(&dense, 4, 4, 3, NULL, 0, SPARSE_BY_ROWS), BAD);
    assert_int_equal(cusparseCreateDnMat(&dense, 4, 4, 4, NULL, 0, 0), BAD);
    assert_int_equal(cusparseSpMatSetAttribute(a.descriptor, SPARSE_ATTRIBUTE_TRIANGLE, &word, 4), BAD);
    spmm *multiply = cusparseSpMM;
    assert_int_equal(multiply(NULL, 0, 0, one.bytes, a.descriptor, x.descriptor, one.bytes, y.descriptor, 0, 0, NULL),
                     CUSPARSE_STATUS_NOT_INITIALIZED);
    assert_int_equal(multiply(handle, 3, 0, one.bytes, a.descriptor, x.descriptor, one.bytes, y.descriptor, 0, 0, NULL),
                     BAD);
    assert_int_equal(multiply(handle, 0, 0, NULL, a.descriptor, x.descriptor, one.bytes, y.descriptor, 0, 0, NULL),
                     BAD);
    assert_int_equal(multiply(handle, 0, 1, one.bytes, a.descriptor, x.descriptor, one.bytes, y.descriptor, 0, 0, NULL),
                     BAD);
    assert_int_equal(multiply(handle, 0, 0, one.bytes, a.descriptor, x.descriptor, one.bytes, y.descriptor, 1, 0, NULL),
                     CUSPARSE_STATUS_NOT_SUPPORTED);
    assert_int_equal(multiply(handle, 1, 0, one.bytes, a.descriptor, x.descriptor, one.bytes, y.descriptor, 0, 0, NULL),
                     CUSPARSE_STATUS_NOT_SUPPORTED);
    rig_drop(&a);
    drop(&x);
    drop(&y);
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

UNIT_TESTS(UNIT(products_of_all_forms_and_types_are_those_of_full_matrices),
           UNIT(a_vector_with_scalars_on_the_device_is_multiplied),
           UNIT(sampled_products_count_where_the_sparse_matrix_has_elements), UNIT(triangles_of_a_matrix_are_solved),
           UNIT(bad_arguments_have_the_documented_status))
