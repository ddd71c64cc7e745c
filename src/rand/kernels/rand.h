/* Arguments of the kernels that make random numbers, as host and device see them. */
#ifndef SUBCORE_RAND_KERNELS_RAND_H
#define SUBCORE_RAND_KERNELS_RAND_H

enum { RAND_THREADS = 256, RAND_STATE_WORDS = 6 };

/* Philox: element i of the result comes from words of one sequence, Philox 4x32 with ten rounds. Word w belongs to the
 * counter w / 4, and the key is the seed. Element i of a call takes the words from `offset` on: word i for 32 bits,
 * words 2 i and 2 i + 1 for 64.
 *
 * XORWOW and MRG32k3a: element or pair i comes from stream (first + i) mod `streams`, whose state goes on with every
 * number. Word w of a stream's state is states[w * streams + s]. */
struct rand_arguments {
    void *result;
    unsigned long long count, seed, offset;
    double mean, deviation;
    unsigned *states;
    unsigned streams, first;
    const double *table;     /* of a discrete distribution: entry k is the probability of at most least + k */
    unsigned entries, least; /* of the table */
};

#endif
