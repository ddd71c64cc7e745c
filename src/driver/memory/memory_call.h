/* The common part of functions that hand out memory. */
#ifndef SUBCORE_DRIVER_MEMORY_CALL_H
#define SUBCORE_DRIVER_MEMORY_CALL_H

#include "driver/state/call.h"

/* queue_pause, for the rest of the call: CUDA_ERROR_CONTEXT_IS_DESTROYED when the context went away meanwhile. */
CUresult call_pause(struct call *call);

/* The same for functions that must not be called while streams capture (driver/capture/capture.h). */
CUresult call_pause_uncaptured(struct call *call);

#endif
