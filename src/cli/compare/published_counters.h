/* The simulator's numbers under the names that Nsight Compute gives them, for rows in a table of published kernels. */
#ifndef SUBCORE_CLI_PUBLISHED_COUNTERS_H
#define SUBCORE_CLI_PUBLISHED_COUNTERS_H

#include <stdbool.h>

#include "report/metrics.h"

/* A number of one launch; a value below 0: there is none of that name. */
typedef int published_counter;

/* The way from a part's number to that of the launch. */
enum published_scale {
    PUBLISHED_TOTAL, /* it grows with the CTAs */
    PUBLISHED_SHARE, /* it stays: a rate or a share */
    PUBLISHED_DEVICE /* it stays, and is a share of the whole GPU's peak: it grows with the SMs in use */
};

published_counter published_counter_find(const char *name);
const char *published_counter_unit(published_counter counter);
enum published_scale published_counter_scale(published_counter counter);
double published_counter_value(const struct measured *measured, published_counter counter);
/* Returns whether it counts the L2's writes to device memory. */
bool published_counter_written(published_counter counter);

/* Takes off the counters and cycles of `what` from `from`, the longer run of the same launch. Where a counter
 * of the shorter run is larger, 0 is left. */
void published_subtract(struct kernel_result *from, const struct kernel_result *what);

#endif
