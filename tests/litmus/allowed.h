/* The outcomes that the PTX memory consistency model (PTX ISA, "Memory Consistency Model") allows of a litmus test:
 * every choice of which write each read reads from, of an order of the writes to each location and the fences is tried
 * against the axioms. Written from the specification's text, and knows nothing of the simulator. */
#ifndef SUBCORE_TESTS_LITMUS_ALLOWED_H
#define SUBCORE_TESTS_LITMUS_ALLOWED_H

#include <stdbool.h>
#include <stdint.h>

#include "ops.h"

struct litmus_test {
    const char *name;
    unsigned threads;
    unsigned long long thread[LITMUS_THREADS];
};

extern const struct litmus_test litmus_tests[];
extern const unsigned litmus_test_count;

/* An outcome: the value of each read and each location in the end, two bits each. */
static inline uint32_t outcome_read(unsigned thread, unsigned read, unsigned value)
{
    return (uint32_t)value << 2 * (thread * LITMUS_READS + read);
}
static inline uint32_t outcome_final(unsigned location, unsigned value)
{
    return (uint32_t)value << (2 * LITMUS_THREADS * LITMUS_READS + 2 * location);
}

enum { OUTCOMES = 1024 };
struct outcomes {
    unsigned count;
    uint32_t outcome[OUTCOMES];
};

/* `cta[i]`: in which CTA thread i runs. */
void litmus_allowed(const struct litmus_test *test, const unsigned cta[LITMUS_THREADS], struct outcomes *out);
bool outcomes_hold(const struct outcomes *out, uint32_t outcome);

/* "T1: 1 0  T2: 2  X=1 Y=2". */
void outcome_text(const struct litmus_test *test, uint32_t outcome, char *text, unsigned size);

#endif
