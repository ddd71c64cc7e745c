/* Counters of a kernel over time. */
#ifndef SUBCORE_REPORT_SAMPLES_H
#define SUBCORE_REPORT_SAMPLES_H

#include <stddef.h>

#include "base/json.h"
#include "probe/result.h"
#include "probe/samples.h"

/* Writes an object, as docs/json.md describes it: the growth of each counter that is not 0 from sample to sample.
 * The end of the kernel is the last sample, so that the values add up to those of the result. `kernel`: its place in
 * the list of results. */
void report_samples_json(const struct sample_series *series, const struct kernel_result *result, size_t kernel,
                         struct json *json, const char *key);

#endif
