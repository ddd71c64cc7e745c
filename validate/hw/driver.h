/* The few functions of the CUDA driver API that are needed here, from the libcuda.so.1 that the machine has. It is
 * loaded at run time, so that building needs neither CUDA's headers nor a driver. */
#ifndef SUBCORE_VALIDATE_HW_DRIVER_H
#define SUBCORE_VALIDATE_HW_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of the driver API's ABI, which never change (CUDA driver API reference). */
enum driver_attribute {
    ATTRIBUTE_CLOCK = 13, /* kHz */
    ATTRIBUTE_SMS = 16,
    ATTRIBUTE_ECC = 32,
    ATTRIBUTE_MEMORY_CLOCK = 36, /* kHz */
    ATTRIBUTE_BUS = 37,          /* bits */
    ATTRIBUTE_L2 = 38,
    ATTRIBUTE_THREADS = 39, /* of an SM */
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    ATTRIBUTE_SHARED = 81,
    ATTRIBUTE_REGISTERS = 82,
    ATTRIBUTE_SHARED_OF_CTA = 97,
    ATTRIBUTE_CTAS = 106,
    ATTRIBUTE_SHARED_RESERVED = 111
};
enum { FUNCTION_DYNAMIC_SHARED = 8, FUNCTION_CARVEOUT = 9, CARVEOUT_MOST_L1 = 0 };

/* Arguments and results as in the API: handles are pointers, devices and error codes are int. */
struct driver {
    void *library;
    int (*init)(unsigned flags);
    int (*driver_version)(int *version);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_name)(char *name, int size, int device);
    int (*device_attribute)(int *value, int attribute, int device);
    int (*device_memory)(size_t *bytes, int device);
    int (*context_retain)(void **context, int device);
    int (*context_reset)(int device);
    int (*context_release)(int device);
    int (*context_current)(void *context);
    int (*synchronize)(void);
    int (*memory_info)(size_t *free_bytes, size_t *all_bytes);
    int (*memory_alloc)(uint64_t *address, size_t bytes);
    int (*memory_free)(uint64_t address);
    int (*memory_set)(uint64_t address, unsigned char value, size_t bytes);
    int (*copy_in)(uint64_t to, const void *from, size_t bytes);
    int (*copy_out)(void *to, uint64_t from, size_t bytes);
    int (*copy_within)(uint64_t to, uint64_t from, size_t bytes);
    int (*module_load)(void **module, const void *image);
    int (*module_unload)(void *module);
    int (*module_function)(void **function, void *module, const char *name);
    int (*function_set)(void *function, int attribute, int value);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                  unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra);
    int (*event_create)(void **event, unsigned flags);
    int (*event_record)(void *event, void *stream);
    int (*event_synchronize)(void *event);
    int (*event_time)(float *milliseconds, void *from, void *to);
    int (*event_destroy)(void *event);
    int (*error_text)(int error, const char **text);
    /* Of drivers since CUDA 12.4 (NULL: not there). */
    int (*parameter_info)(void *function, size_t index, size_t *offset, size_t *bytes);
    /* Of drivers since CUDA 12 (NULL: not there). */
    int (*tensor_map)(void *map, int type, unsigned rank, uint64_t address, const uint64_t *size, const uint64_t *pitch,
                      const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int fetch, int fill);
};

/* False: `error` names the missing part and the remedy. The library is never unloaded. */
bool driver_open(struct driver *driver, char *error, size_t error_size);

/* "an illegal memory access was encountered" */
const char *driver_text(const struct driver *driver, int result);

#endif
