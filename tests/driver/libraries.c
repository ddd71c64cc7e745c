/* Libraries and kernels: code without a context, and PTX. */
#include "base/file.h"
#include "tests/driver/kernels.h"

static struct file_bytes read_cubin(const char *name)
{
    char path[4096];
    struct file_bytes file;
    struct status status = {0};
    if (!file_read(unit_path(path, name), (size_t)1 << 30, &file, &status))
        fail_msg("%s", status.text);
    return file;
}

static CUlibrary load(const char *name)
{
    struct file_bytes file = read_cubin(name);
    CUlibrary library = NULL;
    SUCCEEDS(cuLibraryLoadData(&library, file.data, NULL, NULL, 0, NULL, NULL, 0));
    memset(file.data, 0xff, file.size); /* the library has its own copy */
    file_free(&file);
    return library;
}

static void a_library_needs_no_context_until_something_runs(void **state)
{
    (void)state;
    rig_init("rtx-a6000");
    CUlibrary library = load("tests/driver/cubin/kernels.sm_80.cubin"), same = NULL;
    CUkernel kernel = NULL, again = NULL, all[64];
    CUfunction function = NULL;
    const char *name = NULL;
    unsigned count = 0;
    int value = 0;
    SUCCEEDS(cuLibraryGetKernel(&kernel, library, "vecadd"));
    SUCCEEDS(cuLibraryGetKernel(&again, library, "vecadd"));
    assert_ptr_equal(kernel, again);
    SUCCEEDS(cuLibraryGetKernelCount(&count, library));
    assert_in_range(count, 10, 64);
    SUCCEEDS(cuLibraryEnumerateKernels(all, 64, library));
    SUCCEEDS(cuKernelGetName(&name, kernel));
    assert_string_equal(name, "vecadd");
    SUCCEEDS(cuKernelGetLibrary(&same, kernel));
    assert_ptr_equal(same, library);
    SUCCEEDS(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, kernel, 0));
    assert_int_equal(value, 80);
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 1));
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "nosuch"));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuKernelGetFunction(&function, kernel));
    SUCCEEDS(cuLibraryUnload(library));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(library));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuKernelGetName(&name, kernel));
}

static void kernels_launch_in_each_context_with_its_own_variables(void **state)
{
    (void)state;
    CUcontext first = rig_context("rtx-a6000"), second = NULL;
    CUlibrary library = load("tests/driver/cubin/kernels.sm_80.cubin");
    CUkernel kernel = NULL;
    CUfunction one = NULL, two = NULL;
    CUdeviceptr out = device_bytes(16), counter_one = 0, counter_two = 0, managed = 0;
    size_t bytes = 0;
    int seen[4];
    SUCCEEDS(cuLibraryGetKernel(&kernel, library, "variables"));
    SUCCEEDS(run((CUfunction)kernel, 1, 1, (void *[]){&out}));
    SUCCEEDS(run((CUfunction)kernel, 1, 1, (void *[]){&out}));
    SUCCEEDS(cuMemcpyDtoH_v2(seen, out, sizeof seen));
    assert_int_equal(seen[1], 6);
    SUCCEEDS(cuLibraryGetGlobal(&counter_one, &bytes, library, "counter"));
    assert_int_equal(bytes, 4);
    SUCCEEDS(cuLibraryGetManaged(&managed, &bytes, library, "shared_with_host"));
    assert_int_equal(*(int *)(uintptr_t)managed, 9);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(managed));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(counter_one));
    assert_int_equal(*(int *)(uintptr_t)managed, 9);
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&managed, &bytes, library, "counter"));
    SUCCEEDS(cuKernelGetFunction(&one, kernel));
    SUCCEEDS(cuCtxCreate_v4(&second, NULL, 0, 0));
    out = device_bytes(16);
    SUCCEEDS(cuKernelGetFunction(&two, kernel));
    assert_ptr_not_equal(one, two);
    SUCCEEDS(run((CUfunction)kernel, 1, 1, (void *[]){&out}));
    SUCCEEDS(cuMemcpyDtoH_v2(seen, out, sizeof seen));
    assert_int_equal(seen[1], 5);
    SUCCEEDS(cuLibraryGetGlobal(&counter_two, NULL, library, "counter"));
    assert_int_not_equal(counter_one, counter_two);
    SUCCEEDS(cuCtxDestroy_v2(second));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, run(two, 1, 1, (void *[]){&out}));
    SUCCEEDS(cuCtxDestroy_v2(first));
    SUCCEEDS(cuLibraryUnload(library));
}

static void what_is_set_of_a_kernel_holds_for_its_functions(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUlibrary library = load("tests/driver/cubin/kernels.sm_80.cubin");
    CUmodule module = NULL, of_function = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    CUdeviceptr out = device_bytes(4);
    int value = 0;
    SUCCEEDS(cuLibraryGetModule(&module, library));
    SUCCEEDS(cuModuleGetFunction(&function, module, "dynamic"));
    SUCCEEDS(cuFuncGetModule(&of_function, function));
    assert_ptr_equal(of_function, module);
    SUCCEEDS(cuLibraryGetKernel(&kernel, library, "dynamic"));
    SUCCEEDS(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 80 << 10, kernel, 0));
    SUCCEEDS(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    assert_int_equal(value, 80 << 10);
    SUCCEEDS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 80 << 10, NULL, (void *[]){&out}, NULL));
    SUCCEEDS(cuCtxSynchronize());
    ANSWERS(CUDA_ERROR_NOT_PERMITTED, cuModuleUnload(module));
    SUCCEEDS(cuLibraryUnload(library));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, run(function, 1, 1, (void *[]){&out}));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_library_for_another_gpu_is_an_error_when_it_is_used(void **state)
{
    (void)state;
    rig_init("rtx-a6000");
    CUlibrary library = load("tests/driver/cubin/kernels.sm_90.cubin");
    CUkernel kernel = NULL;
    unsigned count;
    ANSWERS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLibraryGetKernel(&kernel, library, "vecadd"));
    ANSWERS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLibraryGetKernelCount(&count, library));
    SUCCEEDS(cuLibraryUnload(library));
    struct file_bytes file = read_cubin("tests/cubin/data/plain.fatbin"); /* sm_80, sm_90 and PTX for sm_90 */
    SUCCEEDS(cuLibraryLoadData(&library, file.data, NULL, NULL, 0, NULL, NULL, 0));
    SUCCEEDS(cuLibraryGetKernelCount(&count, library));
    SUCCEEDS(cuLibraryUnload(library));
    file.data[0x10 + 0x1c] = 75; /* the first entry is no longer for sm_80 */
    SUCCEEDS(cuLibraryLoadData(&library, file.data, NULL, NULL, 0, NULL, NULL, 0));
    ANSWERS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLibraryGetKernelCount(&count, library));
    SUCCEEDS(cuLibraryUnload(library));
    file_free(&file);
}

static void what_is_no_code_is_refused_without_a_crash(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUlibrary library = NULL;
    CUmodule module = NULL;
    static const char text[] = "hello";
    struct file_bytes file = read_cubin("tests/driver/cubin/kernels.sm_80.cubin");
    CUlibraryOption option = (CUlibraryOption)7;
    ANSWERS(CUDA_ERROR_INVALID_IMAGE, cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, text));
    ANSWERS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, (void *)(uintptr_t)0x10));
    ANSWERS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadFatBinary(&module, (void *)(uintptr_t)0xdead00000000));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(NULL, file.data, NULL, NULL, 0, NULL, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&library, file.data, NULL, NULL, 1, NULL, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&library, file.data, NULL, NULL, 0, &option, NULL, 1));
    ANSWERS(CUDA_ERROR_FILE_NOT_FOUND, cuLibraryLoadFromFile(&library, "/nonexistent", NULL, NULL, 0, NULL, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(NULL));
    file.data[18] = 62; /* the machine is x86-64 now */
    ANSWERS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, file.data));
    file.data[18] = 190;
    file.data[16] = 1; /* a relocatable object */
    ANSWERS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, file.data));
    file.data[16] = 2;
    SUCCEEDS(cuModuleLoadData(&module, file.data));
    file_free(&file);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(a_library_needs_no_context_until_something_runs),
           UNIT(kernels_launch_in_each_context_with_its_own_variables),
           UNIT(what_is_set_of_a_kernel_holds_for_its_functions),
           UNIT(a_library_for_another_gpu_is_an_error_when_it_is_used),
           UNIT(what_is_no_code_is_refused_without_a_crash))
