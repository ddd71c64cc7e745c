/* A trace made of given parts is replayed with time: a byte of options, then dictionary, frame and launch, each behind
 * its length of two bytes. */
#ifndef SUBCORE_TESTS_FUZZ_TIMED_CHECK_H
#define SUBCORE_TESTS_FUZZ_TIMED_CHECK_H

#include <stddef.h>
#include <stdint.h>

enum timed_option {
    TIMED_PASSES_DAMAGE = 1,
    TIMED_SCOREBOARD = 2, /* dependences by scoreboards: any architecture's code runs */
    TIMED_COMPLETE = 4,   /* the index says that the grid is complete */
    TIMED_HAZARDS = 8,
    TIMED_A100 = 16, /* code of sm_80; else of sm_86 */
    TIMED_H200 = 32  /* code of sm_90 */
};

enum { TIMED_PARTS = 3 };

/* The parts, as far as they are there; places and lengths. */
struct timed_parts {
    size_t at[TIMED_PARTS], size[TIMED_PARTS];
};

struct timed_parts timed_split(const uint8_t *data, size_t size);

/* Aborts when a promise is broken: a failure without a message, more cycles than the limit. */
void timed_check(const uint8_t *data, size_t size);

#endif
