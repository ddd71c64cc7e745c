/* Copies and sets, from the program's request to the commands, and the work of these commands. With the lock held
 * but where said. */
#ifndef SUBCORE_DRIVER_COPY_H
#define SUBCORE_DRIVER_COPY_H

#include "driver/abi/copy_structs.h"
#include "driver/abi/graph_structs.h"
#include "driver/queue/command.h"
#include "driver/state/call.h"

/* Checks a copy and makes its command (CUDA_ERROR_INVALID_VALUE: a range is not inside one allocation, not in memory
 * that can be touched, or outside of an array; a pitch is too small). Both ends of the command are then physical:
 * COPY_HOST is host memory of any kind, with its address; COPY_DEVICE and COPY_ARRAY are memory of the device. A copy
 * of nothing becomes COMMAND_EMPTY. */
CUresult copy_make(struct driver *driver, const CUDA_MEMCPY3D *box, struct command *command);
/* The same copy as parameters of a graph's node. */
CUDA_MEMCPY3D copy_describe(const struct copy_command *command);

/* `bytes` bytes from address to address. The types are CU_MEMORYTYPE_HOST, _DEVICE or _UNIFIED. */
CUDA_MEMCPY3D copy_linear(CUmemorytype to_type, uint64_t to, CUmemorytype from_type, uint64_t from, size_t bytes);

enum copy_manner {
    COPY_SYNCHRONOUS,  /* waits, except for copies within the device */
    COPY_ASYNCHRONOUS, /* waits where pageable memory makes it necessary */
    COPY_DURING_CALL,  /* has read its source when the call returns */
    COPY_IN_STREAM     /* reads and writes in the stream's order, whatever memory it is */
};

/* Makes the copy and submits it, in the way that the manner and the kinds of memory ask for. */
CUresult copy_submit(struct call *call, const CUDA_MEMCPY3D *box, CUstream stream, bool per_thread,
                     enum copy_manner manner);
/* A whole public function of this kind; no box: CUDA_ERROR_INVALID_VALUE. */
CUresult copy_call(const char *name, const CUDA_MEMCPY3D *box, CUstream stream, bool per_thread,
                   enum copy_manner manner);

/* Returns the address of a copied row's first byte. */
static inline uint64_t copy_row(const struct copy_end *end, size_t y, size_t z)
{
    return end->address + ((end->z + z) * end->height + end->y + y) * end->pitch + end->x;
}

/* Checks a set and makes its command. */
CUresult set_make(struct driver *driver, const CUDA_MEMSET_NODE_PARAMS *set, struct command *command);

/* On the executor thread, without the lock (driver/queue/command.h). CUDA_ERROR_ILLEGAL_ADDRESS: the memory is gone. */
CUresult copy_execute(struct execution *execution);
CUresult set_execute(struct execution *execution);

#endif
