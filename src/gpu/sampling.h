/* Takes samples of a timed run's counters, between its quanta. It changes nothing of the run. */
#ifndef SUBCORE_GPU_SAMPLING_H
#define SUBCORE_GPU_SAMPLING_H

#include "gpu/timed.h"

/* A run begins: samples of earlier ones are given up. False, with status: no memory. */
bool sampling_begin(struct timed *t, const struct gpu_options *options, struct status *status);

/* Between two quanta: takes a sample of the oldest kernel in flight where one is due. */
void sampling_quantum(struct timed *t);

#endif
