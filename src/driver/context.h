/* A context: what a program's work on the device hangs on. */
#ifndef SUBCORE_DRIVER_CONTEXT_H
#define SUBCORE_DRIVER_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/driver.h"

struct CUctx_st {
    struct driver *driver;
    struct CUctx_st *next; /* of driver.contexts */
    uint64_t id;
    bool primary;
    unsigned retained; /* of the primary context; 0: not active */
    unsigned flags;
    CUresult sticky; /* CUDA_SUCCESS, or the error that ended it */
    size_t limit[CU_LIMIT_MAX];
    CUfunc_cache cache;
    struct CUstream_st *streams; /* that programs made, and per-thread ones */
    struct CUstream_st *legacy;  /* the NULL stream */
    struct CUmod_st *modules;
};

/* Waits for its work and frees all that hangs on it; the primary one stays as an empty shell. */
void context_clear(struct CUctx_st *context);

/* An execution fault of a command: keeps the first. Called by the executor with the lock held. */
void context_fault(struct CUctx_st *context, CUresult error);

#endif
