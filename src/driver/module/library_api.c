/* Libraries: code that belongs to no context. */
#include "driver/abi/api_module.h"
#include "driver/module/module.h"

/* Options come as numbers and values. All values may be left out when none is needed. */
static bool known_options(const CUlibraryOption *options, unsigned count)
{
    if (count > 0 && !options)
        return false;
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return false;
    return true;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
                           unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions)
{
    (void)libraryOptionValues; /* cuBLASLt passes NULL */
    struct call call;
    struct jit_settings jit;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && (!library || !code || !known_options(libraryOptions, numLibraryOptions)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = jit_settings_read(&jit, numJitOptions, jitOptions, jitOptionsValues);
    if (result == CUDA_SUCCESS)
        result = library_create(call.driver, library, &jit, numJitOptions > 0, code, NULL, 0);
    return call_end(&call, result);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                               void **jitOptionsValues, unsigned int numJitOptions, CUlibraryOption *libraryOptions,
                               void **libraryOptionValues, unsigned int numLibraryOptions)
{
    (void)libraryOptionValues;
    struct call call;
    struct jit_settings jit;
    struct file_bytes file = {0};
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && (!library || !fileName || !known_options(libraryOptions, numLibraryOptions)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = jit_settings_read(&jit, numJitOptions, jitOptions, jitOptionsValues);
    if (result == CUDA_SUCCESS)
        result = load_file(fileName, &file);
    if (result == CUDA_SUCCESS)
        result = library_create(call.driver, library, &jit, numJitOptions > 0, NULL, file.data, file.size);
    file_free(&file);
    return call_end(&call, result);
}

static CUresult begin(struct call *call, const char *name, const void *library)
{
    CUresult result = call_begin(call, name, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && !handle_is(call->driver->handles, HANDLE_LIBRARY, library))
        return CUDA_ERROR_INVALID_HANDLE;
    return result;
}

CUresult cuLibraryUnload(CUlibrary library)
{
    struct call call;
    CUresult result = begin(&call, __func__, library);
    if (result == CUDA_SUCCESS)
        result = library_unload(call.driver, library);
    return call_end(&call, result);
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    struct call call;
    size_t index;
    CUresult result = begin(&call, __func__, library);
    if (result == CUDA_SUCCESS && (!pKernel || !name))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = library_open(call.driver, library);
    if (result == CUDA_SUCCESS && !names_kernel(library->names, name, &index))
        result = CUDA_ERROR_NOT_FOUND;
    if (result == CUDA_SUCCESS) {
        *pKernel = (CUkernel)function_of_library(call.driver, library, index);
        result = *pKernel ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return call_end(&call, result);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    struct call call;
    CUresult result = begin(&call, __func__, lib);
    if (result == CUDA_SUCCESS && !count)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = library_open(call.driver, lib);
    if (result == CUDA_SUCCESS)
        *count = (unsigned)lib->cubin.kernel_count;
    return call_end(&call, result);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
    struct call call;
    CUresult result = begin(&call, __func__, lib);
    if (result == CUDA_SUCCESS && (!kernels || numKernels == 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = library_open(call.driver, lib);
    for (size_t i = 0; result == CUDA_SUCCESS && i < numKernels && i < lib->cubin.kernel_count; i++) {
        kernels[i] = (CUkernel)function_of_library(call.driver, lib, i);
        result = kernels[i] ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return call_end(&call, result);
}

/* The module in the current context. */
static CUresult current_module(struct call *call, CUlibrary library, struct CUmod_st **module)
{
    if (!call->context || !context_lives(call->driver, call->context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (call->context->sticky != CUDA_SUCCESS)
        return call->context->sticky;
    return library_module(call->context, library, module);
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    struct call call;
    CUresult result = begin(&call, __func__, library);
    if (result == CUDA_SUCCESS && !pMod)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = current_module(&call, library, pMod);
    return call_end(&call, result);
}

static CUresult get_variable(struct call *call, CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name,
                             bool managed)
{
    struct CUmod_st *module;
    if (!name || (!dptr && !bytes))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = current_module(call, library, &module);
    return result == CUDA_SUCCESS ? module_variable(module, name, managed, dptr, bytes) : result;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    struct call call;
    CUresult result = begin(&call, __func__, library);
    if (result == CUDA_SUCCESS)
        result = get_variable(&call, dptr, bytes, library, name, false);
    return call_end(&call, result);
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    struct call call;
    CUresult result = begin(&call, __func__, library);
    if (result == CUDA_SUCCESS)
        result = get_variable(&call, dptr, bytes, library, name, true);
    return call_end(&call, result);
}

/* Unified function pointers need a system in which host and device share code addresses. */
CUresult cuLibraryGetUnifiedFunction(void **fptr, CUlibrary library, const char *symbol)
{
    struct call call;
    CUresult result = begin(&call, __func__, library);
    if (result == CUDA_SUCCESS)
        result = fptr && symbol ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}
