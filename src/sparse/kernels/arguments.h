/* Arguments of the kernels, as host and device see them. */
#ifndef SUBCORE_SPARSE_KERNELS_ARGUMENTS_H
#define SUBCORE_SPARSE_KERNELS_ARGUMENTS_H

enum { SPARSE_THREADS = 128 };

/* Compressed rows: `rows` has the place of each row's first element, and behind the last one their number. Or
 * coordinates: `rows` has the row of each element, in rising order. */
struct sparse_operand {
    void *rows, *columns, *values;
    long long count;                    /* elements that are there */
    long long rows_batch, values_batch; /* to the next matrix of a batch, in elements of `rows`, and of the others */
    unsigned height, width;
    unsigned wide_rows, wide_columns; /* 64-bit indices, else 32-bit ones */
    unsigned coordinates, base;       /* the first index is 0 or 1 */
};

/* Element (i, j) is data[i * row + j * column]. */
struct dense_operand {
    void *data;
    long long row, column, batch;
};

struct sparse_arguments {
    struct sparse_operand a, b, c;
    struct dense_operand x, y;
    const void *alpha_at, *beta_at; /* in device memory, or null: then the values below count */
    double alpha[2], beta[2];
    unsigned rows, columns, inner; /* the result's; the depth that sampled products have */
    unsigned conjugate;            /* A's elements */
    unsigned transposed;           /* of a triangular system: A's transpose */
    unsigned lower, unit;          /* of a triangular system */
    unsigned fill;                 /* write the result; else its rows' sizes only */
    long long *places;             /* where rows begin in a result that is not there yet */
    void *room;                    /* for products of two sparse matrices: a row for each block */
    long long room_bytes;          /* of one block */
};

#endif
