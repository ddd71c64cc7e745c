/* Numbers that are made on the host. */
#ifndef SUBCORE_RAND_HOST_H
#define SUBCORE_RAND_HOST_H

#include "rand/rand.h"

/* Makes `count` numbers of a kind in host memory. */
void host_numbers(struct rand *rand, enum rand_kind kind, void *result, size_t count, double mean, double deviation);

#endif
