/* Sparse matrices that are built: compressed rows, sums and products, against full matrices in double. */
#include "tests/sparse/rig.h"

struct sparse_product;
cusparseStatus_t cusparseXcoo2csr(struct sparse *, const int *, int, int, int *, int);
cusparseStatus_t cusparseCreateMatDescr(struct sparse_description **);
cusparseStatus_t cusparseDestroyMatDescr(struct sparse_description *);
cusparseStatus_t cusparseSetMatIndexBase(struct sparse_description *, int);
cusparseStatus_t cusparseSetMatType(struct sparse_description *, int);
cusparseStatus_t cusparseXcsrgeam2Nnz(struct sparse *, int, int, const struct sparse_description *, int, const int *,
                                      const int *, const struct sparse_description *, int, const int *, const int *,
                                      const struct sparse_description *, int *, int *, void *);
typedef cusparseStatus_t geam_size(struct sparse *, int, int, const void *, const struct sparse_description *, int,
                                   const void *, const int *, const int *, const void *,
                                   const struct sparse_description *, int, const void *, const int *, const int *,
                                   const struct sparse_description *, const void *, const int *, const int *, size_t *);
typedef cusparseStatus_t geam(struct sparse *, int, int, const void *, const struct sparse_description *, int,
                              const void *, const int *, const int *, const void *, const struct sparse_description *,
                              int, const void *, const int *, const int *, const struct sparse_description *, void *,
                              const int *, int *, void *);
geam_size cusparseScsrgeam2_bufferSizeExt;
geam cusparseScsrgeam2, cusparseDcsrgeam2, cusparseCcsrgeam2, cusparseZcsrgeam2;
typedef cusparseStatus_t gemm_part(struct sparse *, int, int, const void *, const struct sparse_matrix *,
                                   const struct sparse_matrix *, const void *, struct sparse_matrix *, int, int,
                                   struct sparse_product *, size_t *, void *);
gemm_part cusparseSpGEMM_workEstimation, cusparseSpGEMM_compute;
cusparseStatus_t cusparseSpGEMM_copy(struct sparse *, int, int, const void *, const struct sparse_matrix *,
                                     const struct sparse_matrix *, const void *, struct sparse_matrix *, int, int,
                                     struct sparse_product *);
cusparseStatus_t cusparseSpGEMM_createDescr(struct sparse_product **);
cusparseStatus_t cusparseSpGEMM_destroyDescr(struct sparse_product *);
cusparseStatus_t cusparseSpMatGetSize(const struct sparse_matrix *, int64_t *, int64_t *, int64_t *);
cusparseStatus_t cusparseCsrSetPointers(struct sparse_matrix *, void *, void *, void *);

static void fetch(int *x, const void *device, int count)
{
    assert_int_equal(cuMemcpyDtoH_v2(x, (CUdeviceptr)(uintptr_t)device, (size_t)count * sizeof *x), CUDA_SUCCESS);
}

static void rows_are_compressed_with_empty_ones_among_them(void **state)
{
    (void)state;
    static const int rows[] = {0, 0, 2, 2, 2, 6}, right[] = {0, 2, 2, 5, 5, 5, 5, 6, 6};
    enum { COUNT = sizeof rows / sizeof rows[0], ROWS = 8 };
    struct sparse *handle = rig_begin();
    for (int base = 0; base < 2; base++) {
        int based[COUNT], places[ROWS + 1] = {0};
        for (int i = 0; i < COUNT; i++)
            based[i] = rows[i] + base;
        void *at = rig_upload(based, sizeof based), *to = rig_upload(places, sizeof places);
        assert_int_equal(cusparseXcoo2csr(handle, at, COUNT, ROWS, to, base), GOOD);
        fetch(places, to, ROWS + 1);
        for (int i = 0; i <= ROWS; i++)
            assert_int_equal(places[i], right[i] + base);
        assert_int_equal(cusparseXcoo2csr(handle, at, COUNT, 0, to, base), GOOD);
        assert_int_equal(cusparseXcoo2csr(handle, at, -1, ROWS, to, base), BAD);
        assert_int_equal(cusparseXcoo2csr(handle, NULL, COUNT, ROWS, to, base), BAD);
        rig_free(at);
        rig_free(to);
    }
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

/* ---- a matrix by its three arrays -------------------------------------------------------------------------------- */

/* Compares compressed rows with a full matrix: elements are where `there` says, and columns rise. */
static void expect_matrix(const void *row_part, const void *column_part, const void *value_part, int base, int count,
                          const struct rig_matrix *right, double size, const char *what)
{
    static int places[RIG_SIDE + 1], columns[RIG_MOST];
    static double complex values[RIG_MOST];
    int next = 0;
    fetch(places, row_part, right->rows + 1);
    fetch(columns, column_part, count);
    rig_fetch(values, value_part, (size_t)count, right->type);
    for (int i = 0; i < right->rows; i++) {
        assert_int_equal(places[i], next + base);
        for (int j = 0; j < right->columns; j++)
            if (right->there[i * right->columns + j]) {
                assert_int_equal(columns[next], j + base);
                rig_expect(values[next++], right->full[i * right->columns + j], size, right->type, what);
            }
    }
    assert_int_equal(places[right->rows], next + base);
    assert_int_equal(next, count);
}

static void sums_have_the_elements_of_both_matrices(void **state)
{
    (void)state;
    enum { M = 21, N = 33 };
    static geam *const add[] = {cusparseScsrgeam2, cusparseDcsrgeam2, cusparseCcsrgeam2, cusparseZcsrgeam2};
    static struct rig_matrix a, b, right;
    struct sparse *handle = rig_begin();
    struct sparse_description *zero, *one;
    assert_int_equal(cusparseCreateMatDescr(&zero), GOOD);
    assert_int_equal(cusparseCreateMatDescr(&one), GOOD);
    assert_int_equal(cusparseSetMatIndexBase(one, 1), GOOD);
    for (int t = 0; t < RIG_WIDE_TYPES; t++) {
        unsigned type = rig_types[t];
        struct rig_scalar alpha = rig_scalar(2, (int)type), beta = rig_scalar(-0.5, (int)type);
        int total = 0, *counted = &total;
        size_t bytes = 0;
        rig_some(&a, type, M, N, 1);
        rig_some(&b, type, M, N, 2);
        rig_make(&a, RIG_CSR, 0);
        rig_make(&b, RIG_CSR, 1);
        right = a;
        for (int i = 0; i < M * N; i++) {
            right.there[i] = a.there[i] || b.there[i];
            right.full[i] = 2 * a.full[i] - 0.5 * b.full[i];
        }
        assert_int_equal(cusparseScsrgeam2_bufferSizeExt(handle, M, N, NULL, zero, a.count, NULL, NULL, NULL, NULL, one,
                                                         b.count, NULL, NULL, NULL, one, NULL, NULL, NULL, &bytes),
                         GOOD);
        CUdeviceptr work;
        assert_int_equal(cuMemAlloc_v2(&work, bytes), CUDA_SUCCESS);
        void *room = (void *)(uintptr_t)work, *places = rig_indices((int[M + 1]){0}, M + 1, false);
        assert_int_equal(cusparseXcsrgeam2Nnz(handle, M, N, zero, a.count, a.row_part, a.column_part, one, b.count,
                                              b.row_part, b.column_part, one, places, counted, room),
                         GOOD);
        static double complex nothing[RIG_MOST];
        void *columns = rig_indices((int[RIG_MOST]){0}, (size_t)total, false);
        void *values = rig_values(nothing, (size_t)total, type);
        assert_int_equal(add[t](handle, M, N, alpha.bytes, zero, a.count, a.value_part, a.row_part, a.column_part,
                                beta.bytes, one, b.count, b.value_part, b.row_part, b.column_part, one, values, places,
                                columns, room),
                         GOOD);
        expect_matrix(places, columns, values, 1, total, &right, 4, "a sum");
        rig_free(room);
        rig_free(places);
        rig_free(columns);
        rig_free(values);
        rig_drop(&a);
        rig_drop(&b);
    }
    assert_int_equal(cusparseSetMatType(one, 1), GOOD);
    assert_int_equal(
        cusparseXcsrgeam2Nnz(handle, 0, 0, zero, 0, NULL, NULL, one, 0, NULL, NULL, zero, NULL, NULL, NULL),
        CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
    assert_int_equal(cusparseDestroyMatDescr(zero), GOOD);
    assert_int_equal(cusparseDestroyMatDescr(one), GOOD);
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Multiplies in the steps of the interface, and compares. */
static void expect_product(struct sparse *handle, const struct rig_matrix *a, const struct rig_matrix *b)
{
    static struct rig_matrix right;
    static double complex nothing[RIG_MOST];
    unsigned type = a->type;
    int m = a->rows, n = b->columns, computed = rig_computed(type);
    struct rig_scalar alpha = rig_scalar(0.5, computed), beta = rig_scalar(0, computed);
    struct sparse_matrix *c;
    struct sparse_product *product;
    size_t bytes = 0;
    int64_t rows, columns_there, count;
    right = *a;
    right.columns = n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            right.there[i * n + j] = false;
            right.full[i * n + j] = 0;
            for (int k = 0; k < a->columns; k++) {
                right.there[i * n + j] |= a->there[i * a->columns + k] && b->there[k * n + j];
                right.full[i * n + j] += 0.5 * a->full[i * a->columns + k] * b->full[k * n + j];
            }
        }
    void *places = rig_indices((int[RIG_SIDE + 1]){0}, (size_t)m + 1, false);
    assert_int_equal(cusparseCreateCsr(&c, m, n, 0, places, NULL, NULL, 2, 2, 0, (int)type), GOOD);
    assert_int_equal(cusparseSpGEMM_createDescr(&product), GOOD);
    assert_int_equal(cusparseSpGEMM_workEstimation(handle, 0, 0, alpha.bytes, a->descriptor, b->descriptor, beta.bytes,
                                                   c, computed, 0, product, &bytes, NULL),
                     GOOD);
    assert_int_equal(cusparseSpGEMM_compute(handle, 0, 0, alpha.bytes, a->descriptor, b->descriptor, beta.bytes, c,
                                            computed, 0, product, &bytes, NULL),
                     GOOD);
    CUdeviceptr room;
    assert_int_equal(cuMemAlloc_v2(&room, bytes), CUDA_SUCCESS);
    void *buffer = (void *)(uintptr_t)room;
    assert_int_equal(cusparseSpGEMM_compute(handle, 0, 0, alpha.bytes, a->descriptor, b->descriptor, beta.bytes, c,
                                            computed, 0, product, &bytes, buffer),
                     GOOD);
    assert_int_equal(cusparseSpMatGetSize(c, &rows, &columns_there, &count), GOOD);
    assert_int_equal(rows, m);
    assert_int_equal(columns_there, n);
    void *columns = rig_indices((int[RIG_MOST]){0}, (size_t)count, false);
    void *values = rig_values(nothing, (size_t)count, type);
    assert_int_equal(cusparseCsrSetPointers(c, places, columns, values), GOOD);
    assert_int_equal(cusparseSpGEMM_copy(handle, 0, 0, alpha.bytes, a->descriptor, b->descriptor, beta.bytes, c,
                                         computed, 0, product),
                     GOOD);
    expect_matrix(places, columns, values, 0, (int)count, &right, a->columns, "a product");
    rig_free(buffer);
    rig_free(places);
    rig_free(columns);
    rig_free(values);
    assert_int_equal(cusparseSpGEMM_destroyDescr(product), GOOD);
    assert_int_equal(cusparseDestroySpMat(c), GOOD);
}

static void products_of_sparse_matrices_are_those_of_full_ones(void **state)
{
    (void)state;
    static const int shapes[][3] = {{1, 1, 1}, {18, 12, 40}, {40, 30, 7}};
    static struct rig_matrix a, b;
    struct sparse *handle = rig_begin();
    for (int t = 0; t < RIG_TYPES; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            rig_some(&a, rig_types[t], shapes[s][0], shapes[s][1], 1);
            rig_some(&b, rig_types[t], shapes[s][1], shapes[s][2], 2);
            rig_make(&a, s == 1 ? RIG_CSR_WIDE : RIG_CSR, 0);
            rig_make(&b, RIG_CSR, s == 2);
            expect_product(handle, &a, &b);
            rig_drop(&a);
            rig_drop(&b);
        }
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

static void products_that_the_library_lacks_are_refused(void **state)
{
    (void)state;
    static struct rig_matrix a, b, c;
    struct sparse *handle = rig_begin();
    struct sparse_product *product;
    struct rig_scalar one = rig_scalar(1, SPARSE_F32);
    size_t bytes = 0;
    rig_some(&a, SPARSE_F32, 5, 5, 1);
    rig_some(&b, SPARSE_F32, 5, 6, 1);
    rig_some(&c, SPARSE_F32, 5, 5, 1);
    rig_make(&a, RIG_CSR, 0);
    rig_make(&b, RIG_CSR, 0);
    rig_make(&c, RIG_COO, 0);
    assert_int_equal(cusparseSpGEMM_createDescr(&product), GOOD);
    gemm_part *compute = cusparseSpGEMM_compute;
    assert_int_equal(compute(handle, 1, 0, one.bytes, a.descriptor, a.descriptor, one.bytes, a.descriptor, 0, 0,
                             product, &bytes, NULL),
                     CUSPARSE_STATUS_NOT_SUPPORTED);
    assert_int_equal(compute(handle, 0, 0, one.bytes, b.descriptor, a.descriptor, one.bytes, a.descriptor, 0, 0,
                             product, &bytes, NULL),
                     BAD);
    assert_int_equal(compute(handle, 0, 0, one.bytes, c.descriptor, a.descriptor, one.bytes, a.descriptor, 0, 0,
                             product, &bytes, NULL),
                     CUSPARSE_STATUS_NOT_SUPPORTED);
    bytes = 1;
    assert_int_equal(compute(handle, 0, 0, one.bytes, a.descriptor, a.descriptor, one.bytes, a.descriptor, 0, 0,
                             product, &bytes, a.value_part),
                     CUSPARSE_STATUS_INSUFFICIENT_RESOURCES);
    assert_int_equal(cusparseSpGEMM_destroyDescr(product), GOOD);
    rig_drop(&a);
    rig_drop(&b);
    rig_drop(&c);
    assert_int_equal(cusparseDestroy(handle), GOOD);
}

UNIT_TESTS(UNIT(rows_are_compressed_with_empty_ones_among_them), UNIT(sums_have_the_elements_of_both_matrices),
           UNIT(products_of_sparse_matrices_are_those_of_full_ones), UNIT(products_that_the_library_lacks_are_refused))
