/* The table of a Poisson distribution. */
#ifndef SUBCORE_RAND_POISSON_H
#define SUBCORE_RAND_POISSON_H

#include "rand/rand.h"

/* Makes the generator's table one of this distribution, whose mean is above zero and not above POISSON_MOST. */
#define POISSON_MOST 400000.0
curandStatus_t poisson_prepare(struct rand *rand, double lambda);

void poisson_release(struct rand *rand);

#endif
