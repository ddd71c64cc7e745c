/* Sparse matrices on both sides, with dense ones in double to compare with. */
#ifndef SUBCORE_TESTS_SPARSE_RIG_H
#define SUBCORE_TESTS_SPARSE_RIG_H

#include <complex.h>
#include <math.h>

#include "driver/abi/api_memory.h"
#include "sparse/sparse.h"
#include "tests/unit.h"

#define GOOD CUSPARSE_STATUS_SUCCESS
#define BAD CUSPARSE_STATUS_INVALID_VALUE

cusparseStatus_t cusparseCreate(struct sparse **);
cusparseStatus_t cusparseDestroy(struct sparse *);
cusparseStatus_t cusparseSetPointerMode(struct sparse *, int);
cusparseStatus_t cusparseCreateCsr(struct sparse_matrix **, int64_t, int64_t, int64_t, void *, void *, void *, int, int,
                                   int, int);
cusparseStatus_t cusparseCreateCoo(struct sparse_matrix **, int64_t, int64_t, int64_t, void *, void *, void *, int, int,
                                   int);
cusparseStatus_t cusparseDestroySpMat(struct sparse_matrix *);
cusparseStatus_t cusparseCreateDnMat(struct sparse_dense **, int64_t, int64_t, int64_t, void *, int, int);
cusparseStatus_t cusparseDestroyDnMat(struct sparse_dense *);

static inline struct sparse *rig_begin(void)
{
    struct sparse *handle = NULL;
    setenv("SUBCORE_GPU", "a100", 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
    assert_int_equal(cusparseCreate(&handle), GOOD);
    return handle;
}

static const unsigned rig_types[] = {SPARSE_F32, SPARSE_F64, SPARSE_C32, SPARSE_C64, SPARSE_F16, SPARSE_BF16};
enum { RIG_TYPES = sizeof rig_types / sizeof rig_types[0], RIG_WIDE_TYPES = 4 };

static inline bool rig_complex(unsigned type) { return type == SPARSE_C32 || type == SPARSE_C64; }
static inline bool rig_narrow(unsigned type) { return type == SPARSE_F16 || type == SPARSE_BF16; }
static inline int rig_computed(unsigned type) { return rig_narrow(type) ? SPARSE_F32 : (int)type; }

/* Steps of a type, relative. */
static inline double rig_precision(unsigned type)
{
    switch (type) {
    case SPARSE_F64:
    case SPARSE_C64: return 0x1p-52;
    case SPARSE_F16: return 0x1p-10;
    case SPARSE_BF16: return 0x1p-7;
    default: return 0x1p-23;
    }
}

/* Small multiples of 1/8, which every type holds exactly. */
static inline double complex rig_number(unsigned i, bool imaginary)
{
    double re = (double)((i * 2654435761u >> 9) % 15) / 8 - 0.875, im = (double)((i * 40503u >> 3) % 15) / 8 - 0.875;
    return re + (imaginary ? im * I : 0);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static inline void *rig_upload(const void *host, size_t bytes)
{
    CUdeviceptr device;
    assert_int_equal(cuMemAlloc_v2(&device, bytes + 1), CUDA_SUCCESS);
    if (bytes > 0)
        assert_int_equal(cuMemcpyHtoD_v2(device, host, bytes), CUDA_SUCCESS);
    return (void *)(uintptr_t)device;
}

static inline void rig_free(void *device)
{
    assert_int_equal(cuMemFree_v2((CUdeviceptr)(uintptr_t)device), CUDA_SUCCESS);
}

static inline uint16_t rig_half(double x) /* for numbers of rig_number and zero */
{
    int exponent;
    if (x == 0)
        return 0;
    double fraction = frexp(fabs(x), &exponent);
    return (uint16_t)((x < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | (int)((2 * fraction - 1) * 1024));
}

static inline void rig_write(void *data, unsigned type, size_t i, double complex x)
{
    float single = (float)creal(x);
    uint32_t word;
    memcpy(&word, &single, sizeof word);
    switch (type) {
    case SPARSE_F32: ((float *)data)[i] = single; break;
    case SPARSE_F64: ((double *)data)[i] = creal(x); break;
    case SPARSE_C32: ((float complex *)data)[i] = (float complex)x; break;
    case SPARSE_C64: ((double complex *)data)[i] = x; break;
    case SPARSE_F16: ((uint16_t *)data)[i] = rig_half(creal(x)); break;
    default: ((uint16_t *)data)[i] = (uint16_t)(word >> 16); break;
    }
}

static inline double complex rig_read(const void *data, unsigned type, size_t i)
{
    uint16_t bits;
    uint32_t word;
    float single;
    switch (type) {
    case SPARSE_F32: return (double)((const float *)data)[i];
    case SPARSE_F64: return ((const double *)data)[i];
    case SPARSE_C32: return (double complex)((const float complex *)data)[i];
    case SPARSE_C64: return ((const double complex *)data)[i];
    case SPARSE_F16:
        bits = ((const uint16_t *)data)[i];
        return ldexp((bits >> 10 & 31) == 0 ? (bits & 1023) : 1024 + (bits & 1023),
                     ((bits >> 10 & 31) == 0 ? 1 : bits >> 10 & 31) - 25) *
               (bits & 0x8000 ? -1 : 1);
    default:
        word = (uint32_t)((const uint16_t *)data)[i] << 16;
        memcpy(&single, &word, sizeof single);
        return (double)single;
    }
}

static inline void *rig_values(const double complex *x, size_t count, unsigned type)
{
    unsigned size = sparse_size(type);
    char *host = calloc(count + 1, size);
    assert_non_null(host);
    for (size_t i = 0; i < count; i++)
        rig_write(host, type, i, x[i]);
    void *device = rig_upload(host, count * size);
    free(host);
    return device;
}

static inline void rig_fetch(double complex *x, const void *device, size_t count, unsigned type)
{
    char *host = calloc(count + 1, sparse_size(type));
    assert_non_null(host);
    assert_int_equal(cuMemcpyDtoH_v2(host, (CUdeviceptr)(uintptr_t)device, count * sparse_size(type)), CUDA_SUCCESS);
    for (size_t i = 0; i < count; i++)
        x[i] = rig_read(host, type, i);
    free(host);
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

enum { RIG_SIDE = 40, RIG_MOST = RIG_SIDE * RIG_SIDE };

/* A matrix in full, row by row, with zeros where there is no element; and its parts on the device. */
struct rig_matrix {
    int rows, columns, count;
    unsigned type;
    double complex full[RIG_MOST];
    bool there[RIG_MOST];
    void *row_part, *column_part, *value_part;
    struct sparse_matrix *descriptor;
};

enum rig_form { RIG_CSR, RIG_CSR_WIDE, RIG_COO, RIG_FORMS };

static inline void *rig_indices(const int *x, size_t count, bool wide)
{
    int64_t *host = calloc(count + 1, sizeof *host);
    assert_non_null(host);
    for (size_t i = 0; i < count; i++)
        host[i] = x[i];
    void *device = wide ? rig_upload(host, count * sizeof *host) : rig_upload(x, count * sizeof *x);
    free(host);
    return device;
}

/* Makes a matrix of the elements that are there. */
static inline void rig_make(struct rig_matrix *m, enum rig_form form, int base)
{
    static int rows[RIG_MOST + 1], columns[RIG_MOST], places[RIG_SIDE + 1];
    static double complex values[RIG_MOST];
    bool wide = form == RIG_CSR_WIDE;
    m->count = 0;
    for (int i = 0; i < m->rows; i++) {
        places[i] = m->count + base;
        for (int j = 0; j < m->columns; j++)
            if (m->there[i * m->columns + j]) {
                rows[m->count] = i + base;
                columns[m->count] = j + base;
                values[m->count++] = m->full[i * m->columns + j];
            }
    }
    places[m->rows] = m->count + base;
    size_t count = (size_t)m->count;
    m->row_part = form == RIG_COO ? rig_indices(rows, count, false) : rig_indices(places, (size_t)m->rows + 1, wide);
    m->column_part = rig_indices(columns, count, wide);
    m->value_part = rig_values(values, count, m->type);
    int index = wide ? SPARSE_INDEX_64 : SPARSE_INDEX_32;
    assert_int_equal(form == RIG_COO
                         ? cusparseCreateCoo(&m->descriptor, m->rows, m->columns, m->count, m->row_part, m->column_part,
                                             m->value_part, index, base, (int)m->type)
                         : cusparseCreateCsr(&m->descriptor, m->rows, m->columns, m->count, m->row_part, m->column_part,
                                             m->value_part, index, index, base, (int)m->type),
                     GOOD);
}

/* A matrix that has an element at some places; every fifth row has none. */
static inline void rig_some(struct rig_matrix *m, unsigned type, int rows, int columns, unsigned seed)
{
    memset(m, 0, sizeof *m);
    m->rows = rows;
    m->columns = columns;
    m->type = type;
    for (int i = 0; i < rows * columns; i++) {
        unsigned draw = ((unsigned)i + seed * 7919u) * 2246822519u >> 7;
        m->there[i] = draw % 3 == 0 && (i / columns) % 5 != 4;
        m->full[i] = m->there[i] ? rig_number(draw, rig_complex(type)) : 0;
    }
}

static inline void rig_drop(struct rig_matrix *m)
{
    rig_free(m->row_part);
    rig_free(m->column_part);
    rig_free(m->value_part);
    assert_int_equal(cusparseDestroySpMat(m->descriptor), GOOD);
}

/* Expects equal numbers, where `size` bounds the numbers that were added. */
static inline void rig_expect(double complex found, double complex right, double size, unsigned type, const char *what)
{
    if (!(cabs(found - right) <= 4 * rig_precision(type) * (size + 1)))
        fail_msg("%s, type %u: %g%+gi, not %g%+gi", what, type, creal(found), cimag(found), creal(right), cimag(right));
}

/* A scalar in host memory, as a type of sums has it. */
struct rig_scalar {
    _Alignas(16) char bytes[16];
};

static inline struct rig_scalar rig_scalar(double complex x, int computed)
{
    struct rig_scalar s = {{0}};
    rig_write(s.bytes, (unsigned)computed, 0, x);
    return s;
}

#endif
