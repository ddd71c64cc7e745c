#include "driver/abi/api_module.h"
#include "runtime/abi/api_launch.h"
#include "runtime/runtime.h"

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions,
                                void **jitOptionsValues, unsigned int numJitOptions,
                                enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                                unsigned int numLibraryOptions)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuLibraryLoadData(library, code, (CUjit_option *)jitOptions, jitOptionsValues, numJitOptions,
                                     (CUlibraryOption *)libraryOptions, libraryOptionValues, numLibraryOptions));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName, enum cudaJitOption *jitOptions,
                                    void **jitOptionsValues, unsigned int numJitOptions,
                                    enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                                    unsigned int numLibraryOptions)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuLibraryLoadFromFile(library, fileName, (CUjit_option *)jitOptions, jitOptionsValues, numJitOptions,
                                         (CUlibraryOption *)libraryOptions, libraryOptionValues, numLibraryOptions));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuLibraryUnload(library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuLibraryGetKernel(pKernel, library, name));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuLibraryGetKernelCount(count, lib));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuLibraryEnumerateKernels(kernels, numKernels, lib));
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
    RUNTIME_CALL;
    CUdeviceptr address = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuLibraryGetGlobal(&address, bytes, library, name);
    if (error == cudaSuccess && dptr != NULL)
        *dptr = (void *)(uintptr_t)address;
    return runtime_done(error);
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
    RUNTIME_CALL;
    CUdeviceptr address = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuLibraryGetManaged(&address, bytes, library, name);
    if (error == cudaSuccess && dptr != NULL)
        *dptr = (void *)(uintptr_t)address;
    return runtime_done(error);
}
