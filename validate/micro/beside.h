/* A measurement of two GPUs as one table. */
#ifndef SUBCORE_MEASURE_BESIDE_H
#define SUBCORE_MEASURE_BESIDE_H

#include <stdio.h>

#include "measure.h"
#include "validate/reference.h"

/* Prints the rows of both runs for one measurement, each column for either GPU, then each number beside the published
 * one of that GPU and the deviation in percent. A row or a number that only one GPU has is empty on the other side. */
void beside_text(const struct measure_run *const run[2], const struct references *references, FILE *out);

#endif
