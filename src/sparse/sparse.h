/* Our own cuSPARSE: public, documented interfaces on kernels of our own. Its files share this. It stands on the public
 * functions of the driver API only. */
#ifndef SUBCORE_SPARSE_SPARSE_H
#define SUBCORE_SPARSE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/handles.h"
#include "sparse/kernels/arguments.h"

/* Begins a function that programs call: SPARSE_API(type, name, parameters...) { ... }. */
#define SPARSE_API(type, name, ...)                                                                                    \
    __attribute__((visibility("default"))) type name(__VA_ARGS__);                                                     \
    type name(__VA_ARGS__)

/* Numbers of the documentation. */
typedef enum {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_ARCH_MISMATCH = 4,
    CUSPARSE_STATUS_MAPPING_ERROR = 5,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6,
    CUSPARSE_STATUS_INTERNAL_ERROR = 7,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    CUSPARSE_STATUS_ZERO_PIVOT = 9,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;

enum sparse_type { /* cudaDataType, as far as there are kernels */
                   SPARSE_F32 = 0,
                   SPARSE_F64 = 1,
                   SPARSE_F16 = 2,
                   SPARSE_C32 = 4,
                   SPARSE_C64 = 5,
                   SPARSE_BF16 = 14
};
enum sparse_index { SPARSE_INDEX_32 = 2, SPARSE_INDEX_64 = 3 };
enum sparse_order { SPARSE_BY_COLUMNS = 1, SPARSE_BY_ROWS = 2 };
enum sparse_operation { SPARSE_N = 0, SPARSE_T = 1, SPARSE_C = 2 };
enum sparse_triangle { SPARSE_LOWER = 0, SPARSE_UPPER = 1 };
enum sparse_attribute { SPARSE_ATTRIBUTE_TRIANGLE = 0, SPARSE_ATTRIBUTE_DIAGONAL = 1 };
enum sparse_image { SPARSE_DENSE, SPARSE_BUILD, SPARSE_IMAGES };

/* A cusparseHandle_t points to it. */
struct sparse {
    uint64_t magic; /* SPARSE_MAGIC while it lives */
    CUlibrary images[SPARSE_IMAGES];
    CUstream stream;
    bool device_scalars;
};

#define SPARSE_MAGIC 0x7375627370617273u

static inline bool sparse_lives(const struct sparse *sparse) { return sparse != NULL && sparse->magic == SPARSE_MAGIC; }

/* A cusparseSpMatDescr_t: a matrix by compressed rows or by coordinates. */
struct sparse_matrix {
    unsigned type; /* enum sparse_type */
    long long height, width, count, batch;
    struct sparse_operand operand;
    unsigned triangle, unit; /* for triangular systems */
};

/* A cusparseDnMatDescr_t or a cusparseDnVecDescr_t, which has one column. */
struct sparse_dense {
    unsigned type;
    long long height, width, pitch, batch, step; /* step: to the next matrix of a batch, in elements */
    unsigned order;                              /* enum sparse_order */
    void *data;
};

/* A cusparseMatDescr_t. */
struct sparse_description {
    int type, base, triangle, unit;
};

/* Returns the bytes of an element, or 0 for a type without kernels. */
unsigned sparse_size(unsigned type);

/* Returns whether elements of a type are summed in the other one. `narrow` lets 16-bit types be their own. */
bool sparse_sums(unsigned type, int computed, bool narrow);

/* Writes a matrix as the kernels take it, or its transpose. */
struct dense_operand sparse_operand_of(const struct sparse_dense *dense, bool transposed);

/* Writes alpha and beta, of type `computed`, into the arguments. Each may be null, and counts as 0 then. */
void sparse_scalars(const struct sparse *sparse, struct sparse_arguments *g, const void *alpha, const void *beta,
                    int computed);

/* Starts the kernel subcore_sparse_NAME, or subcore_sparse_NAME_TYPE, in this number of blocks and matrices. The
 * number of blocks has a limit: threads go on to further rows. */
cusparseStatus_t sparse_launch(const struct sparse *sparse, enum sparse_image image, const char *name,
                               const unsigned *type, unsigned long long blocks, long long batch,
                               struct sparse_arguments *g);

/* Says once on standard error that a function, or a combination of arguments, is missing in this library. */
cusparseStatus_t sparse_refuse(const char *function, const char *what);

#endif
