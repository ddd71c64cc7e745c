/* Keeps a log of a timed run (probe/run_log.h). It changes nothing of the run. */
#ifndef SUBCORE_GPU_LOGGING_H
#define SUBCORE_GPU_LOGGING_H

#include "gpu/timed.h"

/* An observer that logs issues and results of the SM whose warps `log` wants. */
struct sm_observer logging_observer(struct run_log *log);

/* An SM begins a kernel: its warps' states go to the log where that is wanted. */
void logging_take(struct timed *t, uint32_t sm);

#endif
