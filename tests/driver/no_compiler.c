/* PTX where no compiler is installed. */
#include "tests/driver/kernels.h"

static void ptx_without_a_compiler_is_an_error_of_its_own(void **state)
{
    (void)state;
    static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
    CUmodule module = NULL;
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    setenv("SUBCORE_PTX_COMPILER", "none", 1);
    CUcontext context = rig_context("rtx-a6000");
    ANSWERS(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, cuModuleLoadData(&module, ptx));
    SUCCEEDS(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    ANSWERS(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "k"));
    SUCCEEDS(cuLibraryUnload(library));
    setenv("CUDA_DISABLE_PTX_JIT", "1", 1);
    ANSWERS(CUDA_ERROR_JIT_COMPILATION_DISABLED, cuModuleLoadData(&module, ptx));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(ptx_without_a_compiler_is_an_error_of_its_own))
