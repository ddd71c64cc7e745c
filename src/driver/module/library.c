#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/module/module.h"
#include "driver/queue/queue.h"
#include "driver/state/say.h"

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

static void library_free(struct driver *driver, struct CUlib_st *library)
{
    while (library->modules)
        module_free(library->modules);
    for (size_t i = 0; library->kernels && i < library->cubin.kernel_count; i++)
        function_free(driver, library->kernels[i]);
    free(library->kernels);
    names_free(library->names);
    if (library->opened)
        cubin_close(&library->cubin);
    image_drop(&library->image);
    cubin_code_free(&library->code);
    handle_free(driver->handles, library);
}

/* A container without code for this GPU is an error only when something of it is needed: math libraries bring many.
 * A program that gives the compiler options wants its answer at once. */
static CUresult load(struct driver *driver, struct CUlib_st *library, bool compile_now)
{
    if (library->missing != CUDA_SUCCESS && library->missing != CUDA_ERROR_NO_BINARY_FOR_GPU) {
        say("%s", library->reason.text);
        return library->missing;
    }
    CUresult result = compile_now ? library_open(driver, library) : CUDA_SUCCESS;
    library->jit = (struct jit_settings){.options = library->jit.options}; /* its buffers are the program's */
    return result;
}

CUresult library_create(struct driver *driver, CUlibrary *out, struct jit_settings *jit, bool compile_now,
                        const void *data, const uint8_t *bytes, size_t size)
{
    struct CUlib_st *library = handle_new(driver->handles, HANDLE_LIBRARY, sizeof *library);
    if (!library)
        return CUDA_ERROR_OUT_OF_MEMORY;
    library->jit = *jit;
    library->missing = data ? load_choose(driver, data, &library->code, &library->reason)
                            : load_choose_bytes(driver, bytes, size, &library->code, &library->reason);
    CUresult result = load(driver, library, compile_now);
    if (result == CUDA_SUCCESS)
        *out = library;
    else
        library_free(driver, library);
    return result;
}

/* Its queued kernels run first. */
CUresult library_unload(struct driver *driver, struct CUlib_st *library)
{
    CUresult result = wait_for_other(driver, library);
    if (result != CUDA_SUCCESS)
        return result;
    for (const struct CUmod_st *m = library->modules; m;) {
        struct CUctx_st *context = m->context;
        queue_wait_context(context); /* releases the lock. Its error is the context's */
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
