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

enum rand_type { RAND_DEFAULT = 100, RAND_XORWOW = 101, RAND_MRG32K3A = 121, RAND_PHILOX = 161 };
enum rand_ordering { RAND_BEST = 100, RAND_IN_ORDER = 101, RAND_SEEDED = 102, RAND_LEGACY = 103, RAND_DYNAMIC = 104 };

/* Kinds of numbers. */
enum rand_kind {
    RAND_BITS,
    RAND_UNIFORM_F32,
    RAND_UNIFORM_F64,
    RAND_NORMAL_F32,
    RAND_NORMAL_F64,
    RAND_LOGNORMAL_F32,
    RAND_LOGNORMAL_F64,
    RAND_POISSON
};

static inline bool rand_in_pairs(enum rand_kind kind) { return kind >= RAND_NORMAL_F32 && kind <= RAND_LOGNORMAL_F64; }

/* The states of a generator's streams, which every number changes. They lie on the device, or on the host for a
 * generator that works there. */
struct rand_streams {
    bool ready;            /* for this seed, offset and ordering */
    unsigned count, first; /* stream `first` makes the next number */
    CUdeviceptr device;
    uint32_t *host;
    size_t bytes; /* of the memory */
};

/* Cumulative probabilities of a discrete distribution, from the number `least` on. */
struct rand_table {
    double lambda; /* that they are of, or 0 */
    unsigned entries, least;
    double *host;
    CUdeviceptr device;
};

/* A curandGenerator_t points to it. */
struct rand {
    uint64_t magic; /* RAND_MAGIC while it lives */
    CUlibrary image;
    CUstream stream;
    int processors, type, ordering;
    bool on_host;                /* numbers are made on the host */
    uint64_t seed, offset, used; /* `used` words of the sequence have been handed out since the offset */
    struct rand_streams streams; /* not of Philox */
    struct rand_table table;
};

#define RAND_MAGIC 0x73756263726e6472u

static inline bool rand_lives(const struct rand *rand) { return rand != NULL && rand->magic == RAND_MAGIC; }

/* Prints once on standard error that this library lacks a function or a combination of arguments. */
curandStatus_t rand_refuse(const char *function, const char *what);

#endif
