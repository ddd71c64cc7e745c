#include "cli/argument.h"

#include "tests/unit.h"

static struct argument parse(const char *spec)
{
    struct argument a;
    struct status status = {0};
    if (!argument_parse(spec, &a, &status))
        fail_msg("%s: %s", spec, status.text);
    return a;
}

static void expect_error(const char *spec, const char *part)
{
    struct argument a;
    struct status status = {0};
    assert_false(argument_parse(spec, &a, &status));
    assert_int_equal(status.code, STATUS_USAGE);
    if (!strstr(status.text, part))
        fail_msg("%s: '%s' does not say '%s'", spec, status.text, part);
    assert_non_null(strstr(status.text, "--arg"));
}

static void scalars_have_their_bytes_in_memory_order(void **state)
{
    (void)state;
    uint8_t bytes[16] = {0};
    struct argument a = parse("u32:0x01020304");
    assert_int_equal(argument_size(&a), 4);
    argument_store(&a, bytes);
    assert_memory_equal(bytes, "\4\3\2\1\0", 5);
    a = parse("i16:-2");
    assert_int_equal(argument_size(&a), 2);
    argument_store(&a, bytes);
    assert_memory_equal(bytes, "\xfe\xff", 2);
    a = parse("hex:00ffA5");
    assert_int_equal(argument_size(&a), 3);
    argument_store(&a, bytes);
    assert_memory_equal(bytes, "\0\xff\xa5", 3);
    a = parse("null");
    assert_int_equal(argument_size(&a), 8);
}

static void arrays_are_filled_by_their_pattern(void **state)
{
    (void)state;
    struct status status = {0};
    uint8_t bytes[64];
    struct argument a = parse("i32[4]=iota");
    assert_int_equal(argument_array_bytes(&a), 16);
    assert_int_equal(argument_size(&a), 8);
    assert_true(argument_fill(&a, bytes, &status));
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(argument_element(&a, bytes, i), i);
    a = parse("f32[3]=1.5");
    assert_true(argument_fill(&a, bytes, &status));
    assert_int_equal(argument_element(&a, bytes, 2), 0x3fc00000);
    a = parse("u8[9]=zero");
    memset(bytes, 1, sizeof bytes);
    assert_true(argument_fill(&a, bytes, &status));
    assert_int_equal(argument_element(&a, bytes, 8), 0);
    assert_int_equal(bytes[9], 1);
    a = parse("u16[8]=seed:3%10");
    assert_true(argument_fill(&a, bytes, &status));
    for (uint64_t i = 0; i < 8; i++)
        assert_in_range(argument_element(&a, bytes, i), 0, 9);
}

static void files_are_named_behind_the_pattern(void **state)
{
    (void)state;
    struct argument a = parse("f32[8]=zero>out.bin");
    assert_string_equal(a.out, "out.bin");
    argument_free(&a);
    a = parse("f32[8]=file:in.bin>out.bin");
    assert_string_equal(a.file, "in.bin");
    assert_string_equal(a.out, "out.bin");
    argument_free(&a);
}

static void a_file_must_have_the_size_of_the_array(void **state)
{
    (void)state;
    char path[4096], spec[4200];
    uint8_t bytes[64];
    struct status status = {0};
    snprintf(spec, sizeof spec, "u8[1]=file:%s", unit_path(path, "meson.build"));
    struct argument a = parse(spec);
    assert_false(argument_fill(&a, bytes, &status));
    assert_non_null(strstr(status.text, "the file has"));
    argument_free(&a);
    status = (struct status){0};
    a = parse("u8[1]=file:/no/such/file");
    assert_false(argument_fill(&a, bytes, &status));
    assert_int_equal(status.code, STATUS_IO);
    argument_free(&a);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_error("", "expected TYPE:VALUE");
    expect_error("5", "types are u8, i8");
    expect_error("i33:5", "expected TYPE:VALUE");
    expect_error("i32", "expected TYPE:VALUE");
    expect_error("i32:", "'' is not a value of type i32");
    expect_error("i32:1.5", "'1.5' is not a value of type i32");
    expect_error("i8:128", "'128' is not a value of type i8");
    expect_error("f32:one", "'one' is not a value of type f32");
    expect_error("f32[4]", "expected TYPE[COUNT]=PATTERN");
    expect_error("f32[4=zero", "expected TYPE[COUNT]=PATTERN");
    expect_error("f32[]=zero", "COUNT");
    expect_error("f32[0]=zero", "COUNT");
    expect_error("f32[-1]=zero", "COUNT");
    expect_error("f32[99999999999999]=zero", "COUNT");
    expect_error("f32[4]=zeros", "'zeros' is no pattern");
    expect_error("f32[4]=", "is no pattern");
    expect_error("i32[4]=1.5", "is no pattern");
    expect_error("f32[4]=seed:", "seed:N");
    expect_error("f32[4]=seed:x", "seed:N");
    expect_error("f32[4]=seed:1%0", "seed:N%M");
    expect_error("f32[4]=file:", "a file name is missing");
    expect_error("f32[4]=zero>", "a file name is missing");
    expect_error("hex:", "hexadecimal");
    expect_error("hex:123", "hexadecimal");
    expect_error("hex:xy", "hexadecimal");
}

UNIT_TESTS(UNIT(scalars_have_their_bytes_in_memory_order), UNIT(arrays_are_filled_by_their_pattern),
           UNIT(files_are_named_behind_the_pattern), UNIT(a_file_must_have_the_size_of_the_array),
           UNIT(mistakes_are_named))
