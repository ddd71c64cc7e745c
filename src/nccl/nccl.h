/* Our own NCCL, for one rank: the public, documented interface, in which every collective is a copy or nothing. It
 * stands on the public functions of the driver API only. */
#ifndef SUBCORE_NCCL_NCCL_H
#define SUBCORE_NCCL_NCCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/handles.h"

/* Begins a function that programs call: NCCL_API(name, parameters...) { ... }. */
#define NCCL_API(name, ...)                                                                                            \
    __attribute__((visibility("default"))) ncclResult_t name(__VA_ARGS__);                                             \
    ncclResult_t name(__VA_ARGS__)

/* Numbers of the documentation. */
typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7,
    ncclTimeout = 8
} ncclResult_t;

typedef struct {
    char internal[128];
} ncclUniqueId;

/* A message to the rank itself that waits for its other half. */
struct message {
    const void *data;
    size_t bytes;
    CUstream stream;
};

/* A ncclComm_t points to it. */
struct communicator {
    uint64_t magic; /* NCCL_MAGIC while it lives */
    CUdevice device;
    bool sending; /* the messages that wait are sent, else awaited */
    size_t waiting;
    struct message *messages;
};

typedef struct communicator *ncclComm_t;

#define NCCL_MAGIC 0x73756263636f6d6du

static inline bool nccl_lives(const struct communicator *c) { return c != NULL && c->magic == NCCL_MAGIC; }

/* Says once on standard error that a function, or something that was asked of it, is missing in this library. */
ncclResult_t nccl_refuse(const char *function, const char *what);

#endif
