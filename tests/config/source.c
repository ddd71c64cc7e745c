#include "config/source.h"

#include "tests/temporary.h"

static struct config config;
static struct config_origin origin;
static char path[TEMPORARY_PATH];

static void write_file(const char *text)
{
    FILE *file = fdopen(temporary_open(path), "w");
    fputs(text, file);
    fclose(file);
}

static void load(const char *gpu)
{
    struct status status = {0};
    if (!config_load(&config, gpu, &status))
        fail_msg("%s", status.text);
    config_origin_open(&origin, gpu);
}

static struct config_value value_of(const char *section, const char *key)
{
    struct config_value v;
    for (size_t i = 0; config_value_at(&config, &origin, i, &v); i++)
        if (strcmp(v.section, section) == 0 && strcmp(v.key, key) == 0)
            return v;
    fail_msg("there is no %s.%s", section, key);
    return v;
}

static void expect(const char *section, const char *key, const char *from, const char *source)
{
    struct config_value v = value_of(section, key);
    assert_int_equal(strncmp(v.from, from, sizeof v.from - 1), 0); /* a long path is cut */
    assert_string_equal(v.source, source);
}

static void a_value_has_the_file_that_gives_it_and_the_comment_there(void **state)
{
    (void)state;
    load("a100");
    expect("gpu", "chip", "a100", "A100 white paper");
    expect("core", "fp32_lite", "sm_80", "A100 white paper: 64 FP32 lanes an SM");
    expect("core", "read_window", "sm_86", "MICRO 2025 paper, section 5");
    assert_string_equal(value_of("gpu", "sms").text, "108");
    assert_string_equal(value_of("gpu", "sms").unit, "SM");
    config_origin_close(&origin);
}

static void a_file_of_ones_own_has_its_own_comments_above_those_that_it_inherits(void **state)
{
    (void)state;
    write_file("inherits = \"a100\"\n[gpu]\nsms = 4   # counted: assumed to be right\ngpcs = \"4\"\nclock = 1000\n");
    load(path);
    unlink(path);
    expect("gpu", "sms", path, "counted: assumed to be right");
    expect("gpu", "clock", path, "");
    expect("gpu", "chip", "a100", "A100 white paper");
    assert_true(value_of("gpu", "sms").assumed);
    assert_false(value_of("gpu", "clock").assumed);
    config_origin_close(&origin);
}

static void a_default_has_the_source_of_the_rtx_a6000(void **state)
{
    (void)state;
    write_file("[gpu]\nsms = 4\n");
    load(path);
    unlink(path);
    expect("core", "read_window", "default", "MICRO 2025 paper, section 5");
    expect("gpu", "chip", "default", "");
    assert_true(value_of("l2", "ways").assumed);
    config_origin_close(&origin);
}

static void a_printed_configuration_keeps_its_sources_and_no_sentence_is_taken_for_one(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    load("a100");
    config_origin_close(&origin);
    config_print(&config, "a100", out);
    fclose(out);
    write_file(text);
    free(text);
    load(path);
    expect("gpu", "chip", path, "a100: A100 white paper");
    expect("gpu", "sms", path, "a100: A100 white paper");
    config_origin_close(&origin);
    unlink(path);
    write_file("[gpu]\nsms = 4 # SM: streaming multiprocessors\nchip = \"X\" # name of the chip\n");
    load(path);
    expect("gpu", "sms", path, "");
    expect("gpu", "chip", path, "");
    config_origin_close(&origin);
    unlink(path);
}

static void what_was_set_is_told_from_what_was_loaded(void **state)
{
    (void)state;
    struct status status = {0};
    load("a100");
    assert_true(config_set(&config, "gpu.sms=7", &status));
    assert_true(config_set(&config, "gpu.clock=1410", &status));
    expect("gpu", "sms", "set", "");
    expect("gpu", "clock", "a100", "A100 white paper: boost clock");
    config_origin_close(&origin);
}

static void nothing_is_known_of_a_file_that_is_not_there(void **state)
{
    (void)state;
    config_defaults(&config);
    config_origin_open(&origin, "./missing.toml");
    expect("gpu", "sms", "", "");
    config_origin_close(&origin);
}

static void every_key_has_something_that_would_settle_it(void **state)
{
    (void)state;
    struct config_value v;
    load("a100");
    for (size_t i = 0; config_value_at(&config, &origin, i, &v); i++)
        if (!config_settled_by(v.section, v.key))
            fail_msg("settle.def has no row for %s.%s", v.section, v.key);
    assert_null(config_settled_by("gp", "sms"));
    assert_string_equal(config_settled_by("core", "tensor_f16_latency"),
                        "experiment tensor-latency, with the instruction of the key");
    config_origin_close(&origin);
}

static void the_count_of_values_is_that_of_the_walk(void **state)
{
    (void)state;
    struct config_value v;
    size_t count = 0;
    load("a100");
    while (config_value_at(&config, &origin, count, &v))
        count++;
    assert_int_equal(count, config_value_count());
    config_origin_close(&origin);
}

UNIT_TESTS(UNIT(a_value_has_the_file_that_gives_it_and_the_comment_there),
           UNIT(a_file_of_ones_own_has_its_own_comments_above_those_that_it_inherits),
           UNIT(a_default_has_the_source_of_the_rtx_a6000),
           UNIT(a_printed_configuration_keeps_its_sources_and_no_sentence_is_taken_for_one),
           UNIT(what_was_set_is_told_from_what_was_loaded), UNIT(nothing_is_known_of_a_file_that_is_not_there),
           UNIT(every_key_has_something_that_would_settle_it), UNIT(the_count_of_values_is_that_of_the_walk))
