#include "runtime/thread.h"

#include <stdbool.h>

#include "driver/abi/api_stream.h"
#include "runtime/runtime.h"

static _Thread_local struct runtime_thread thread_state;

struct runtime_thread *runtime_thread(void) { return &thread_state; }

int runtime_device(void) { return thread_state.device; }

static bool may_lose_context(cudaError_t error)
{
    switch (error) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorNotSupported: return true; /* the last: an instruction that is not simulated */
    default: return false;
    }
}

/* Whether the thread's context is lost by this error: every question to it is answered so. cudaGetLastError does not
 * clear such an error. With a reset of the device, or another context, it is an error as any other. */
static bool is_sticky(cudaError_t error)
{
    size_t size;
    return may_lose_context(error) && cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE) == (CUresult)error;
}

/* "Not ready" is an answer and no error: no question for the last error gives it (CUDA C++ programming guide, "Error
 * Checking"). */
cudaError_t runtime_done(cudaError_t error)
{
    thread_state.done = error;
    if (error != cudaSuccess && error != cudaErrorNotReady && !is_sticky(thread_state.last))
        thread_state.last = error;
    return error;
}

cudaError_t runtime_answer(CUresult result) { return runtime_done((cudaError_t)result); }

cudaError_t runtime_last_error(bool reset)
{
    cudaError_t error = thread_state.last;
    if (reset && !is_sticky(error))
        thread_state.last = cudaSuccess;
    return error;
}

void runtime_forget_error(void) { thread_state.last = cudaSuccess; }

void runtime_profile_enter(const char *name)
{
    thread_state.done = cudaSuccess;
    subcore_profile_enter(PROFILE_RUNTIME, name);
}

void runtime_profile_leave(void) { subcore_profile_leave((uint32_t)thread_state.done); }
