/* Subcore's own CUPTI, the profiler interface: the part of the documented activity interface that torch.profiler uses.
 * The driver and the runtime report calls and commands (driver/abi/profile.h). All other functions refuse by name
 * (src/cupti/names.def). */
#ifndef SUBCORE_CUPTI_CUPTI_H
#define SUBCORE_CUPTI_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/handles.h"

/* Begins a function that programs call: CUPTI_API(name, parameters...) { ... }. */
#define CUPTI_API(name, ...)                                                                                           \
    __attribute__((visibility("default"))) enum cupti_result name(__VA_ARGS__);                                        \
    enum cupti_result name(__VA_ARGS__)

/* Numbers of the documentation. */
enum cupti_result {
    CUPTI_SUCCESS = 0,
    CUPTI_ERROR_INVALID_PARAMETER = 1,
    CUPTI_ERROR_INVALID_DEVICE = 2,
    CUPTI_ERROR_INVALID_CONTEXT = 3,
    CUPTI_ERROR_INVALID_OPERATION = 7,
    CUPTI_ERROR_OUT_OF_MEMORY = 8,
    CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT = 10,
    CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
    CUPTI_ERROR_NOT_COMPATIBLE = 14,
    CUPTI_ERROR_NOT_INITIALIZED = 15,
    CUPTI_ERROR_QUEUE_EMPTY = 18,
    CUPTI_ERROR_INVALID_STREAM = 20,
    CUPTI_ERROR_INVALID_KIND = 21,
    CUPTI_ERROR_NOT_SUPPORTED = 27,
    CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
    CUPTI_ERROR_UNKNOWN = 999
};

/* Prints once that the function does not support this case, and returns CUPTI_ERROR_NOT_SUPPORTED. */
enum cupti_result cupti_refuse(const char *function, const char *what);

#endif
