/* Tables of functions without documentation: there are none. A library that asks for one cannot work here, and a line
 * names it. */
#include <dlfcn.h>
#include <string.h>

#include "cubin/host.h"
#include "driver/abi/api_device.h"
#include "driver/state/driver.h"
#include "driver/state/say.h"

/* True once for each library. The call dladdr takes the loader's lock, so this cannot wait for the driver's. */
static bool first_time(struct driver *driver, uintptr_t library)
{
    for (size_t i = 0; i < sizeof driver->askers / sizeof driver->askers[0]; i++) {
        uintptr_t known = 0;
        if (atomic_compare_exchange_strong(&driver->askers[i], &known, library))
            return true;
        if (known == library)
            return false;
    }
    return false;
}

/* Compilers ask, and work without an answer. */
static bool is_compiler(const char *name)
{
    return strncmp(name, "libnvJitLink", 12) == 0 || strncmp(name, "libnvrtc", 8) == 0;
}

static void name_library(const void *code)
{
    Dl_info info;
    if (!dladdr(code, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    if (is_compiler(name) || !first_time(driver_get(), (uintptr_t)info.dli_fbase))
        return;
    say("%s: it asks NVIDIA's own driver for functions that no document describes, and there are none here: %s",
        info.dli_fname,
        host_library_is_closed(name) ? "it is one of NVIDIA's closed libraries, and calls into it will fail"
                                     : "its calls will fail if the CUDA runtime is linked into it. Build it with 'nvcc "
                                       "-cudart shared', or use a build of it that loads libcudart.so.13");
}

CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    if (!ppExportTable || !pExportTableId)
        return CUDA_ERROR_INVALID_VALUE;
    name_library(__builtin_return_address(0));
    *ppExportTable = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
