/* Arguments of the kernels for plane rotations, as host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_ROTATION_H
#define SUBCORE_BLAS_KERNELS_ROTATION_H

enum { ROTATION_THREADS = 256 };

struct rotation_arguments {
    void *x, *y; /* element i of x is x[i * x_step] */
    long long x_step, y_step;
    long long count;
    const void *c_at, *s_at, *parameters_at; /* in device memory, or null: then the values below count */
    double c, s[2];                          /* c is real always */
    double parameters[5];                    /* a modified rotation: flag, h11, h21, h12, h22 */
    unsigned real_s;                         /* s is real, also of complex vectors */
    unsigned spare;
    void *scalars[5]; /* of the functions that make a rotation: a, b, c, s, or d1, d2, x1, y1, parameters */
};

#endif
