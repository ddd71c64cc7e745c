/* Shared by the files of the runtime library. It stands on the public functions of the driver API only, except for the
 * door of profilers. */
#ifndef SUBCORE_RUNTIME_RUNTIME_H
#define SUBCORE_RUNTIME_RUNTIME_H

#include <stdbool.h>

#include "driver/abi/api_device.h"
#include "driver/abi/profile.h"
#include "runtime/abi/error.h"
#include "runtime/abi/handles.h"

/* Remembers a failure for cudaGetLastError of this thread, and hands it on. */
cudaError_t runtime_done(cudaError_t error);
/* The same for an answer of the driver: numbers of both APIs agree. */
cudaError_t runtime_answer(CUresult result);

/* Starts the driver if it has not been started. Answers the driver's error, not yet remembered. */
cudaError_t runtime_start(void);
/* Starts the driver, and gives this thread the primary context of its device unless it has a context. */
cudaError_t runtime_enter(void);
/* The context of this thread after runtime_enter. */
CUcontext runtime_context(void);

/* The device that this thread chose by cudaSetDevice, 0 at first. */
int runtime_device(void);
/* cudaErrorInvalidDevice if there is no such device. */
cudaError_t runtime_check_device(int device);
/* A device attribute by its driver number; 0 where the driver gives none. */
int runtime_attribute(int attribute, int device);

/* The last error, once more; `reset` forgets it unless it belongs to a context that is lost. */
cudaError_t runtime_last_error(bool reset);
/* Forgets the error of a lost context: the device has been reset. */
void runtime_forget_error(void);

/* The variant of a function with a stream for code that was compiled for a default stream per thread. */
static inline cudaStream_t runtime_own(cudaStream_t stream)
{
    return stream == NULL ? (cudaStream_t)2 : stream; /* CU_STREAM_PER_THREAD */
}

/* A function of the program that a profiler sees, from the begin to its return. */
struct runtime_call {
    bool profiled;
};

void runtime_profile_enter(const char *name);
void runtime_profile_leave(void);

static inline void runtime_call_end(const struct runtime_call *call)
{
    if (call->profiled)
        runtime_profile_leave();
}

/* Begins each function that programs call. */
#define RUNTIME_CALL RUNTIME_CALL_AS(__func__)
#define RUNTIME_CALL_AS(name)                                                                                          \
    __attribute__((cleanup(runtime_call_end))) const struct runtime_call runtime_call = {profile_on()};                \
    if (runtime_call.profiled)                                                                                         \
    runtime_profile_enter(name)

/* The body of a function that is one call of the driver in the thread's context. */
#define RUNTIME_RETURN(call)                                                                                           \
    do {                                                                                                               \
        cudaError_t entered = runtime_enter();                                                                         \
        return runtime_done(entered == cudaSuccess ? (cudaError_t)(call) : entered);                                   \
    } while (false)

static inline CUdeviceptr runtime_pointer(const void *pointer) { return (CUdeviceptr)(uintptr_t)pointer; }

#endif
