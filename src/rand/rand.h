/* Subcore's own cuRAND: the public, documented host interface on Subcore's own kernels. It uses only public functions
 * of the driver API. */
#ifndef SUBCORE_RAND_RAND_H
#define SUBCORE_RAND_RAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/handles.h"

/* Begins a function that programs call: RAND_API(name, parameters...) { ... }. */
#define RAND_API(name, ...)                                                                                            \
    __attribute__((visibility("default"))) curandStatus_t name(__VA_ARGS__);                                           \
    curandStatus_t name(__VA_ARGS__)

/* Numbers of the documentation. */
typedef enum {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;

enum rand_type { RAND_DEFAULT = 100, RAND_PHILOX = 161 };
enum rand_ordering { RAND_BEST = 100, RAND_DYNAMIC = 104 }; /* the first and the last of pseudo-random generators */

/* A curandGenerator_t points to it. */
struct rand {
    uint64_t magic; /* RAND_MAGIC while it lives */
    CUlibrary image;
    CUstream stream;
    int processors;
    uint64_t seed, offset, used; /* `used` words of the sequence have been handed out since the offset */
};

#define RAND_MAGIC 0x73756263726e6472u

/* Prints once on standard error that this library lacks a function or a combination of arguments. */
curandStatus_t rand_refuse(const char *function, const char *what);

#endif
