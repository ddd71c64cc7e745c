// Numbers of a discrete distribution by inversion.
#ifndef SUBCORE_RAND_KERNELS_DISCRETE_CUH
#define SUBCORE_RAND_KERNELS_DISCRETE_CUH

#include "rand.h"

// Returns the first number whose cumulative probability is at least u.
__device__ inline unsigned discrete(const rand_arguments &g, double u)
{
    unsigned low = 0, high = g.entries - 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (g.table[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return g.least + low;
}

#endif
