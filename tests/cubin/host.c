#include "cubin/host.h"

#include "tests/cubin/host_image.h"
#include "tests/unit.h"

static struct host_image image;

static const struct host_parts whole = {.needed = {"libcudart.so.13", "libc.so.6"},
                                        .symbol = "__cudaRegisterFatBinary",
                                        .fatbin = {(const uint8_t *)"12345678", 8}};

static struct host_program opened(const struct host_parts *parts)
{
    struct host_program program;
    struct status status = {0};
    if (!host_program_open(&program, host_image(&image, parts), "p", &status))
        fail_msg("%s", status.text);
    return program;
}

static void libraries_and_symbols_are_read(void **state)
{
    (void)state;
    struct host_program p = opened(&whole);
    assert_true(p.wide && p.dynamic && p.device_code);
    assert_int_equal(p.machine, HOST_MACHINE);
    assert_int_equal(p.needed_count, 2);
    assert_string_equal(p.needed[0], "libcudart.so.13");
    assert_string_equal(p.needed[1], "libc.so.6");
    assert_true(host_program_mentions(&p, "__cudaRegisterFatBinary"));
    assert_false(host_program_mentions(&p, "cudaRegisterFatBinary"));
    assert_false(host_program_mentions(&p, "__cudaRegisterFat"));
    host_program_close(&p);
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    struct host_program p = opened(&(struct host_parts){.machine = 183});
    assert_true(p.wide && p.dynamic && !p.device_code);
    assert_int_equal(p.machine, 183);
    assert_int_equal(p.needed_count, 0);
    host_program_close(&p);
    p = opened(&(struct host_parts){.linked_statically = true});
    assert_false(p.dynamic);
    assert_false(host_program_mentions(&p, ""));
    host_program_close(&p);
    p = opened(&(struct host_parts){.narrow = true, .machine = 3});
    assert_false(p.wide);
    assert_int_equal(p.machine, 3);
    host_program_close(&p);
}

static void a_program_without_a_section_table_is_read(void **state)
{
    (void)state;
    struct host_program p = opened(&(struct host_parts){.needed = {"libcuda.so.1"}});
    assert_int_equal(p.needed_count, 1);
    assert_false(p.device_code);
    host_program_close(&p);
}

static void expect_error(struct cubin_bytes bytes, const char *part)
{
    struct host_program program;
    struct status status = {0};
    assert_false(host_program_open(&program, bytes, "p", &status));
    assert_int_equal(status.code, STATUS_FORMAT);
    if (!strstr(status.text, part))
        fail_msg("'%s' does not say '%s'", status.text, part);
    assert_null(program.needed);
}

static void expect_changed(size_t at, uint64_t value, unsigned bytes, const char *part)
{
    struct cubin_bytes b = host_image(&image, &whole);
    image_set(&image, at, value, bytes);
    expect_error(b, part);
}

static void places_outside_the_file_are_errors(void **state)
{
    (void)state;
    expect_changed(5, 2, 1, "not a little-endian ELF file");
    expect_changed(32, HOST_IMAGE_BYTES, 8, "it ends outside the file");
    expect_changed(54, 32, 2, "32 instead of 56");
    expect_changed(HOST_DYNAMIC_HEADER + 8, UINT64_MAX - 8, 8, "it ends outside the file");
    expect_changed(HOST_DYNAMIC_HEADER + 32, HOST_IMAGE_BYTES, 8, "it ends outside the file");
    expect_changed(HOST_LOAD + 32, UINT64_MAX, 8, "it ends outside the file");
    expect_changed(HOST_LOAD + 16, HOST_IMAGE_BYTES, 8, "no segment has its address");
    expect_changed(HOST_DYNAMIC + 8, UINT64_MAX, 8, "it is outside the string table");
    expect_changed(HOST_DYNAMIC + 8, 4096, 8, "it is outside the string table");
}

static void no_cut_of_a_program_is_read_outside_of_it(void **state)
{
    (void)state;
    struct cubin_bytes b = host_image(&image, &whole);
    for (size_t size = 0; size < b.size; size++) {
        struct host_program program;
        struct status status = {0};
        uint8_t *exact = malloc(size ? size : 1);
        assert_non_null(exact);
        memcpy(exact, b.data, size);
        if (host_program_open(&program, (struct cubin_bytes){exact, size}, "p", &status))
            host_program_close(&program);
        free(exact);
    }
}

UNIT_TESTS(UNIT(libraries_and_symbols_are_read), UNIT(what_is_not_there_is_not_found),
           UNIT(a_program_without_a_section_table_is_read), UNIT(places_outside_the_file_are_errors),
           UNIT(no_cut_of_a_program_is_read_outside_of_it))
