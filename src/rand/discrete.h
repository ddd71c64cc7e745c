/* A discrete distribution on the device, as the functions of curand_kernel.h read it. A number between 0 and 1 falls
 * into one of `length` equal intervals. The first part of an interval, up to V, belongs to its own number, and the rest
 * to number K (Marsaglia, Tsang and Wang, Fast Generation of Discrete Random Variables, Journal of Statistical Software
 * 11, 2004). */
#ifndef SUBCORE_RAND_DISCRETE_H
#define SUBCORE_RAND_DISCRETE_H

enum { DISCRETE_SQUARE = 5, DISCRETE_NORMAL = 7 }; /* curandMethod_t */

/* Addresses are those on the device. Copies on the host do not exist. */
struct discrete_histogram {
    double *v, *host_v;
    unsigned *k, *host_k;
    unsigned host;
};

struct discrete_shift {
    struct discrete_histogram *histogram, *host_histogram;
    unsigned shift, length, host;
};

/* A curandDiscreteDistribution_t is the device's address of it. */
struct discrete {
    void *self;
    struct discrete_shift *square, *host_square;
    double deviation, mean;
    int method;
    unsigned host;
};

#endif
