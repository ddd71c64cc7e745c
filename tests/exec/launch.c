/* Loading a cubin, launching a kernel of it: checks, constants, addresses. */
#include "exec/launch.h"
#include "base/embed.h"
#include "exec/cta.h"
#include "exec/exec.h"
#include "exec/module.h"
#include "exec/sizes.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

struct loaded {
    struct memory *memory;
    struct exec_module module;
    struct status status;
};

static struct cubin_bytes image_of(const char *name)
{
    size_t count;
    const struct embedded *cubins = embedded_cubins(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(cubins[i].name, name))
            return (struct cubin_bytes){cubins[i].data, cubins[i].size};
    fail_msg("no cubin %s", name);
    return (struct cubin_bytes){0};
}

static struct loaded *load(const char *name)
{
    struct loaded *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->memory = memory_create(1 << 24, &l->status);
    assert_non_null(l->memory);
    assert_true(exec_module_load(&l->module, l->memory, image_of(name), name, &l->status));
    return l;
}

static void unload(struct loaded *l)
{
    exec_module_unload(&l->module);
    memory_destroy(l->memory);
    free(l);
}

static const struct exec_dim one = {1, 1, 1};

static bool begin(struct loaded *l, struct exec_launch *launch, const char *kernel, struct exec_dim grid,
                  struct exec_dim block, uint32_t dynamic, size_t parameter_bytes)
{
    static const uint8_t parameters[4096] = {1, 2, 3, 4, 5, 6, 7, 8};
    l->status = (struct status){0};
    return launch_begin(launch, &l->module, kernel, grid, block, dynamic, parameters, parameter_bytes, 7, 64,
                        &l->status);
}

static uint32_t word(const struct exec_launch *launch, unsigned bank, unsigned offset)
{
    uint32_t value;
    memcpy(&value, launch->bank[bank] + offset, 4);
    return value;
}

static void the_driver_constants_stand_where_compiled_code_reads_them(void **state)
{
    (void)state;
    static const struct {
        const char *cubin;
        unsigned parameters, descriptor;
    } cases[] = {
        {"vecadd.sm_80", 0x160, 0x118},
        {"vecadd.sm_86", 0x160, 0x118},
        {"vecadd.sm_90", 0x210, 0x208},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct loaded *l = load(cases[i].cubin);
        struct exec_launch launch;
        const struct cubin_kernel *kernel = &l->module.cubin.kernels[0];
        assert_true(begin(l, &launch, kernel->name, (struct exec_dim){5, 6, 7}, (struct exec_dim){8, 4, 2}, 512,
                          kernel->parameter_bytes));
        static const uint32_t dimensions[] = {8, 4, 2, 5, 6, 7};
        for (unsigned k = 0; k < 6; k++)
            assert_int_equal(word(&launch, 0, 4 * k), dimensions[k]);
        assert_int_equal(word(&launch, 0, 0x24), EXEC_LOCAL_WINDOW >> 32);
        assert_int_equal(word(&launch, 0, 0x28), 0);
        assert_int_equal(word(&launch, 0, 0x2c), 512);
        assert_int_equal(word(&launch, 0, 0x10c), 7);
        assert_int_equal(word(&launch, 0, 0x114), 0x400);
        assert_int_equal(word(&launch, 0, cases[i].parameters), 0x04030201);
        assert_int_equal(word(&launch, 0, cases[i].parameters + 4), 0x08070605);
        assert_int_equal(launch.warps_per_cta, 2);
        assert_int_equal(launch.cta_count, 210);
        for (unsigned bank = 1; bank < EXEC_BANKS; bank++)
            assert_int_equal(word(&launch, bank, 0), 0);
        exec_launch_end(&launch);
        unload(l);
    }
}

static void shared_memory_is_static_and_dynamic_and_what_the_system_takes(void **state)
{
    (void)state;
    static const struct {
        const char *cubin, *kernel;
        uint32_t dynamic, bytes;
    } cases[] = {
        {"vecadd.sm_80", "vecadd", 0, 0},      {"vecadd.sm_80", "vecadd", 100, 128},
        {"vecadd.sm_90", "vecadd", 0, 1024},   {"vecadd.sm_90", "vecadd", 256, 1280},
        {"scan.sm_80", "scan_blocks", 0, 64},  {"scan.sm_90", "scan_blocks", 0, 1088},
        {"scan.sm_80", "scan_blocks", 1, 128}, {"scan.sm_90", "scan_blocks", 100, 1280},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct loaded *l = load(cases[i].cubin);
        struct exec_launch launch;
        const struct exec_kernel *kernel = exec_module_kernel(&l->module, cases[i].kernel, &l->status);
        assert_non_null(kernel);
        assert_true(begin(l, &launch, cases[i].kernel, one, one, cases[i].dynamic, kernel->cubin->parameter_bytes));
        assert_int_equal(launch.shared_bytes, cases[i].bytes);
        exec_launch_end(&launch);
        unload(l);
    }
}

static void assert_rejected(struct loaded *l, const char *kernel, struct exec_dim grid, struct exec_dim block,
                            uint32_t dynamic, size_t parameter_bytes, enum status_code code, const char *why)
{
    struct exec_launch launch;
    if (begin(l, &launch, kernel, grid, block, dynamic, parameter_bytes))
        fail_msg("launched, but \"%s\" was expected", why);
    assert_int_equal(l->status.code, code);
    if (!strstr(l->status.text, why))
        fail_msg("\"%s\" does not say \"%s\"", l->status.text, why);
}

static void impossible_launches_are_rejected_with_the_reason(void **state)
{
    (void)state;
    struct loaded *l = load("scan.sm_80");
    const char *k = "scan_blocks";
    struct exec_dim block = {512, 1, 1};
    size_t bytes = exec_module_kernel(&l->module, k, &l->status)->cubin->parameter_bytes;
    assert_rejected(l, k, (struct exec_dim){0, 1, 1}, block, 0, bytes, STATUS_USAGE,
                    "scan_blocks: grid 0 x 1 x 1 has no CTA; each dimension must be at least 1");
    assert_rejected(l, k, (struct exec_dim){1, 65536, 1}, block, 0, bytes, STATUS_USAGE,
                    "grid 1 x 65536 x 1 is too large; a grid can have at most 2147483647 x 65535 x 65535 CTAs");
    assert_rejected(l, k, (struct exec_dim){UINT32_C(0x80000000), 1, 1}, block, 0, bytes, STATUS_USAGE,
                    "grid 2147483648 x 1 x 1 is too large");
    assert_rejected(l, k, one, (struct exec_dim){0, 1, 1}, 0, bytes, STATUS_USAGE, "block 0 x 1 x 1 has no thread");
    assert_rejected(l, k, one, (struct exec_dim){1, 1, 65}, 0, bytes, STATUS_USAGE,
                    "block 1 x 1 x 65 is too large in z; a block can have at most 1024 x 1024 x 64 threads");
    assert_rejected(l, k, one, (struct exec_dim){41, 25, 1}, 0, bytes, STATUS_USAGE,
                    "block 41 x 25 x 1 has 1025 threads; a block can have at most 1024");
    assert_rejected(l, k, one, (struct exec_dim){UINT32_C(1) << 31, UINT32_C(1) << 31, 4}, 0, bytes, STATUS_USAGE,
                    "has 18446744073709551616 threads");
    assert_rejected(l, k, one, (struct exec_dim){513, 1, 1}, 0, bytes, STATUS_USAGE,
                    "block 513 x 1 x 1 has 513 threads; the kernel was compiled for at most 512");
    assert_rejected(l, k, one, block, 0, bytes - 4, STATUS_USAGE, "bytes of parameters; the kernel takes");
    assert_rejected(l, k, one, block, 0, bytes + 16, STATUS_USAGE, "bytes of parameters; the kernel takes");
    assert_rejected(l, k, one, block, 1 << 20, bytes, STATUS_USAGE,
                    "bytes of shared memory; it can have at most 233472");
    assert_rejected(l, "no_such_kernel", one, block, 0, bytes, STATUS_USAGE, "no_such_kernel");
    unload(l);
}

static void a_kernel_is_decoded_once_and_ends_with_a_fault(void **state)
{
    (void)state;
    struct loaded *l = load("sgemm.sm_86");
    const struct exec_kernel *kernel = exec_module_kernel(&l->module, "sgemm_register", &l->status);
    assert_non_null(kernel);
    assert_ptr_equal(exec_module_kernel(&l->module, "sgemm_register", &l->status), kernel);
    assert_int_equal(kernel->count * 16, kernel->cubin->code.size);
    for (uint32_t i = 0; i < kernel->count; i++) {
        assert_int_equal(kernel->code[i].isa.pc, 16 * i);
        assert_int_not_equal(kernel->code[i].isa.op, ISA_INVALID);
    }
    assert_int_equal(kernel->code[kernel->count].isa.op, ISA_INVALID);
    assert_true(kernel->rows >= kernel->cubin->registers);
    unload(l);
}

static void ctas_have_their_place_in_the_grid(void **state)
{
    (void)state;
    struct loaded *l = load("vecadd.sm_80");
    struct exec_launch launch;
    const struct cubin_kernel *kernel = &l->module.cubin.kernels[0];
    assert_true(begin(l, &launch, kernel->name, (struct exec_dim){3, 4, 5}, (struct exec_dim){40, 1, 1}, 0,
                      kernel->parameter_bytes));
    struct exec_cta *cta = exec_cta_create(&launch, &l->status);
    assert_non_null(cta);
    for (uint64_t n = 0; n < 60; n++) {
        exec_cta_start(cta, n, 8);
        assert_int_equal(cta->index.x, n % 3);
        assert_int_equal(cta->index.y, n / 3 % 4);
        assert_int_equal(cta->index.z, n / 12);
        assert_int_equal(cta->warps[0].live, UINT32_MAX);
        assert_int_equal(cta->warps[1].live, 0xff);
        assert_int_equal(cta->warps[1].slot, 9);
        assert_int_equal(exec_pc(&cta->warps[1]), 0);
        cta->warps[1].reg[1][3] = 5;
        cta->warps[1].pred[2] = 5;
    }
    assert_int_equal((uintptr_t)cta->warps[1].reg % 64, 0);
    exec_cta_start(cta, 0, 0);
    assert_int_equal(cta->warps[1].reg[1][3], 0);
    assert_int_equal(cta->warps[1].pred[2], 0);
    assert_int_equal(cta->warps[1].pred[7], UINT32_MAX);
    exec_cta_destroy(cta);
    exec_launch_end(&launch);
    unload(l);
}

static void a_launch_gives_its_device_memory_back(void **state)
{
    (void)state;
    struct loaded *l = load("vecadd.sm_80");
    struct exec_launch launch;
    const struct cubin_kernel *kernel = &l->module.cubin.kernels[0];
    uint64_t before = memory_digest(l->memory);
    struct exec_kernel *k = &l->module.kernels[0];
    assert_non_null(exec_module_kernel(&l->module, kernel->name, &l->status));
    k->local_bytes = 96;
    assert_true(begin(l, &launch, kernel->name, one, one, 0, kernel->parameter_bytes));
    assert_int_not_equal(launch.local_base, 0);
    assert_true(memory_ok(l->memory, launch.local_base + 96 * 32 * 64 - 1, 1));
    assert_false(memory_ok(l->memory, launch.local_base + 96 * 32 * 64, 1));
    assert_int_equal(word(&launch, 0, 0x28), 96);
    exec_launch_end(&launch);
    assert_int_equal(memory_digest(l->memory), before);
    unload(l);
}

static void a_broken_image_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    struct loaded *l = load("vecadd.sm_80");
    struct cubin_bytes image = image_of("vecadd.sm_80");
    struct exec_module module;
    for (size_t size = 0; size < image.size; size += 97) {
        struct status status = {0};
        if (!exec_module_load(&module, l->memory, (struct cubin_bytes){image.data, size}, "short", &status)) {
            assert_int_not_equal(status.code, STATUS_OK);
            assert_null(module.image);
        } else {
            exec_module_unload(&module);
        }
    }
    unload(l);
}

UNIT_TESTS(UNIT(the_driver_constants_stand_where_compiled_code_reads_them),
           UNIT(shared_memory_is_static_and_dynamic_and_what_the_system_takes),
           UNIT(impossible_launches_are_rejected_with_the_reason), UNIT(a_kernel_is_decoded_once_and_ends_with_a_fault),
           UNIT(ctas_have_their_place_in_the_grid), UNIT(a_launch_gives_its_device_memory_back),
           UNIT(a_broken_image_is_an_error_and_leaves_nothing))
