/* Compares the stores of a row's warps with the expectation: that of the file for this GPU, or the measures of given
 * words from real hardware. */
#ifndef SUBCORE_EXPERIMENT_JUDGE_H
#define SUBCORE_EXPERIMENT_JUDGE_H

#include "experiment/experiment.h"
#include "experiment/timeline.h"

struct stored {
    const struct experiment *e;
    const struct timeline *timeline;    /* NULL: issues were not observed */
    const struct sm_counters *counters; /* NULL: not counted */
    unsigned warps;
    uint32_t word[EXPERIMENT_WARPS * EXPERIMENT_STORES];
};

struct judge {
    const struct experiment *e;
    const char *gpu;                           /* the name that expectations go by */
    const struct experiment_records *hardware; /* NULL: the file's expectations */
};

bool judge_row(const struct judge *judge, unsigned row, const struct stored *stored, struct experiment_row *out,
               struct status *status);

#endif
