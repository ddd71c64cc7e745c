/* Poisson distributions. */
#ifndef SUBCORE_RAND_POISSON_H
#define SUBCORE_RAND_POISSON_H

#include "rand/rand.h"

/* The mean is above zero and not above this. */
#define POISSON_MOST 400000.0

/* Returns the probabilities of the numbers from `least` on, or NULL if out of memory. The caller frees them. */
double *poisson_probabilities(double lambda, unsigned *entries, unsigned *least);

/* Makes the generator's table one of this distribution. */
curandStatus_t poisson_prepare(struct rand *rand, double lambda);

void poisson_release(struct rand *rand);

#endif
