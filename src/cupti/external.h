/* External correlation ids: a stack of each kind in each thread. */
#ifndef SUBCORE_CUPTI_EXTERNAL_H
#define SUBCORE_CUPTI_EXTERNAL_H

#include <stdint.h>

struct cupti;

/* Adds a record for each kind of which the calling thread has an id. Called with the lock held. */
void external_add(struct cupti *cupti, uint32_t correlation);

#endif
