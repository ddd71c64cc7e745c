/* What the warps of a row stored, against what it should be: what the file says of this GPU, or, where the words of
 * real hardware are given, what its measures are there. */
#ifndef SUBCORE_EXPERIMENT_JUDGE_H
#define SUBCORE_EXPERIMENT_JUDGE_H

#include "experiment/experiment.h"
#include "experiment/timeline.h"

struct stored {
    const struct experiment *e;
    const struct timeline *timeline;    /* NULL: nobody saw when what issued */
    const struct sm_counters *counters; /* NULL: nobody counted */
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
