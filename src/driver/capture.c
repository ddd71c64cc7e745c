#include "driver/capture.h"

CUresult capture_append(struct CUstream_st *stream, struct command *command)
{
    (void)stream;
    command_clear(command);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult capture_check(struct CUstream_st *stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

CUresult capture_forbid_wait(struct CUstream_st *stream) { return capture_check(stream); }

CUresult capture_forbid(struct call *call)
{
    (void)call;
    return CUDA_SUCCESS;
}

CUresult capture_record(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult capture_wait(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags)
{
    return capture_record(stream, event, flags);
}

void capture_leave(struct CUstream_st *stream) { (void)stream; }
