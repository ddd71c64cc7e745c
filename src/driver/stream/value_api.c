/* Streams that wait for values in memory and write them. */
#include <stdlib.h>

#include "driver/abi/api_stream.h"
#include "driver/capture/submit.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"
#include "driver/stream/value.h"

enum { OPS_MOST = 256 };

/* All are checked before the first is submitted. */
static CUresult batch_locked(struct CUstream_st *stream, unsigned count, const CUstreamBatchMemOpParams *ops)
{
    struct command *commands = calloc(count, sizeof *commands);
    if (commands == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = value_op_make(stream->driver, &ops[i], &commands[i]);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = stream_submit(stream, &commands[i]);
    free(commands);
    return result;
}

static CUresult batch(CUstream handle, unsigned count, const CUstreamBatchMemOpParams *ops, unsigned flags,
                      bool per_thread, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    struct CUstream_st *stream = stream_find(&call, handle, per_thread);
    if (stream == NULL)
        result = CUDA_ERROR_INVALID_HANDLE;
    else if (flags != 0 || count > OPS_MOST || (count > 0 && ops == NULL))
        result = CUDA_ERROR_INVALID_VALUE;
    else if (count > 0)
        result = batch_locked(stream, count, ops);
    return call_end(&call, result);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                            unsigned int flags)
{
    return batch(stream, count, paramArray, flags, false, __func__);
}

CUresult cuStreamBatchMemOp_ptsz(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                                 unsigned int flags)
{
    return batch(stream, count, paramArray, flags, true, __func__);
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                               unsigned int flags)
{
    return batch(stream, count, paramArray, flags, false, __func__);
}

CUresult cuStreamBatchMemOp_v2_ptsz(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                                    unsigned int flags)
{
    return batch(stream, count, paramArray, flags, true, __func__);
}

/* One operation. The wait and the write have the same fields. */
static CUresult one(CUstream stream, CUstreamBatchMemOpType operation, CUdeviceptr address, uint64_t value,
                    unsigned flags, bool per_thread, const char *name)
{
    CUstreamBatchMemOpParams op = {.waitValue = {.operation = operation, .address = address, .flags = flags}};
    op.waitValue.value64 = value;
    return batch(stream, 1, &op, 0, per_thread, name);
}

#define VALUE_FUNCTION(name, operation, type, per_thread)                                                              \
    CUresult name(CUstream stream, CUdeviceptr addr, type value, unsigned int flags)                                   \
    {                                                                                                                  \
        return one(stream, operation, addr, value, flags, per_thread, __func__);                                       \
    }
#define VALUE_FUNCTIONS(name, operation, type)                                                                         \
    VALUE_FUNCTION(name, operation, type, false)                                                                       \
    VALUE_FUNCTION(name##_ptsz, operation, type, true)                                                                 \
    VALUE_FUNCTION(name##_v2, operation, type, false)                                                                  \
    VALUE_FUNCTION(name##_v2_ptsz, operation, type, true)

VALUE_FUNCTIONS(cuStreamWaitValue32, CU_STREAM_MEM_OP_WAIT_VALUE_32, cuuint32_t)
VALUE_FUNCTIONS(cuStreamWaitValue64, CU_STREAM_MEM_OP_WAIT_VALUE_64, cuuint64_t)
VALUE_FUNCTIONS(cuStreamWriteValue32, CU_STREAM_MEM_OP_WRITE_VALUE_32, cuuint32_t)
VALUE_FUNCTIONS(cuStreamWriteValue64, CU_STREAM_MEM_OP_WRITE_VALUE_64, cuuint64_t)
