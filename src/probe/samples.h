/* Counters of a kernel over time: sums from its launch on, noted at even distances. When there is no room for another,
 * every second one is given up, and the distance doubles. */
#ifndef SUBCORE_PROBE_SAMPLES_H
#define SUBCORE_PROBE_SAMPLES_H

#include <stdbool.h>

#include "probe/counters.h"

struct sample {
    uint64_t cycle; /* from the launch */
    struct sm_counters sm;
    struct mem_counters mem;
};

struct sample_series {
    uint64_t first_period; /* cycles between two samples, as asked for (0: no samples) */
    uint32_t most;         /* samples, an even number */
    uint64_t period;       /* cycles between two samples, now: samples are this far apart, or farther */
    uint32_t count;
    struct sample *sample; /* [most], in the order of time */
};

/* Gives the samples up and begins again at the first period. False: no memory. */
bool sample_series_reset(struct sample_series *series);
void sample_series_free(struct sample_series *series);

/* Makes room and returns the place of the next sample, which the caller fills. */
struct sample *sample_series_next(struct sample_series *series);

#endif
