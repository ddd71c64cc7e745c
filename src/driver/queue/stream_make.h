/* How streams come to be: for stream.c and stream_api.c. */
#ifndef SUBCORE_DRIVER_STREAM_MAKE_H
#define SUBCORE_DRIVER_STREAM_MAKE_H

#include "driver/queue/stream.h"

enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 }; /* handles that are no pointers */

/* NULL: out of memory. It is found once it is entered into its context's list. */
struct CUstream_st *stream_make(struct CUctx_st *context, unsigned flags, int priority);
void stream_enter(struct CUstream_st *stream);

#endif
