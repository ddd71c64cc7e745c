/* The interface of NVTX for tools, as the headers of NVTX 3 document it (nvtx3/nvToolsExt.h, nvtxDetail/nvtxTypes.h of
 * CUDA 13.0). These headers are compiled into programs. At their first call they load the library that the variable
 * NVTX_INJECTION64_PATH names, and call its InitializeInjectionNvtx2, which enters its functions into their tables. */
#ifndef SUBCORE_DRIVER_NVTX_ABI_H
#define SUBCORE_DRIVER_NVTX_ABI_H

#include <stdint.h>
#include <wchar.h>

/* The arguments of a range or a mark (nvtxEventAttributes_t, version 2 and later). */
struct nvtx_event {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type; /* enum nvtx_message */
    union {
        const char *narrow;
        const wchar_t *wide;
        const struct nvtx_string *registered;
    } message;
};

enum nvtx_message {
    NVTX_MESSAGE_NONE = 0,
    NVTX_MESSAGE_NARROW = 1,
    NVTX_MESSAGE_WIDE = 2,
    NVTX_MESSAGE_REGISTERED = 3
};

typedef void (*nvtx_function)(void);

enum nvtx_table { NVTX_TABLE_CALLBACKS = 1 };

enum nvtx_module { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };

/* Table NVTX_TABLE_CALLBACKS. */
struct nvtx_callbacks {
    size_t size;
    /* Gives an array with the places of a module's functions, which may be NULL (0: there is no such module). */
    int (*places)(enum nvtx_module module, nvtx_function ***places, unsigned *count);
};

typedef const void *(*nvtx_get_table)(uint32_t table);

/* Places of functions in the module CORE. */
enum nvtx_core {
    NVTX_MARK_EX = 1,
    NVTX_MARK_A,
    NVTX_MARK_W,
    NVTX_RANGE_START_EX,
    NVTX_RANGE_START_A,
    NVTX_RANGE_START_W,
    NVTX_RANGE_END,
    NVTX_RANGE_PUSH_EX,
    NVTX_RANGE_PUSH_A,
    NVTX_RANGE_PUSH_W,
    NVTX_RANGE_POP
};

/* And in the module CORE2. */
enum nvtx_core2 {
    NVTX_DOMAIN_MARK_EX = 1,
    NVTX_DOMAIN_RANGE_START_EX,
    NVTX_DOMAIN_RANGE_END,
    NVTX_DOMAIN_RANGE_PUSH_EX,
    NVTX_DOMAIN_RANGE_POP,
    NVTX_DOMAIN_REGISTER_STRING_A = 10,
    NVTX_DOMAIN_REGISTER_STRING_W,
    NVTX_DOMAIN_CREATE_A,
    NVTX_DOMAIN_CREATE_W
};

/* Called by NVTX once for each library that it is compiled into (1: the tool takes part). */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_get_table get_table);

#endif
