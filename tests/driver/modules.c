/* Modules: images that load, and their contents. */
#include <glob.h>

#include "driver/abi/api_module.h"
#include "tests/driver/rig.h"

static char *root_path(char full[4096], const char *path)
{
    unit_path(full, path);
    return full;
}

static void every_cubin_of_the_examples_loads_and_lists_its_kernels(void **state)
{
    (void)state;
    char pattern[4096];
    glob_t found;
    CUcontext context = rig_context("rtx-a6000");
    assert_int_equal(glob(root_path(pattern, "examples/cubin/*.sm_8*.cubin"), 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 20);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        CUmodule module = NULL;
        CUfunction functions[64], same = NULL;
        unsigned count = 0;
        const char *name = NULL;
        SUCCEEDS(cuModuleLoad(&module, found.gl_pathv[i]));
        SUCCEEDS(cuModuleGetFunctionCount(&count, module));
        assert_in_range(count, 1, 64);
        SUCCEEDS(cuModuleEnumerateFunctions(functions, 64, module));
        SUCCEEDS(cuFuncGetName(&name, functions[count - 1]));
        SUCCEEDS(cuModuleGetFunction(&same, module, name));
        assert_ptr_equal(same, functions[count - 1]);
        SUCCEEDS(cuModuleUnload(module));
        ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
        ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetName(&name, same));
    }
    globfree(&found);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void what_does_not_exist_is_named_by_its_code(void **state)
{
    (void)state;
    char path[4096];
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr address;
    CUcontext context = rig_context("rtx-a6000");
    ANSWERS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/nonexistent/file.cubin"));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(NULL, "/nonexistent/file.cubin"));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(&module, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, NULL));
    ANSWERS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoad(&module, root_path(path, "examples/cubin/vecadd.sm_90.cubin")));
    SUCCEEDS(cuModuleLoad(&module, root_path(path, "examples/cubin/vecadd.sm_86.cubin")));
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "nosuch"));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&function, module, ""));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(NULL, module, "vecadd"));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&function, NULL, "vecadd"));
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2(&address, NULL, module, "nosuch"));
    SUCCEEDS(cuModuleUnload(module));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(every_cubin_of_the_examples_loads_and_lists_its_kernels),
           UNIT(what_does_not_exist_is_named_by_its_code))
