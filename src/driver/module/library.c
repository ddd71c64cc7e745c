/* Libraries: code that belongs to no context. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/abi/api_module.h"
#include "driver/launch/launch.h"
#include "driver/module/module.h"
#include "driver/queue/queue.h"
#include "driver/state/say.h"

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static CUresult open_cubin(struct driver *driver, struct CUlib_st *library)
{
    struct status status = {0};
    const struct image *image = &library->image;
    CUresult result = image_check(driver, image);
    if (result != CUDA_SUCCESS)
        return result;
    if (!cubin_open(&library->cubin, (struct cubin_bytes){image->bytes, image->size}, image->name, &status)) {
        say("%s", status.text);
        return status.code == STATUS_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
    }
    library->names = names_create(&library->cubin);
    library->kernels = calloc(library->cubin.kernel_count + 1, sizeof(struct CUfunc_st *));
    if (library->names && library->kernels)
        return CUDA_SUCCESS;
    names_free(library->names);
    free(library->kernels);
    cubin_close(&library->cubin);
    library->names = NULL;
    library->kernels = NULL;
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Another thread compiles it. */
static CUresult wait_for_other(struct driver *driver, const struct CUlib_st *library)
{
    while (handle_is(driver->handles, HANDLE_LIBRARY, library) && library->opening) {
        pthread_mutex_unlock(&driver->lock);
        usleep(1000);
        pthread_mutex_lock(&driver->lock);
    }
    return handle_is(driver->handles, HANDLE_LIBRARY, library) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult missing(struct CUlib_st *library)
{
    if (library->reason.text[0])
        say("%s", library->reason.text);
    library->reason.text[0] = '\0'; /* once */
    return library->missing;
}

/* The code is kept for another try only when memory was short. */
static CUresult open_image(struct driver *driver, struct CUlib_st *library)
{
    struct cubin_code code = library->code;
    struct jit_settings jit = library->jit;
    struct image image;
    library->code = (struct cubin_code){0};
    library->opening = true;
    CUresult result = load_image(driver, &code, &jit, program_invocation_short_name, &image);
    if (!handle_is(driver->handles, HANDLE_LIBRARY, library)) {
        cubin_code_free(&code);
        image_drop(&image);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    library->opening = false;
    library->image = image;
    if (result == CUDA_SUCCESS)
        result = open_cubin(driver, library);
    library->opened = result == CUDA_SUCCESS;
    if (!library->opened)
        image_drop(&library->image);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        library->code = code;
    else
        cubin_code_free(&code);
    if (result != CUDA_ERROR_OUT_OF_MEMORY)
        library->missing = result;
    return result;
}

CUresult library_open(struct driver *driver, struct CUlib_st *library)
{
    CUresult result = wait_for_other(driver, library);
    if (result != CUDA_SUCCESS || library->opened)
        return result;
    return library->missing == CUDA_SUCCESS ? open_image(driver, library) : missing(library);
}

static struct CUmod_st *loaded_module(const struct CUctx_st *context, const struct CUlib_st *library)
{
    struct CUmod_st *module = library->modules;
    while (module && module->context != context)
        module = module->sibling;
    return module;
}

CUresult library_module(struct CUctx_st *context, struct CUlib_st *library, struct CUmod_st **out)
{
    struct driver *driver = context->driver;
    *out = loaded_module(context, library);
    if (*out)
        return CUDA_SUCCESS;
    CUresult result = library_open(driver, library);
    if (result != CUDA_SUCCESS)
        return result;
    queue_pause(driver); /* releases the lock while it waits */
    if (!handle_is(driver->handles, HANDLE_LIBRARY, library))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!context_lives(driver, context))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *out = loaded_module(context, library);
    if (*out)
        return CUDA_SUCCESS;
    result = module_load(context, &library->image, out);
    if (result != CUDA_SUCCESS)
        return result;
    (*out)->library = library;
    (*out)->sibling = library->modules;
    library->modules = *out;
    return CUDA_SUCCESS;
}

struct CUfunc_st *library_kernel(struct driver *driver, struct CUlib_st *library, size_t index)
{
    struct CUfunc_st *kernel = library->kernels[index];
    if (kernel)
        return kernel;
    kernel = handle_new(driver->handles, HANDLE_FUNCTION, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->library = library;
    kernel->cubin = &library->cubin.kernels[index];
    function_settings_init(driver, kernel);
    library->kernels[index] = kernel;
    return kernel;
}

static void library_free(struct driver *driver, struct CUlib_st *library)
{
    while (library->modules)
        module_free(library->modules);
    for (size_t i = 0; library->kernels && i < library->cubin.kernel_count; i++)
        if (library->kernels[i]) {
            old_launch_free(library->kernels[i]->old);
            handle_free(driver->handles, library->kernels[i]);
        }
    free(library->kernels);
    names_free(library->names);
    if (library->opened)
        cubin_close(&library->cubin);
    image_drop(&library->image);
    cubin_code_free(&library->code);
    handle_free(driver->handles, library);
}

/* ---- the API ----------------------------------------------------------------------------------------------------- */

/* Options come as numbers and values; all values may be left out when none is needed. */
static bool known_options(const CUlibraryOption *options, unsigned count)
{
    if (count > 0 && !options)
        return false;
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return false;
    return true;
}

/* A container without code for this GPU is an error only when something of it is needed: math libraries bring many.
 * What the compiler answers is wanted at once when the program has given it options. */
static CUresult load(struct call *call, struct CUlib_st *library, bool compile_now)
{
    if (library->missing != CUDA_SUCCESS && library->missing != CUDA_ERROR_NO_BINARY_FOR_GPU) {
        say("%s", library->reason.text);
        return library->missing;
    }
    CUresult result = compile_now ? library_open(call->driver, library) : CUDA_SUCCESS;
    library->jit = (struct jit_settings){.options = library->jit.options}; /* its buffers are the program's */
    return result;
}

static CUresult create(struct call *call, CUlibrary *out, struct jit_settings *jit, bool compile_now, const void *data,
                       const uint8_t *bytes, size_t size)
{
    struct CUlib_st *library = handle_new(call->driver->handles, HANDLE_LIBRARY, sizeof *library);
    if (!library)
        return CUDA_ERROR_OUT_OF_MEMORY;
    library->jit = *jit;
    library->missing = data ? load_choose(call->driver, data, &library->code, &library->reason)
                            : load_choose_bytes(call->driver, bytes, size, &library->code, &library->reason);
    CUresult result = load(call, library, compile_now);
    if (result == CUDA_SUCCESS)
        *out = library;
    else
        library_free(call->driver, library);
    return result;
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
        result = create(&call, library, &jit, numJitOptions > 0, code, NULL, 0);
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
        result = create(&call, library, &jit, numJitOptions > 0, NULL, file.data, file.size);
    file_free(&file);
    return call_end(&call, result);
}

/* What is queued of its kernels runs first. */
static CUresult unload(struct call *call, struct CUlib_st *library)
{
    struct driver *driver = call->driver;
    CUresult result = wait_for_other(driver, library);
    if (result != CUDA_SUCCESS)
        return result;
    for (const struct CUmod_st *m = library->modules; m;) {
        struct CUctx_st *context = m->context;
        queue_wait_context(context); /* releases the lock; its error is the context's */
        if (!handle_is(driver->handles, HANDLE_LIBRARY, library))
            return CUDA_ERROR_INVALID_HANDLE;
        m = library->modules;
        while (m && m->context != context)
            m = m->sibling;
        m = m ? m->sibling : NULL;
    }
    queue_pause(driver);
    if (!handle_is(driver->handles, HANDLE_LIBRARY, library))
        return CUDA_ERROR_INVALID_HANDLE;
    library_free(driver, library);
    return CUDA_SUCCESS;
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
        result = unload(&call, library);
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
        *pKernel = (CUkernel)library_kernel(call.driver, library, index);
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
        kernels[i] = (CUkernel)library_kernel(call.driver, lib, i);
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
