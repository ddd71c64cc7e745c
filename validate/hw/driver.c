#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"

struct entry {
    const char *name;
    size_t at; /* in struct driver */
};

#define ENTRY(symbol, field)                                                                                           \
    {                                                                                                                  \
        symbol, offsetof(struct driver, field)                                                                         \
    }

static const struct entry entries[] = {
    ENTRY("cuInit", init),
    ENTRY("cuDriverGetVersion", driver_version),
    ENTRY("cuDeviceGetCount", device_count),
    ENTRY("cuDeviceGet", device_get),
    ENTRY("cuDeviceGetName", device_name),
    ENTRY("cuDeviceGetAttribute", device_attribute),
    ENTRY("cuDeviceTotalMem_v2", device_memory),
    ENTRY("cuDevicePrimaryCtxRetain", context_retain),
    ENTRY("cuDevicePrimaryCtxReset_v2", context_reset),
    ENTRY("cuDevicePrimaryCtxRelease_v2", context_release),
    ENTRY("cuCtxSetCurrent", context_current),
    ENTRY("cuCtxSynchronize", synchronize),
    ENTRY("cuMemGetInfo_v2", memory_info),
    ENTRY("cuMemAlloc_v2", memory_alloc),
    ENTRY("cuMemFree_v2", memory_free),
    ENTRY("cuMemsetD8_v2", memory_set),
    ENTRY("cuMemcpyHtoD_v2", copy_in),
    ENTRY("cuMemcpyDtoH_v2", copy_out),
    ENTRY("cuMemcpyDtoD_v2", copy_within),
    ENTRY("cuModuleLoadData", module_load),
    ENTRY("cuModuleUnload", module_unload),
    ENTRY("cuModuleGetFunction", module_function),
    ENTRY("cuFuncSetAttribute", function_set),
    ENTRY("cuLaunchKernel", launch),
    ENTRY("cuEventCreate", event_create),
    ENTRY("cuEventRecord", event_record),
    ENTRY("cuEventSynchronize", event_synchronize),
    ENTRY("cuEventElapsedTime", event_time),
    ENTRY("cuEventDestroy_v2", event_destroy),
    ENTRY("cuGetErrorString", error_text),
};

bool driver_open(struct driver *driver, char *error, size_t error_size)
{
    *driver = (struct driver){.library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL)};
    if (!driver->library) {
        snprintf(error, error_size, "%s: install NVIDIA's driver, or run this with 'subcore exec'", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *function = dlsym(driver->library, entries[i].name);
        if (!function) {
            snprintf(error, error_size, "%s has no %s: a driver of CUDA 11 or later is needed", LIBRARY,
                     entries[i].name);
            return false;
        }
        memcpy((char *)driver + entries[i].at, &function, sizeof function);
    }
    void *function = dlsym(driver->library, "cuTensorMapEncodeTiled");
    memcpy(&driver->tensor_map, &function, sizeof function);
    function = dlsym(driver->library, "cuFuncGetParamInfo");
    memcpy(&driver->parameter_info, &function, sizeof function);
    return true;
}

const char *driver_text(const struct driver *driver, int result)
{
    const char *text = NULL;
    if (driver->error_text(result, &text) != 0 || !text)
        return "unknown error";
    return text;
}
