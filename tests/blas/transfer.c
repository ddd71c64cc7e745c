/* Copies of vectors and matrices: elements arrive in their places, and nothing else is written. */
#include "driver/abi/api_stream.h"
#include "tests/blas/rig.h"

#define MATRIX(way)                                                                                                    \
    cublasStatus_t cublas##way##Matrix(int, int, int, const void *, int, void *, int);                                 \
    cublasStatus_t cublas##way##MatrixAsync_64(int64_t, int64_t, int64_t, const void *, int64_t, void *, int64_t,      \
                                               CUstream);                                                              \
    cublasStatus_t cublas##way##Vector(int, int, const void *, int, void *, int);                                      \
    cublasStatus_t cublas##way##VectorAsync(int, int, const void *, int, void *, int, CUstream)
MATRIX(Set);
MATRIX(Get);

enum { ROWS = 5, COLUMNS = 4, PITCH = 7, ROOM = PITCH * COLUMNS };

static void fill(double *x, double from)
{
    for (int i = 0; i < ROOM; i++)
        x[i] = from + i;
}

static void parts_of_matrices_go_there_and_back(void **state)
{
    (void)state;
    double host[ROOM], back[ROOM];
    for (int later = 0; later < 2; later++) {
        rig_handle("a100");
        struct rig_matrix device = rig_matrix(GEMM_F64, ROWS * COLUMNS, 1);
        void *at = rig_at(&device, 0);
        fill(host, 100);
        fill(back, 900);
        if (later) {
            GOOD(cublasSetMatrixAsync_64(ROWS, COLUMNS, 8, host, PITCH, at, ROWS, NULL));
            GOOD(cublasGetMatrixAsync_64(ROWS, COLUMNS, 8, at, ROWS, back, PITCH, NULL));
            assert_int_equal(cuStreamSynchronize(NULL), CUDA_SUCCESS);
        } else {
            GOOD(cublasSetMatrix(ROWS, COLUMNS, 8, host, PITCH, at, ROWS));
            GOOD(cublasGetMatrix(ROWS, COLUMNS, 8, at, ROWS, back, PITCH));
        }
        for (int i = 0; i < ROOM; i++)
            assert_true(back[i] == (i % PITCH < ROWS ? 100 : 900) + i);
        rig_free(&device);
    }
}

static void vectors_keep_their_increments(void **state)
{
    (void)state;
    enum { COUNT = 6, FROM = 3, TO = 2 };
    double host[ROOM], back[ROOM];
    rig_handle("a100");
    struct rig_matrix device = rig_matrix(GEMM_F64, COUNT * TO, 1);
    void *at = rig_at(&device, 0);
    fill(host, 0);
    fill(back, 500);
    GOOD(cublasSetVectorAsync(COUNT, 8, host, FROM, at, TO, NULL));
    GOOD(cublasGetVector(COUNT, 8, at, TO, back, 1));
    for (int i = 0; i < ROOM; i++)
        assert_true(back[i] == (i < COUNT ? FROM * i : 500 + i));
    rig_free(&device);
}

static void bad_sizes_are_told(void **state)
{
    (void)state;
    double host[ROOM];
    rig_handle("a100");
    struct rig_matrix device = rig_matrix(GEMM_F64, ROOM, 1);
    void *at = rig_at(&device, 0);
    fill(host, 0);
    GOOD(cublasSetMatrix(0, COLUMNS, 8, NULL, 1, NULL, 1));
    assert_int_equal(cublasSetMatrix(-1, COLUMNS, 8, host, PITCH, at, ROWS), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSetMatrix(ROWS, COLUMNS, 0, host, PITCH, at, ROWS), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSetMatrix(ROWS, COLUMNS, 8, host, 0, at, ROWS), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasGetMatrix(ROWS, COLUMNS, 8, at, ROWS - 1, host, PITCH), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasGetVector(2, 8, at, 0, host, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasGetVector(2, 8, NULL, 1, host, 1), CUBLAS_STATUS_INVALID_VALUE);
    rig_free(&device);
}

UNIT_TESTS(UNIT(parts_of_matrices_go_there_and_back), UNIT(vectors_keep_their_increments), UNIT(bad_sizes_are_told))
