/* Compares the expectation of an experiment with its result. */
#ifndef SUBCORE_EXPERIMENT_VERDICT_H
#define SUBCORE_EXPERIMENT_VERDICT_H

#include "experiment/experiment.h"

/* Numbers as "13/15/17". */
void verdict_print(const struct value *value, char text[EXPERIMENT_TEXT]);

/* Whether `simulated` is as `expected`: the same text, or as many numbers, each within the tolerance "0", "1"
 * or "2 %". */
bool verdict_agrees(const char *expected, const char *simulated, const char *tolerance);

#endif
