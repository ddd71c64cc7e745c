/* The runtime's state of each host thread. */
#ifndef SUBCORE_RUNTIME_THREAD_H
#define SUBCORE_RUNTIME_THREAD_H

#include "runtime/abi/error.h"
#include "runtime/abi/handles.h"

/* Launches whose arguments contain launches nest. Deeper than this is refused. */
enum { CONFIGURATIONS = 32 };

struct configuration { /* the configuration between <<< and >>> */
    dim3 grid;
    dim3 block;
    size_t shared; /* bytes */
    cudaStream_t stream;
};

struct runtime_thread {
    cudaError_t last; /* for cudaGetLastError */
    cudaError_t done; /* the last answer of runtime_done, for profilers */
    int device;       /* of cudaSetDevice */
    unsigned resets;  /* of the device, up to the last call */
    int depth;        /* of the stack below */
    struct configuration configurations[CONFIGURATIONS];
};

/* The calling thread's. */
struct runtime_thread *runtime_thread(void);

#endif
