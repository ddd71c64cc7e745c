/* The streams of XORWOW and MRG32k3a: parts of one long sequence that lie far apart. */
#ifndef SUBCORE_RAND_STREAMS_H
#define SUBCORE_RAND_STREAMS_H

#include "rand/rand.h"

/* Writes the state of each stream: word w of stream s is words[w * streams + s]. Number n of the results is number
 * n / streams of stream n mod streams, and `offset` is the first n that is wanted. */
void xorwow_streams(uint32_t *words, unsigned streams, uint64_t seed, uint64_t offset);
void mrg_streams(uint32_t *words, unsigned streams, uint64_t seed, uint64_t offset);

/* The same for streams with their own seeds, which begin quickly. */
void xorwow_seeded_streams(uint32_t *words, unsigned streams, uint64_t seed, uint64_t offset);

/* Makes the states of a generator ready. */
curandStatus_t streams_prepare(struct rand *rand);

/* Notes that the next call begins anew, after a change of a setting. */
void streams_restart(struct rand *rand);

void streams_release(struct rand *rand);

#endif
