/* Collectives of one rank: its own data is the result. Messages go from the rank to itself. */
#include <stdlib.h>

#include "driver/abi/api_memory.h"
#include "nccl/nccl.h"

enum { OPERATIONS = 5, TYPES = 12 };

/* Bytes of an element, 0 for a type that does not exist: ncclDataType_t. */
static size_t size_of(int type)
{
    static const unsigned char sizes[TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return type >= 0 && type < TYPES ? sizes[type] : 0;
}

static ncclResult_t copy(const void *from, void *to, size_t bytes, CUstream stream)
{
    if (bytes == 0 || from == to)
        return ncclSuccess;
    CUresult result = cuMemcpyAsync((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, bytes, stream);
    return result == CUDA_SUCCESS ? ncclSuccess : ncclUnhandledCudaError;
}

static ncclResult_t collect(ncclComm_t comm, const void *from, void *to, size_t count, int type, int root,
                            CUstream stream)
{
    size_t size = size_of(type);
    if (!nccl_lives(comm) || size == 0 || root != 0 || (count > 0 && (from == NULL || to == NULL)) ||
        count > SIZE_MAX / size)
        return ncclInvalidArgument;
    return copy(from, to, count * size, stream);
}

/* The sum, the product, the extremes and the mean of one rank are its data. */
static ncclResult_t reduce(const char *function, int operation, ncclComm_t comm, const void *from, void *to,
                           size_t count, int type, int root, CUstream stream)
{
    if (operation < 0)
        return ncclInvalidArgument;
    if (operation >= OPERATIONS)
        return nccl_refuse(function, "operations of the program's own");
    return collect(comm, from, to, count, type, root, stream);
}

NCCL_API(ncclAllReduce, const void *from, void *to, size_t count, int type, int operation, ncclComm_t comm,
         CUstream stream)
{
    return reduce("ncclAllReduce", operation, comm, from, to, count, type, 0, stream);
}

NCCL_API(ncclReduce, const void *from, void *to, size_t count, int type, int operation, int root, ncclComm_t comm,
         CUstream stream)
{
    return reduce("ncclReduce", operation, comm, from, to, count, type, root, stream);
}

NCCL_API(ncclReduceScatter, const void *from, void *to, size_t count, int type, int operation, ncclComm_t comm,
         CUstream stream)
{
    return reduce("ncclReduceScatter", operation, comm, from, to, count, type, 0, stream);
}

NCCL_API(ncclBroadcast, const void *from, void *to, size_t count, int type, int root, ncclComm_t comm, CUstream stream)
{
    return collect(comm, from, to, count, type, root, stream);
}

NCCL_API(ncclBcast, void *data, size_t count, int type, int root, ncclComm_t comm, CUstream stream)
{
    return collect(comm, data, data, count, type, root, stream);
}

NCCL_API(ncclAllGather, const void *from, void *to, size_t count, int type, ncclComm_t comm, CUstream stream)
{
    return collect(comm, from, to, count, type, 0, stream);
}

NCCL_API(ncclAlltoAll, const void *from, void *to, size_t count, int type, ncclComm_t comm, CUstream stream)
{
    return collect(comm, from, to, count, type, 0, stream);
}

NCCL_API(ncclGather, const void *from, void *to, size_t count, int type, int root, ncclComm_t comm, CUstream stream)
{
    return collect(comm, from, to, count, type, root, stream);
}

NCCL_API(ncclScatter, const void *from, void *to, size_t count, int type, int root, ncclComm_t comm, CUstream stream)
{
    return collect(comm, from, to, count, type, root, stream);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static ncclResult_t keep(ncclComm_t comm, bool sending, const struct message *message)
{
    struct message *more = realloc(comm->messages, (comm->waiting + 1) * sizeof *more);
    if (more == NULL)
        return ncclSystemError;
    comm->messages = more;
    comm->sending = sending;
    more[comm->waiting++] = *message;
    return ncclSuccess;
}

/* Joins both halves of a message, the oldest first. Real ranks would wait within their group for the other half. */
static ncclResult_t meet(const char *function, ncclComm_t comm, bool sending, const void *data, size_t count, int type,
                         int peer, CUstream stream)
{
    size_t size = size_of(type);
    if (!nccl_lives(comm) || size == 0 || peer != 0 || (count > 0 && data == NULL) || count > SIZE_MAX / size)
        return ncclInvalidArgument;
    struct message own = {data, count * size, stream};
    if (comm->waiting == 0 || comm->sending == sending)
        return keep(comm, sending, &own);
    struct message other = comm->messages[0];
    if (other.bytes != own.bytes)
        return ncclInvalidUsage;
    if (other.stream != stream)
        return nccl_refuse(function, "a message between two streams");
    comm->waiting--;
    for (size_t i = 0; i < comm->waiting; i++)
        comm->messages[i] = comm->messages[i + 1];
    void *to = (void *)(uintptr_t)(sending ? other.data : data);
    return copy(sending ? data : other.data, to, own.bytes, stream);
}

NCCL_API(ncclSend, const void *data, size_t count, int type, int peer, ncclComm_t comm, CUstream stream)
{
    return meet("ncclSend", comm, true, data, count, type, peer, stream);
}

NCCL_API(ncclRecv, void *data, size_t count, int type, int peer, ncclComm_t comm, CUstream stream)
{
    return meet("ncclRecv", comm, false, data, count, type, peer, stream);
}

/* Calls of a group have been carried out when they were made: there is no other rank that could wait. */
NCCL_API(ncclGroupStart, void) { return ncclSuccess; }
NCCL_API(ncclGroupEnd, void) { return ncclSuccess; }
