/* Texture objects for kernels: attributes, many of them in a warp, and handles that are none. */
#include <string.h>

#include "tests/exec/deferred_run.h"
#include "tests/exec/texture_rig.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

static const long wide[3] = {32, 16, 1};

static void on_each(void (*check)(struct kernel_run *r))
{
    static const unsigned architectures[] = {60, 70, 75, 80, 90, 100, 120};
    kernel_run_each("textures", architectures, 7, check);
    kernel_run_each("textures_bound", architectures, 7, check);
}

static void check_attributes(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    const long size[3] = {20, 12, 3};
    rig_make(&rig, r, TEXTURE_U8, 4, 2, size, 3);
    rig_filter(&rig, true, true, true);
    rig_modes(&rig, ORACLE_MIRROR, ORACLE_BORDER, ORACLE_CLAMP);
    rig.texture.layered = true;
    rig.texture.layers = 3;
    rig.texture.order = 4;
    rig_block(&rig)->at[0][0] = 1;
    rig_run(&rig, "ask_texture");
    const uint32_t expected[3][4] = {{20, 12, 0, 3}, {3, 1, 1, ORACLE_MIRROR}, {ORACLE_BORDER, 4, 10}};
    assert_memory_equal(rig_block(&rig)->out, expected, 11 * sizeof(uint32_t));
}

static void a_texture_answers_what_it_is(void **state)
{
    (void)state;
    on_each(check_attributes);
}

static void check_many(struct kernel_run *r)
{
    struct texture_rig rig[RIG_THREADS / 8] = {{0}};
    uint32_t handle[RIG_THREADS / 8];
    for (unsigned k = 0; k < RIG_THREADS / 8; k++) {
        rig[k].random = k + 1;
        rig_make(&rig[k], r, TEXTURE_F32, 4, 2, wide, 1);
        handle[k] = textures_add(r->memory, &rig[k].texture);
        handle[k] |= k & 1 ? UINT32_C(1) << 31 : 0; /* as code has it that takes the address of a reference */
    }
    rig_places(&rig[0]);
    for (unsigned i = 0; i < RIG_THREADS; i++)
        memcpy(&rig_block(&rig[0])->more[i][0], &handle[i * 5 % 8], sizeof *handle);
    kernel_run(r, "many", RIG_THREADS);
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        struct texture_rig *own = &rig[i * 5 % 8];
        struct oracle_texel expected = oracle_read(&own->image[0], &own->sampler, rig_block(&rig[0])->at[i], 0);
        rig_expect(own, i, &expected, false, 0);
    }
}

static void the_threads_of_a_warp_can_read_different_textures(void **state)
{
    (void)state;
    on_each(check_many);
}

/* Runs a kernel that must end in a fault, and compares its text. */
static void expect_fault(struct kernel_run *r, const char *kernel, const char *text)
{
    struct exec_launch launch;
    struct exec_totals totals;
    struct status status = {0};
    const struct exec_dim one = {1, 1, 1}, threads = {RIG_THREADS, 1, 1};
    const uint64_t arguments[2] = {r->argument, rig_block(&(struct texture_rig){.run = r})->object};
    const struct cubin_kernel *found = cubin_find_kernel(&r->module.cubin, kernel, &status);
    assert_non_null(found);
    assert_true(
        launch_begin(&launch, &r->module, kernel, one, threads, 0, arguments, found->parameter_bytes, 8, 256, &status));
    bool ok = r->seed ? deferred_run(&launch, r->seed, &totals, &status)
                      : exec_run(&launch, NULL, NULL, NULL, &totals, &status);
    exec_launch_end(&launch);
    assert_false(ok);
    if (!strstr(status.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, status.text);
}

static void check_faults(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    rig_block(&(struct texture_rig){.run = r})->object = 0;
    expect_fault(r, "sample2", "0x0 is the handle of no texture object that is alive");
    rig_make(&rig, r, TEXTURE_F32, 4, 2, wide, 1);
    rig_block(&rig)->object = 0xfffff;
    expect_fault(r, "sample2", "0xfffff is the handle of no texture object that is alive");
    rig.texture.surface = true;
    uint32_t handle = textures_add(r->memory, &rig.texture);
    rig_block(&rig)->object = handle;
    expect_fault(r, "sample2", "is the handle of a surface object; this instruction takes that of a texture object");
    rig.texture.surface = false;
    rig.texture.linear = true;
    rig_block(&rig)->object = textures_add(r->memory, &rig.texture);
    expect_fault(r, "sample2", "linear memory, which is fetched by whole numbers");
    rig.texture.linear = false;
    rig_block(&rig)->object = textures_add(r->memory, &rig.texture);
    assert_true(memory_free(r->memory, rig.texture.level[0].address));
    expect_fault(r, "sample2", "where no memory is allocated any more");
}

static void a_wrong_handle_is_a_fault_with_its_reason(void **state)
{
    (void)state;
    on_each(check_faults);
}

UNIT_TESTS(UNIT(a_texture_answers_what_it_is), UNIT(the_threads_of_a_warp_can_read_different_textures),
           UNIT(a_wrong_handle_is_a_fault_with_its_reason))
