#include "driver/capture/submit.h"

#include "driver/capture/capture.h"
#include "driver/queue/event.h"
#include "driver/queue/stream.h"
#include "driver/state/context.h"

CUresult stream_submit(struct CUstream_st *stream, struct command *command)
{
    if (stream->capture != NULL)
        return capture_append(stream, command);
    bool blocks = stream->context->driver->settings.blocking && command->kind == COMMAND_KERNEL;
    CUresult result = capture_check(stream);
    if (result != CUDA_SUCCESS) {
        command_clear(command);
        return result;
    }
    result = queue_submit(stream, command);
    return result == CUDA_SUCCESS && blocks ? queue_wait_stream(stream) : result;
}

CUresult stream_submit_and_wait(struct CUstream_st *stream, struct command *command)
{
    CUresult result = capture_forbid_wait(stream);
    if (result == CUDA_SUCCESS)
        result = queue_submit(stream, command);
    else
        command_clear(command);
    return result == CUDA_SUCCESS ? queue_wait_stream(stream) : result;
}

CUresult stream_record(struct CUstream_st *stream, struct CUevent_st *event)
{
    struct command command;
    if (stream->capture != NULL)
        return capture_record(stream, event, 0);
    CUresult result = capture_check(stream);
    if (result == CUDA_SUCCESS)
        result = event_record(event, &command);
    return result == CUDA_SUCCESS ? stream_submit(stream, &command) : result;
}
