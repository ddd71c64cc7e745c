/* A context: the owner of a program's work on the device. */
#ifndef SUBCORE_DRIVER_CONTEXT_H
#define SUBCORE_DRIVER_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/state/driver.h"

struct CUctx_st {
    struct driver *driver;
    struct CUctx_st *next; /* of driver.contexts */
    uint64_t id;
    bool primary;
    bool active;       /* the primary one is not before it is retained, and after a reset until it is retained again */
    unsigned retained; /* uses: cuDevicePrimaryCtxRetain, cuCtxAttach */
    unsigned flags;
    CUresult sticky;          /* CUDA_SUCCESS, or the error that ended it */
    char reason[LOGS_REASON]; /* of `sticky` ("": it has not been said) */
    size_t limit[CU_LIMIT_MAX];
    CUfunc_cache cache;
    struct CUstream_st *streams; /* that programs made, and per-thread ones */
    struct CUstream_st *legacy;  /* the NULL stream */
    struct CUevent_st *events;
    struct CUmod_st *modules;
};

/* Registered and entered in driver.contexts; not active. NULL: out of memory. */
struct CUctx_st *context_new(struct driver *driver, unsigned flags);
/* Any pointer: true when it is a context that can be used. */
bool context_lives(const struct driver *driver, const struct CUctx_st *context);
/* Makes it usable, and the GPU before the first one. Limits and cache preference get their defaults. */
CUresult context_start(struct CUctx_st *context);
/* False for flags that cuCtxCreate does not know. */
bool context_flags_known(unsigned flags);

/* Keeps the first execution fault of a command, and its reason (thread.reason). Called by the executor with the lock
 * held. */
void context_fault(struct CUctx_st *context, CUresult error);

#endif
