/* Names and units of Nsight Compute's metrics, as src/report/metrics.def has them. */
#ifndef SUBCORE_VALIDATE_HW_METRIC_H
#define SUBCORE_VALIDATE_HW_METRIC_H

#include <stdbool.h>

/* Whether a `--page raw` column is a measurement of the kernel, and not a fact about GPU, profiler or host. */
bool metric_counts(const char *name);

/* The name that the simulator gives it, where versions of Nsight Compute differ. */
const char *metric_name(const char *name);

/* The base of a unit, and how much of it one is: "usecond" is 1000 "ns". A unit that is not known is its own base. */
const char *metric_unit(const char *unit, double *factor);

/* A number with or without commas between thousands. False: it is none, as "n/a" and an empty cell. */
bool metric_value(const char *text, double *value);

#endif
