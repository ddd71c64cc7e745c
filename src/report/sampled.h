/* The report of a sampled run about the sum of its launches' cycles (probe/sample_sum.h). */
#ifndef SUBCORE_REPORT_SAMPLED_H
#define SUBCORE_REPORT_SAMPLED_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "report/launches.h"

/* Returns whether the launches are those of a sampled run. */
bool sampled_is(const struct launches *launches);
/* Both after launches_sort. One line, or none; and an object "sampled" with a row for each kernel, or nothing. */
void sampled_print(const struct launches *launches, FILE *out);
void sampled_json(const struct launches *launches, const struct config *config, struct json *json);

#endif
