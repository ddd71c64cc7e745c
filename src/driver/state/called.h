/* The body of a public function that only calls another one with the lock held. */
#ifndef SUBCORE_DRIVER_CALLED_H
#define SUBCORE_DRIVER_CALLED_H

#include "driver/state/call.h"

/* `expression` may use `call`. */
#define CALLED(needs, expression)                                                                                      \
    struct call call;                                                                                                  \
    CUresult result = call_begin(&call, __func__, needs);                                                              \
    if (result == CUDA_SUCCESS)                                                                                        \
        result = (expression);                                                                                         \
    return call_end(&call, result)

#endif
