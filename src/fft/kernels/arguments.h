/* Arguments of the kernels, as host and device see them. A transform is gathered into a work buffer of complex numbers,
 * goes through a stage for each factor of each dimension, from one buffer to the other, and is stored. */
#ifndef SUBCORE_FFT_KERNELS_ARGUMENTS_H
#define SUBCORE_FFT_KERNELS_ARGUMENTS_H

enum { FFT_RANK = 3, FFT_THREADS = 256 };

/* The elements outside. Of a spectrum with Hermitian symmetry the last dimension has its first n / 2 + 1
 * elements. */
enum fft_form { FFT_COMPLEX, FFT_REAL, FFT_HERMITIAN };

struct fft_arguments {
    void *outside;                 /* gathered from, or stored to */
    long long steps[FFT_RANK + 1]; /* between transforms in the batch, and in each dimension, in elements */
    void *from, *to;               /* work buffers: batch, then the dimensions, without gaps */
    unsigned sizes[FFT_RANK];      /* of the complete transform; 1 where there is no dimension */
    unsigned form;                 /* enum fft_form */
    unsigned long long count;      /* complex numbers in a buffer, below 2^31 */
    unsigned length, done, radix;  /* of a stage: the dimension's size, the product of the factors before, the factor */
    unsigned inner;                /* elements between neighbours of the dimension */
    int sign;                      /* of the exponent: -1 forward, 1 inverse */
    unsigned spare;
};

#endif
