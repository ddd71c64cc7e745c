/* GPUs, memory and code of the C API. */
#include "tests/api/rig.h"

static void the_version_is_that_of_the_project(void **state)
{
    (void)state;
    unsigned major, minor, patch;
    assert_int_equal(sscanf(subcore_version(), "%u.%u.%u", &major, &minor, &patch), 3);
}

static void a_gpu_is_what_its_name_and_assignments_say(void **state)
{
    (void)state;
    static const char *const set[] = {"gpu.sms=7", "gpu.memory=0.5"};
    const struct subcore_options options = {.gpu = "a100", .set = set, .set_count = 2};
    struct subcore_error error = {0};
    struct subcore_facts facts;
    struct subcore_gpu *gpu = subcore_open(&options, &error);
    assert_non_null(gpu);
    subcore_gpu_facts(gpu, &facts);
    assert_int_equal(facts.architecture, 80);
    assert_int_equal(facts.sms, 7);
    assert_int_equal(facts.memory_bytes, UINT64_C(1) << 29);
    assert_int_equal(facts.warps_per_sm, 64);
    assert_int_equal(facts.registers_per_sm, 65536);
    assert_int_equal(facts.shared_bytes_per_cta, 163 * 1024);
    assert_non_null(strstr(facts.name, "A100"));
    subcore_close(gpu);
    gpu = subcore_open(NULL, NULL);
    subcore_gpu_facts(gpu, &facts);
    assert_int_equal(facts.architecture, 86);
    subcore_close(gpu);
    subcore_close(NULL);
}

static void what_is_wrong_with_a_configuration_is_said(void **state)
{
    (void)state;
    static const char *const bad[] = {"core.rfc=perhaps"};
    struct subcore_error error = {0};
    assert_null(subcore_open(&(struct subcore_options){.gpu = "voodoo2"}, &error));
    assert_non_null(strstr(error.text, "voodoo2"));
    assert_int_not_equal(error.code, SUBCORE_OK);
    error = (struct subcore_error){0};
    assert_null(subcore_open(&(struct subcore_options){.set = bad, .set_count = 1}, &error));
    assert_int_equal(error.code, SUBCORE_CONFIG);
    assert_non_null(strstr(error.text, "core.rfc"));
    assert_null(subcore_open(&(struct subcore_options){.threads = 257}, &error));
    assert_int_equal(error.code, SUBCORE_ARGUMENT);
    assert_null(subcore_open(&(struct subcore_options){.threads = 257}, NULL));
}

static void memory_is_copied_filled_and_freed(void **state)
{
    (void)state;
    struct rig r;
    uint8_t bytes[300];
    rig_begin(&r, "rtx-a6000", 1);
    uint64_t p = subcore_alloc(r.gpu, 300, &r.error), q = subcore_alloc(r.gpu, 0, &r.error);
    assert_true(p && q && p % 256 == 0 && q % 256 == 0 && p != q);
    assert_true(subcore_read(r.gpu, bytes, p, 300, &r.error));
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(bytes[i], 0);
    for (unsigned i = 0; i < 300; i++)
        bytes[i] = (uint8_t)i;
    assert_true(subcore_write(r.gpu, p, bytes, 300, &r.error));
    assert_true(subcore_copy(r.gpu, p + 10, p, 200, &r.error)); /* over itself */
    assert_true(subcore_fill(r.gpu, p + 290, 0xee, 10, &r.error));
    uint8_t after[300];
    assert_true(subcore_read(r.gpu, after, p, 300, &r.error));
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(after[i], i < 10 ? i : i < 210 ? i - 10 : i < 290 ? (uint8_t)i : 0xee);
    assert_true(subcore_free(r.gpu, p, &r.error));
    assert_false(subcore_free(r.gpu, p, &r.error));
    assert_int_equal(r.error.code, SUBCORE_ARGUMENT);
    rig_end(&r);
}

static void copies_beyond_an_allocation_are_errors(void **state)
{
    (void)state;
    struct rig r;
    uint8_t bytes[64] = {0};
    rig_begin(&r, "rtx-a6000", 1);
    uint64_t p = subcore_alloc(r.gpu, 60, &r.error);
    const bool answers[] = {
        subcore_write(r.gpu, p, bytes, 61, &r.error),    subcore_read(r.gpu, bytes, p + 1, 60, &r.error),
        subcore_write(r.gpu, 0, bytes, 1, &r.error),     subcore_fill(r.gpu, p + 60, 1, 1, &r.error),
        subcore_copy(r.gpu, p, p + 30, 31, &r.error),    subcore_copy(r.gpu, p + 30, p, 31, &r.error),
        subcore_read(r.gpu, bytes, UINT64_MAX, 2, NULL),
    };
    for (unsigned i = 0; i < sizeof answers; i++)
        assert_false(answers[i]);
    assert_int_equal(r.error.code, SUBCORE_ARGUMENT);
    assert_non_null(strstr(r.error.text, "subcore_copy: 31 bytes are not inside of one allocation"));
    assert_true(subcore_write(r.gpu, 0, bytes, 0, &r.error));
    assert_int_equal(subcore_alloc(r.gpu, UINT64_C(1) << 40, &r.error), 0);
    assert_int_equal(r.error.code, SUBCORE_MEMORY);
    rig_end(&r);
}

static void code_that_is_missing_or_wrong_is_said(void **state)
{
    (void)state;
    struct rig r;
    char path[4096];
    rig_begin(&r, "rtx-a6000", 1);
    assert_null(subcore_load_file(r.gpu, "/nowhere/at.all", &r.error));
    assert_int_equal(r.error.code, SUBCORE_FILE);
    assert_null(subcore_load(r.gpu, "not a cubin at all", 18, NULL, &r.error));
    assert_int_equal(r.error.code, SUBCORE_FORMAT);
    assert_null(subcore_load_file(r.gpu, unit_path(path, "examples/cubin/vecadd.sm_90.cubin"), &r.error));
    assert_non_null(strstr(r.error.text, "sm_90"));
    assert_null(subcore_kernel(r.module, "vecsub", &r.error));
    assert_int_equal(r.error.code, SUBCORE_ARGUMENT);
    assert_non_null(strstr(r.error.text, "vecsub"));
    assert_int_equal(subcore_variable(r.module, "nothing", NULL, &r.error), 0);
    rig_end(&r);
}

static void a_kernel_tells_what_it_needs(void **state)
{
    (void)state;
    struct rig r;
    struct subcore_kernel_facts facts;
    char text[100], cut[5];
    uint32_t offset, bytes;
    rig_begin(&r, "rtx-a6000", 1);
    subcore_kernel_facts(r.kernel, &facts);
    assert_string_equal(facts.name, "vecadd");
    assert_int_equal(facts.architecture, 86);
    assert_int_equal(facts.parameters, 4);
    assert_int_equal(facts.parameter_bytes, 28);
    assert_true(facts.registers > 0 && facts.registers < 40);
    assert_true(subcore_kernel_parameter(r.kernel, 3, &offset, &bytes));
    assert_int_equal(offset, 24);
    assert_int_equal(bytes, 4);
    assert_false(subcore_kernel_parameter(r.kernel, 4, &offset, &bytes));
    assert_ptr_equal(subcore_kernel_at(r.module, 0), r.kernel);
    assert_null(subcore_kernel_at(r.module, 1));
    size_t length = subcore_sass(r.kernel, 0, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "MOV R1, c[0x0][0x28]");
    assert_int_equal(subcore_sass(r.kernel, 0, cut, sizeof cut), strlen(text));
    assert_string_equal(cut, "MOV ");
    assert_int_equal(subcore_sass(r.kernel, 8, text, sizeof text), 0);
    assert_int_equal(subcore_sass(r.kernel, 1 << 20, text, sizeof text), 0);
    rig_end(&r);
}

static void a_module_from_memory_has_variables_until_it_goes(void **state)
{
    (void)state;
    struct rig r;
    char path[4096];
    static char image[1 << 18];
    rig_begin(&r, "rtx-a6000", 1);
    FILE *file = fopen(unit_path(path, "tests/gpu/cubin/launches.sm_86.cubin"), "rb");
    assert_non_null(file);
    size_t size = fread(image, 1, sizeof image, file);
    fclose(file);
    struct subcore_module *module = subcore_load(r.gpu, image, size, "launches", &r.error);
    assert_non_null(module);
    memset(image, 0, sizeof image);
    uint64_t bytes = 0, table = subcore_variable(module, "table", &bytes, &r.error);
    uint32_t words[3];
    assert_int_equal(bytes, 256);
    assert_true(subcore_read(r.gpu, words, table, sizeof words, &r.error));
    assert_int_equal(words[2], 4);
    assert_false(subcore_free(r.gpu, table, &r.error));
    assert_non_null(strstr(r.error.text, "variables of a module"));
    assert_true(subcore_read(r.gpu, words, table, sizeof words, &r.error));
    subcore_unload(r.gpu, module);
    assert_false(subcore_read(r.gpu, words, table, sizeof words, &r.error));
    rig_end(&r);
}

UNIT_TESTS(UNIT(the_version_is_that_of_the_project), UNIT(a_gpu_is_what_its_name_and_assignments_say),
           UNIT(what_is_wrong_with_a_configuration_is_said), UNIT(memory_is_copied_filled_and_freed),
           UNIT(copies_beyond_an_allocation_are_errors), UNIT(code_that_is_missing_or_wrong_is_said),
           UNIT(a_kernel_tells_what_it_needs), UNIT(a_module_from_memory_has_variables_until_it_goes))
