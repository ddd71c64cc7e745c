/* Entry and exit of a public function: the lock, and the first checks of every function.
 *
 *     struct call call;
 *     CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
 *     if (result == CUDA_SUCCESS)
 *         result = ...;
 *     return call_end(&call, result); */
#ifndef SUBCORE_DRIVER_CALL_H
#define SUBCORE_DRIVER_CALL_H

#include "driver/state/driver.h"

enum call_needs {
    CALL_ANY,         /* nothing: takes the lock only */
    CALL_INITIALISED, /* cuInit, else CUDA_ERROR_NOT_INITIALIZED */
    CALL_CONTEXT,     /* a current context that lives (CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_CONTEXT_IS_DESTROYED) and
                       * has no sticky error (that error) */
    CALL_CLEANUP      /* a current context; a sticky error does not keep from freeing things, and is answered then */
};

struct call {
    struct driver *driver;
    struct CUctx_st *context; /* current; NULL when none is, and after CALL_ANY and CALL_INITIALISED possibly so */
    struct thread *thread;    /* state of the calling thread (driver/state/thread.h) */
    const char *name;
    enum call_needs needs;
    bool profiled; /* a profiler was told of its begin, and gets its end */
};

CUresult call_begin(struct call *call, const char *name, enum call_needs needs);
/* Writes the logs, gives the lock back, and hands the result on. */
CUresult call_end(struct call *call, CUresult result);

#endif
