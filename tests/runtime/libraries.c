#include "tests/runtime/rig.h"

static const char *cubin(char path[4096]) { return unit_path(path, "tests/runtime/cubin/kernels.sm_86.cubin"); }

static void use_library(cudaLibrary_t library)
{
    cudaKernel_t kernel, all[32];
    cudaLibrary_t none = NULL;
    unsigned count = 0;
    void *address, *device;
    size_t bytes;
    int out[32], number = 3, before;
    SUCCEEDS(cudaLibraryGetKernelCount(&count, library));
    assert_int_equal(count, 11);
    SUCCEEDS(cudaLibraryEnumerateKernels(all, count, library));
    SUCCEEDS(cudaLibraryGetKernel(&kernel, library, "use_variables"));
    bool found = false;
    for (unsigned i = 0; i < count; i++)
        found = found || all[i] == kernel;
    assert_true(found);
    SUCCEEDS(cudaLibraryGetGlobal(&address, &bytes, library, "number"));
    assert_int_equal(bytes, 4);
    SUCCEEDS(cudaMemcpy(address, &number, 4, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaLibraryGetManaged(&address, &bytes, library, "shared_count"));
    assert_int_equal(bytes, 4);
    before = *(int *)address;
    SUCCEEDS(cudaMalloc(&device, sizeof out));
    void *arguments[] = {&device};
    SUCCEEDS(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, arguments, 0, NULL));
    SUCCEEDS(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 3 * ((i & 3) + 1));
    assert_int_equal(*(int *)address, before + 3);
    SUCCEEDS(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000, 0));
    FAILS(cudaErrorInvalidDevice,
          cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000, 1));
    FAILS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "absent"));
    FAILS(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&address, &bytes, library, "absent"));
    FAILS(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&address, &bytes, library, "number"));
    FAILS(cudaErrorInvalidResourceHandle, cudaLibraryGetKernel(&kernel, none, "add"));
    SUCCEEDS(cudaFree(device));
}

static void a_library_is_loaded_from_a_file(void **state)
{
    (void)state;
    char path[4096];
    cudaLibrary_t library;
    rig_environment();
    SUCCEEDS(cudaLibraryLoadFromFile(&library, cubin(path), NULL, NULL, 0, NULL, NULL, 0));
    use_library(library);
    SUCCEEDS(cudaLibraryUnload(library));
    FAILS(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
    FAILS(cudaErrorFileNotFound, cudaLibraryLoadFromFile(&library, "/none", NULL, NULL, 0, NULL, NULL, 0));
}

static void two_libraries_of_one_image_have_their_own_variables(void **state)
{
    (void)state;
    char path[4096], *data = malloc(1 << 16);
    cudaLibrary_t one, other;
    void *address, *elsewhere;
    size_t bytes;
    int value = 0;
    rig_environment();
    FILE *file = fopen(cubin(path), "rb");
    assert_non_null(file);
    assert_true(fread(data, 1, 1 << 16, file) > 1000);
    fclose(file);
    SUCCEEDS(cudaLibraryLoadData(&one, data, NULL, NULL, 0, NULL, NULL, 0));
    SUCCEEDS(cudaLibraryLoadData(&other, data, NULL, NULL, 0, NULL, NULL, 0));
    free(data); /* the library keeps the code that it needs */
    use_library(one);
    SUCCEEDS(cudaLibraryGetGlobal(&address, &bytes, one, "number"));
    SUCCEEDS(cudaLibraryGetGlobal(&elsewhere, &bytes, other, "number"));
    assert_ptr_not_equal(address, elsewhere);
    SUCCEEDS(cudaMemcpy(&value, elsewhere, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 7);
    SUCCEEDS(cudaLibraryUnload(one));
    SUCCEEDS(cudaMemcpy(&value, elsewhere, 4, cudaMemcpyDeviceToHost));
    SUCCEEDS(cudaLibraryUnload(other));
}

UNIT_TESTS(UNIT(a_library_is_loaded_from_a_file), UNIT(two_libraries_of_one_image_have_their_own_variables))
