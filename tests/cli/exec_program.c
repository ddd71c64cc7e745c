#include "cli/program/exec_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/embed.h"
#include "cli/program/exec_images.h"
#include "tests/cubin/host_image.h"
#include "tests/temporary.h"

enum { ARCHITECTURE_FLAG = 0x100000, FAMILY_FLAG = 0x200000 };

static struct host_image image, fatbin;

static struct cubin_bytes saxpy(const char *name)
{
    size_t count;
    const struct embedded *cubins = embedded_cubins(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(cubins[i].name, name) == 0)
            return (struct cubin_bytes){cubins[i].data, cubins[i].size};
    fail_msg("no cubin %s", name);
    return (struct cubin_bytes){0};
}

/* Machine code of saxpy for sm_86, and PTX of compute_90. */
static struct cubin_bytes fatbin_86(void)
{
    fatbin.size = 0;
    fatbin_add(&fatbin, false, 86, 0, saxpy("saxpy.sm_86"));
    fatbin_add(&fatbin, true, 90, 0, (struct cubin_bytes){(const uint8_t *)".version", 8});
    return (struct cubin_bytes){fatbin.data, fatbin.size};
}

static char folder[TEMPORARY_PATH];
static char path[TEMPORARY_PATH + 16];

/* The check of a program, by the name that messages have. */
static bool check(const struct host_parts *parts, const char *gpu, struct exec_program *program, struct status *status)
{
    struct cubin_bytes bytes = host_image(&image, parts);
    static struct config config;
    struct status loaded = {0};
    assert_true(config_load(&config, gpu, &loaded));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    chmod(path, 0755);
    *status = (struct status){0};
    *program = (struct exec_program){.preload = true};
    snprintf(program->path, sizeof program->path, "%s", path);
    return exec_program_links(program, bytes, HOST_MACHINE, status) &&
           exec_images_check(program->path, &config, true, status);
}

static void expect_good(const struct host_parts *parts, const char *gpu)
{
    struct exec_program program;
    struct status status;
    if (!check(parts, gpu, &program, &status))
        fail_msg("%s", status.text);
}

static void expect_refused(const struct host_parts *parts, const char *gpu, const char *part)
{
    struct exec_program program;
    struct status status;
    assert_false(check(parts, gpu, &program, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    if (!strstr(status.text, part) || strncmp(status.text, path, strlen(path)) != 0)
        fail_msg("'%s' does not say '%s'", status.text, part);
}

static void programs_without_cuda_pass(void **state)
{
    (void)state;
    expect_good(&(struct host_parts){.needed = {"libc.so.6"}}, "h200");
    expect_good(&(struct host_parts){.linked_statically = true}, "h200");
    expect_good(&(struct host_parts){.needed = {"libcuda.so.1"}}, "h200");
    struct exec_program program = {0};
    struct status status = {0};
    assert_true(
        exec_program_links(&program, (struct cubin_bytes){(const uint8_t *)"#!/bin/sh\n", 10}, HOST_MACHINE, &status));
}

static void programs_with_the_shared_runtime_pass(void **state)
{
    (void)state;
    struct host_parts parts = {.needed = {"libcudart.so.13", "libc.so.6"}, .symbol = "__cudaRegisterFatBinary"};
    parts.fatbin = fatbin_86();
    expect_good(&parts, "rtx-a6000");
    expect_good(&parts, "rtx-4090");
    expect_good(&parts, "h200");
    expect_good(&parts, "rtx-5080");
}

static void a_runtime_inside_is_refused(void **state)
{
    (void)state;
    struct host_parts parts = {.needed = {"libc.so.6"}, .fatbin = fatbin_86()};
    expect_refused(&parts, "rtx-a6000", "Link it again with: nvcc -cudart shared");
    parts.needed[0] = "libcuda.so.1";
    expect_refused(&parts, "rtx-a6000", "Link it again with: nvcc -cudart shared");
}

static void an_image_without_kernels_does_not_count(void **state)
{
    (void)state;
    struct cubin_bytes empty = saxpy("saxpy.sm_86");
    uint8_t *bytes = malloc(empty.size);
    assert_non_null(bytes);
    memcpy(bytes, empty.data, empty.size);
    /* Kernels are functions with bit 0x10 of st_other: without it they are device functions. */
    uint64_t table = bytes[40] | (uint64_t)bytes[41] << 8 | (uint64_t)bytes[42] << 16;
    for (unsigned i = 0; i < (unsigned)(bytes[60] | bytes[61] << 8); i++) {
        const uint8_t *section = bytes + table + 64 * i;
        uint64_t offset = section[24] | (uint64_t)section[25] << 8, size = section[32] | (uint64_t)section[33] << 8;
        for (uint64_t at = offset; section[4] == 2 && at < offset + size; at += 24)
            bytes[at + 5] = 0;
    }
    fatbin.size = 0;
    fatbin_add(&fatbin, false, 86, 0, (struct cubin_bytes){bytes, empty.size});
    free(bytes);
    struct host_parts parts = {.needed = {"libcuda.so.1"}, .fatbin = {fatbin.data, fatbin.size}};
    expect_good(&parts, "rtx-a6000");
    expect_good(&parts, "h200");
}

static void another_runtime_is_refused(void **state)
{
    (void)state;
    expect_refused(&(struct host_parts){.needed = {"libcudart.so.11.0"}}, "h200", "built for libcudart.so.11.0");
    expect_refused(&(struct host_parts){.needed = {"libcudart.so.1"}}, "h200", "built for libcudart.so.1,");
    expect_refused(&(struct host_parts){.needed = {"libcudart.so.130"}}, "h200", "built for libcudart.so.130");
}

static void closed_libraries_are_refused(void **state)
{
    (void)state;
    struct host_parts parts = {.needed = {"libcudart.so.13", "libcublas.so.13", "libnppc.so.13"}};
    expect_refused(&parts, "h200", "it needs libnppc.so.13: NVIDIA's closed libraries");
    parts.needed[1] = "libcublas.so.11", parts.needed[2] = "libcufft.so.10";
    expect_refused(&parts, "h200", "it needs libcublas.so.11, libcufft.so.10: NVIDIA's closed libraries");
    expect_good(&(struct host_parts){.needed = {"libcublas.so.13", "libcublasLt.so.13", "libcublas.so.12"}}, "h200");
    expect_good(&(struct host_parts){.needed = {"libcudnn.so.9", "libcufft.so.12", "libcusparse.so.12"}}, "h200");
    expect_good(&(struct host_parts){.needed = {"libnccl.so.2", "libcurand.so.10"}}, "h200");
    expect_good(&(struct host_parts){.needed = {"libnvrtc.so.13", "libnvJitLink.so.13"}}, "h200");
}

static void programs_for_other_processors_are_refused(void **state)
{
    (void)state;
    expect_refused(&(struct host_parts){.machine = 183}, "h200", "it is a program for another processor");
    expect_refused(&(struct host_parts){.machine = 3, .narrow = true}, "h200", "it is a 32-bit program");
}

static void programs_without_code_for_the_gpu_are_refused(void **state)
{
    (void)state;
    struct host_parts parts = {.needed = {"libcudart.so.13"}, .symbol = "__cudaRegisterFatBinary"};
    parts.fatbin = fatbin_86();
    expect_refused(&parts, "a100", "no code that runs on the sm_80 of NVIDIA A100");
    expect_refused(&parts, "a100",
                   "It has sm_86, PTX of compute_90. Build with: nvcc -cudart shared -gencode "
                   "arch=compute_80,code=sm_80");
}

static void ptx_needs_a_compiler(void **state)
{
    (void)state;
    struct config config;
    struct status status = {0};
    struct host_parts parts = {.needed = {"libcudart.so.13"}, .symbol = "__cudaRegisterFatBinary"};
    parts.fatbin = fatbin_86();
    expect_good(&parts, "h200");
    assert_true(config_load(&config, "h200", &status));
    assert_true(exec_images_check(path, &config, true, &status));
    assert_false(exec_images_check(path, &config, false, &status));
    assert_non_null(strstr(status.text, "it has PTX only, and neither libnvJitLink.so.13 nor ptxas"));
    status = (struct status){0};
    assert_true(config_load(&config, "rtx-a6000", &status));
    assert_true(exec_images_check(path, &config, false, &status));
}

static enum image_use use(bool ptx, unsigned sm, uint64_t flags, unsigned device)
{
    struct cubin_image i = {.kind = ptx ? CUBIN_IMAGE_PTX : CUBIN_IMAGE_ELF, .sm = sm, .flags = flags};
    return exec_image_use(&i, device);
}

static void images_suit_by_architecture_family_and_kind(void **state)
{
    (void)state;
    assert_int_equal(use(false, 86, 0, 86), IMAGE_RUNS);
    assert_int_equal(use(false, 86, 0, 89), IMAGE_RUNS);
    assert_int_equal(use(false, 86, 0, 80), IMAGE_USELESS);
    assert_int_equal(use(false, 86, 0, 90), IMAGE_USELESS);
    assert_int_equal(use(false, 90, ARCHITECTURE_FLAG, 90), IMAGE_RUNS);
    assert_int_equal(use(false, 100, ARCHITECTURE_FLAG, 103), IMAGE_USELESS);
    assert_int_equal(use(false, 100, FAMILY_FLAG, 103), IMAGE_RUNS);
    assert_int_equal(use(false, 100, FAMILY_FLAG, 120), IMAGE_USELESS);
    assert_int_equal(use(true, 75, 0, 120), IMAGE_COMPILES);
    assert_int_equal(use(true, 120, 0, 90), IMAGE_USELESS);
    assert_int_equal(use(true, 90, ARCHITECTURE_FLAG, 100), IMAGE_USELESS);
    assert_int_equal(use(true, 90, ARCHITECTURE_FLAG, 90), IMAGE_COMPILES);
    assert_int_equal(use(true, 100, FAMILY_FLAG, 120), IMAGE_USELESS);
    assert_int_equal(use(true, 120, FAMILY_FLAG, 121), IMAGE_COMPILES);
}

static void our_libraries_are_loaded_first_unless_the_address_sanitizer_has_to_be(void **state)
{
    (void)state;
    struct exec_program program;
    struct status status;
    assert_true(check(&(struct host_parts){.needed = {"libc.so.6"}}, "h200", &program, &status));
    assert_true(program.preload);
    assert_true(check(&(struct host_parts){.needed = {"libc.so.6", "libasan.so.8"}}, "h200", &program, &status));
    assert_false(program.preload);
    assert_true(check(&(struct host_parts){.needed = {"libclang_rt.asan-x86_64.so"}}, "h200", &program, &status));
    assert_false(program.preload);
}

static void programs_are_found_as_shells_find_them(void **state)
{
    (void)state;
    struct exec_program program;
    struct status status = {0};
    char old[4096], search[128];
    snprintf(old, sizeof old, "%s", getenv("PATH") ? getenv("PATH") : "");
    expect_good(&(struct host_parts){.needed = {"libc.so.6"}}, "h200");
    snprintf(search, sizeof search, "/nowhere:%s", folder);
    setenv("PATH", search, 1);
    assert_true(exec_program_find(&program, "program", &status));
    assert_string_equal(program.path, path);
    assert_false(exec_program_find(&program, "nothing", &status));
    assert_non_null(strstr(status.text, "nothing: no such program on PATH"));
    setenv("PATH", old, 1);
    status = (struct status){0};
    assert_true(exec_program_find(&program, path, &status));
    chmod(path, 0644);
    if (geteuid() != 0 || access(path, X_OK) != 0) {
        assert_false(exec_program_find(&program, path, &status));
        assert_non_null(strstr(status.text, "it may not be executed (chmod +x)"));
    }
    status = (struct status){0};
    assert_false(exec_program_find(&program, folder, &status));
    assert_non_null(strstr(status.text, "not a program"));
    status = (struct status){0};
    assert_false(exec_program_find(&program, "./no-such-program", &status));
    assert_non_null(strstr(status.text, "No such file"));
}

static int make_folder(void **state)
{
    (void)state;
    temporary_folder(folder);
    snprintf(path, sizeof path, "%s/program", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT(programs_without_cuda_pass),
        UNIT(programs_with_the_shared_runtime_pass),
        UNIT(a_runtime_inside_is_refused),
        UNIT(an_image_without_kernels_does_not_count),
        UNIT(another_runtime_is_refused),
        UNIT(closed_libraries_are_refused),
        UNIT(programs_for_other_processors_are_refused),
        UNIT(programs_without_code_for_the_gpu_are_refused),
        UNIT(ptx_needs_a_compiler),
        UNIT(images_suit_by_architecture_family_and_kind),
        UNIT(our_libraries_are_loaded_first_unless_the_address_sanitizer_has_to_be),
        UNIT(programs_are_found_as_shells_find_them),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
