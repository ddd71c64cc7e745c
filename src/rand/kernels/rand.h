/* Arguments of the kernels that make random numbers, as host and device see them. */
#ifndef SUBCORE_RAND_KERNELS_RAND_H
#define SUBCORE_RAND_KERNELS_RAND_H

enum { RAND_THREADS = 256 };

/* Element i of the result comes from words of the generator's sequence. The sequence is Philox 4x32 with ten rounds:
 * word w belongs to the counter w / 4, and the key is the seed. Element i of a call takes the words from `offset` on:
 * word i for 32 bits, words 2 i and 2 i + 1 for 64. */
struct rand_arguments {
    void *result;
    unsigned long long count, seed, offset;
    double mean, deviation;
};

#endif
