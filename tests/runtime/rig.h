/* A program without nvcc: the tests play the part of its host code. They put cubins in a fatbin container, register
 * it, and call kernels the way compiled stubs do. */
#ifndef SUBCORE_TESTS_RUNTIME_RIG_H
#define SUBCORE_TESTS_RUNTIME_RIG_H

#include "runtime/abi/api_compiler.h"
#include "runtime/abi/api_copy.h"
#include "runtime/abi/api_device.h"
#include "runtime/abi/api_launch.h"
#include "runtime/abi/api_memory.h"
#include "runtime/abi/api_stream.h"
#include "tests/unit.h"

#define SUCCEEDS(call) assert_int_equal((call), cudaSuccess)
#define ANSWERS(code, call) assert_int_equal((call), (code))
/* The call fails with this code, and so does the question for the last error, once. */
#define FAILS(code, call)                                                                                              \
    do {                                                                                                               \
        assert_int_equal((call), (code));                                                                              \
        assert_int_equal(cudaPeekAtLastError(), (code));                                                               \
        assert_int_equal(cudaGetLastError(), (code));                                                                  \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                                             \
    } while (0)

struct rig_wrapper {
    uint32_t magic;
    uint32_t version;
    const void *data;
    const void *files;
};

struct rig_image {
    struct rig_wrapper wrapper;
    unsigned char *container;
    size_t size;
    void **handle;
};

static inline void rig_environment(void)
{
    setenv("SUBCORE_GPU", "rtx-a6000", 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
}

static inline void rig_put(unsigned char *at, unsigned long long value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* Appends a cubin of a folder for an architecture: 86 for sm_86. */
static inline void rig_append_from(struct rig_image *image, const char *folder, const char *name, unsigned architecture)
{
    enum { CONTAINER = 16, ENTRY = 64 };
    char path[4096], relative[256];
    snprintf(relative, sizeof relative, "%s/%s.sm_%u.cubin", folder, name, architecture);
    FILE *file = fopen(unit_path(path, relative), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t cubin = (size_t)ftell(file), padded = (cubin + 7) & ~(size_t)7;
    rewind(file);
    if (image->size == 0)
        image->size = CONTAINER;
    image->container = realloc(image->container, image->size + ENTRY + padded);
    assert_non_null(image->container);
    unsigned char *entry = image->container + image->size;
    memset(entry, 0, ENTRY + padded);
    rig_put(entry, 2, 2); /* an ELF file */
    rig_put(entry + 2, 0x0101, 2);
    rig_put(entry + 4, ENTRY, 4);
    rig_put(entry + 8, padded, 8);
    rig_put(entry + 24, 8, 2);
    rig_put(entry + 26, 1, 2);
    rig_put(entry + 28, architecture, 4);
    rig_put(entry + 40, 0x11, 8); /* 64 bits, Linux */
    assert_int_equal(fread(entry + ENTRY, 1, cubin, file), cubin);
    fclose(file);
    image->size += ENTRY + padded;
    rig_put(image->container, 0xba55ed50, 4);
    rig_put(image->container + 4, 1, 2);
    rig_put(image->container + 6, CONTAINER, 2);
    rig_put(image->container + 8, image->size - CONTAINER, 8);
}

/* Appends one of tests/runtime/cubin. */
static inline void rig_append(struct rig_image *image, const char *name, unsigned architecture)
{
    rig_append_from(image, "tests/runtime/cubin", name, architecture);
}

/* The part before main in a compiled program, up to the registration of functions and variables. */
static inline void rig_register(struct rig_image *image)
{
    image->wrapper = (struct rig_wrapper){.magic = 0x466243b1, .version = 1, .data = image->container};
    image->handle = __cudaRegisterFatBinary(&image->wrapper);
    assert_non_null(image->handle);
}

/* Host twins of kernels.cu. Only their addresses count. */
static char host_add, host_use_variables, host_increment, host_small, host_dynamic_shared, host_all_blocks, host_store,
    host_store_misaligned, host_trap, host_fail, host_wait_for, host_absent;
static char host_number[4], host_table[16];
static int *host_shared_count;

static inline void rig_function(struct rig_image *image, char *host, const char *name)
{
    __cudaRegisterFunction(image->handle, host, (char *)(uintptr_t)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static inline void rig_register_kernels(struct rig_image *image)
{
    rig_register(image);
    rig_function(image, &host_add, "add");
    rig_function(image, &host_use_variables, "use_variables");
    rig_function(image, &host_increment, "increment");
    rig_function(image, &host_small, "small");
    rig_function(image, &host_dynamic_shared, "dynamic_shared");
    rig_function(image, &host_all_blocks, "all_blocks");
    rig_function(image, &host_store, "store");
    rig_function(image, &host_store_misaligned, "store_misaligned");
    rig_function(image, &host_trap, "trap");
    rig_function(image, &host_fail, "fail");
    rig_function(image, &host_wait_for, "wait_for");
    rig_function(image, &host_absent, "absent"); /* not in the image */
    __cudaRegisterManagedVar(image->handle, (void **)&host_shared_count, (char *)(uintptr_t) "shared_count",
                             "shared_count", 0, 4, 0, 0);
    __cudaRegisterVar(image->handle, host_number, (char *)(uintptr_t) "number", "number", 0, 4, 0, 0);
    __cudaRegisterVar(image->handle, host_table, (char *)(uintptr_t) "table", "table", 0, 16, 1, 0);
    __cudaRegisterFatBinaryEnd(image->handle);
}

/* The program of kernels.cu, for all architectures that it was compiled for. */
static inline struct rig_image *rig_program(void)
{
    static struct rig_image image;
    rig_environment();
    if (image.handle == NULL) {
        rig_append(&image, "kernels", 86);
        rig_append(&image, "kernels", 90);
        rig_register_kernels(&image);
    }
    return &image;
}

/* A launch as compiled code does it, kernel<<<grid, block, shared, stream>>>. */
static inline cudaError_t rig_launch_in(char *host, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream)
{
    cudaKernel_t kernel = NULL;
    dim3 popped_grid, popped_block;
    size_t popped_shared;
    cudaStream_t popped_stream;
    __cudaGetKernel(&kernel, host);
    if (__cudaPushCallConfiguration(grid, block, shared, stream) != 0)
        return cudaPeekAtLastError();
    __cudaPopCallConfiguration(&popped_grid, &popped_block, &popped_shared, &popped_stream);
    return __cudaLaunchKernel(kernel, popped_grid, popped_block, arguments, popped_shared, popped_stream);
}

static inline cudaError_t rig_launch(char *host, unsigned grid, unsigned block, void **arguments)
{
    return rig_launch_in(host, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, arguments, 0, NULL);
}

#endif
