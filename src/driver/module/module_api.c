/* Modules: code loaded into the current context. */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "driver/abi/api_module.h"
#include "driver/module/module.h"
#include "driver/queue/queue.h"
#include "driver/state/say.h"

static CUresult load_code(struct call *call, CUmodule *module, const void *image, const struct jit_settings *jit)
{
    struct status status = {0};
    struct cubin_code code;
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = load_choose(call->driver, image, &code, &status);
    if (result != CUDA_SUCCESS) {
        say("%s", status.text);
        return result;
    }
    result = module_load_code(call->context, &code, jit, program_invocation_short_name, module);
    cubin_code_free(&code);
    return result;
}

static CUresult load_data(const char *name, CUmodule *module, const void *image, unsigned count,
                          const CUjit_option *options, void **values)
{
    struct call call;
    struct jit_settings jit;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = jit_settings_read(&jit, count, options, values);
    if (result == CUDA_SUCCESS)
        result = load_code(&call, module, image, &jit);
    return call_end(&call, result);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return load_data(__func__, module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return load_data(__func__, module, fatCubin, 0, NULL, NULL);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
                            void **optionValues)
{
    return load_data(__func__, module, image, numOptions, options, optionValues);
}

static CUresult load_from(struct call *call, CUmodule *module, const char *path)
{
    struct status status = {0};
    struct jit_settings jit;
    struct file_bytes file;
    struct cubin_code code;
    if (!module || !path)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = load_file(path, &file);
    if (result != CUDA_SUCCESS)
        return result;
    jit_settings_read(&jit, 0, NULL, NULL);
    result = load_choose_bytes(call->driver, file.data, file.size, &code, &status);
    file_free(&file);
    if (result != CUDA_SUCCESS) {
        say("%s: %s", path, status.text);
        return result;
    }
    const char *name = strrchr(path, '/');
    result = module_load_code(call->context, &code, &jit, name ? name + 1 : path, module);
    cubin_code_free(&code);
    return result;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = load_from(&call, module, fname);
    return call_end(&call, result);
}

/* Its queued kernels run first. The module of a library goes with the library. */
static CUresult unload(struct call *call, CUmodule module)
{
    struct driver *driver = call->driver;
    if (module->library)
        return CUDA_ERROR_NOT_PERMITTED;
    queue_wait_context(module->context); /* an error of its commands is the context's */
    if (!handle_is(driver->handles, HANDLE_MODULE, module))
        return CUDA_ERROR_INVALID_HANDLE;
    queue_pause(driver);
    if (!handle_is(driver->handles, HANDLE_MODULE, module))
        return CUDA_ERROR_INVALID_HANDLE;
    module_free(module);
    return CUDA_SUCCESS;
}

static CUresult begin(struct call *call, const char *name, enum call_needs needs, const void *module)
{
    CUresult result = call_begin(call, name, needs);
    if (result == CUDA_SUCCESS && !handle_is(call->driver->handles, HANDLE_MODULE, module))
        return CUDA_ERROR_INVALID_HANDLE;
    return result;
}

CUresult cuModuleUnload(CUmodule hmod)
{
    struct call call;
    CUresult result = begin(&call, __func__, CALL_CLEANUP, hmod);
    if (result == CUDA_SUCCESS)
        result = unload(&call, hmod);
    return call_end(&call, result);
}

/* ---- its contents ------------------------------------------------------------------------------------------------ */

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    struct call call;
    size_t index;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, hmod);
    if (result == CUDA_SUCCESS && (!hfunc || !name || !*name))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && !names_kernel(hmod->names, name, &index))
        result = CUDA_ERROR_NOT_FOUND;
    if (result == CUDA_SUCCESS) {
        *hfunc = function_of_module(hmod, index);
        result = *hfunc ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return call_end(&call, result);
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    struct call call;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, mod);
    if (result == CUDA_SUCCESS && !count)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *count = (unsigned)mod->exec->cubin.kernel_count;
    return call_end(&call, result);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
    struct call call;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, mod);
    if (result == CUDA_SUCCESS && (!functions || numFunctions == 0))
        result = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; result == CUDA_SUCCESS && i < numFunctions && i < mod->exec->cubin.kernel_count; i++) {
        functions[i] = function_of_module(mod, i);
        result = functions[i] ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return call_end(&call, result);
}

static CUresult get_global(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    if (!name || (!dptr && !bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return module_variable(hmod, name, false, dptr, bytes);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    struct call call;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, hmod);
    if (result == CUDA_SUCCESS)
        result = get_global(dptr, bytes, hmod, name);
    return call_end(&call, result);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}
