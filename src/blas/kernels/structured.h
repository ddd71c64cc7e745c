/* Arguments of the kernels for matrices with a structure (banded, packed, symmetric, Hermitian, triangular), as host
 * and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_STRUCTURED_H
#define SUBCORE_BLAS_KERNELS_STRUCTURED_H

enum structured_kind { STRUCTURED_GENERAL, STRUCTURED_SYMMETRIC, STRUCTURED_HERMITIAN, STRUCTURED_TRIANGLE };

enum { STRUCTURED_THREADS = 256, STRUCTURED_ROWS = 32, STRUCTURED_TILE = 32 };

/* Element (i, j) is data[j * pitch + i]. If `banded`, it is data[j * pitch + above + i - j], and those with i - j above
 * `below` or under -`above` are zero. If `packed`, the columns of one triangle lie behind each other. Of all kinds but
 * the general one, one triangle is stored. */
struct structured_matrix {
    void *data;
    long long pitch, rows, columns; /* rows and columns without the operation */
    long long below, above;
    unsigned banded, packed, kind;
    unsigned lower, unit, operation; /* 0 none, 1 transpose, 2 adjoint */
};

/* Level 2: y = alpha op(A) x + beta y, op(A) x = x, or an update of A's triangle. */
struct structured_arguments {
    struct structured_matrix a;
    void *x, *y; /* element i of x is x[i * x_step] */
    long long x_step, y_step;
    const void *alpha_at, *beta_at; /* in device memory, or null: then the values below count */
    double alpha[2], beta[2];
    unsigned real_alpha; /* alpha is real, also of complex matrices */
    unsigned both;       /* the update has a second product, with x and y exchanged */
};

/* Level 3: C = alpha A B + beta C, then plus alpha (or its conjugate) A2 B2 if `both`. */
struct structured_product {
    struct structured_matrix a, b, a2, b2;
    void *c;
    long long pitch, rows, columns, depth;
    const void *alpha_at, *beta_at;
    double alpha[2], beta[2];
    unsigned real_alpha, real_beta, both;
    unsigned triangle;  /* 0 for all of C, 1 for the lower and 2 for the upper triangle */
    unsigned hermitian; /* C's diagonal is real, and the second alpha is the first one's conjugate */
    unsigned spare;
};

#endif
