#include "driver/module/module.h"

CUresult function_find(struct call *call, CUfunction handle, struct CUfunc_st **out)
{
    struct CUfunc_st *found;
    struct CUmod_st *module;
    CUresult result = function_check(call, handle, &found);
    if (result != CUDA_SUCCESS)
        return result;
    *out = found;
    if (found->module)
        return found->module->context == call->context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    if (!call->context)
        return CUDA_ERROR_INVALID_CONTEXT;
    struct CUlib_st *library = found->library;
    size_t index = (size_t)(found->cubin - library->cubin.kernels);
    result = library_module(call->context, library, &module);
    if (result != CUDA_SUCCESS)
        return result;
    *out = function_of_module(module, index);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
