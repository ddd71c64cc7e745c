#include <unistd.h>

#include "base/json.h"
#include "config/option.h"
#include "tests/temporary.h"

static struct config config;

static void load(const char *gpu)
{
    struct status status = {0};
    if (!config_load(&config, gpu, &status))
        fail_msg("%s", status.text);
}

static char *printed(const char *gpu)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    config_print(&config, gpu, out);
    fclose(out);
    return text;
}

/* Loads `text` as a file. */
static void load_text(const char *text)
{
    char path[TEMPORARY_PATH];
    FILE *file = fdopen(temporary_open(path), "w");
    fputs(text, file);
    fclose(file);
    load(path);
    unlink(path);
}

static void what_is_printed_reads_back_to_the_same_values_for_every_gpu(void **state)
{
    (void)state;
    for (size_t i = 0; i < config_gpu_count(); i++) {
        load(config_gpu_name(i));
        struct config before = config;
        char *text = printed(config_gpu_name(i));
        load_text(text);
        assert_true(config_hash(&config) == config_hash(&before));
        for (size_t s = 0; s < OPTION_SECTIONS; s++)
            for (size_t o = 0; o < option_section(s).count; o++) {
                char a[OPTION_VALUE], b[OPTION_VALUE];
                option_format(&option_section(s).options[o], &before, a);
                option_format(&option_section(s).options[o], &config, b);
                assert_string_equal(a, b);
            }
        free(text);
    }
}

static void a_real_number_survives_to_the_last_bit(void **state)
{
    (void)state;
    struct status status = {0};
    load("a100");
    assert_true(config_set(&config, "gpu.clock=1410.1000000000001", &status));
    double clock = config.gpu.clock;
    char *text = printed("a100");
    load_text(text);
    free(text);
    assert_true(config.gpu.clock == clock);
}

static void expect_line(const char *text, const char *start, const char *end)
{
    const char *line = strstr(text, start);
    assert_non_null(line);
    line++;
    size_t length = strcspn(line, "\n");
    assert_true(length > strlen(end));
    if (memcmp(line + length - strlen(end), end, strlen(end)) != 0)
        fail_msg("'%.*s' does not end in '%s'", (int)length, line, end);
}

static void a_line_tells_where_its_value_is_from(void **state)
{
    (void)state;
    struct status status = {0};
    load("a100");
    assert_true(config_set(&config, "core.rfc=off", &status));
    assert_true(config_set(&config, "gpu.sms=7", &status));
    char *text = printed("a100");
    expect_line(text, "\nrfc = false", "| set");
    expect_line(text, "\nsms = 7", "| set");
    expect_line(text, "\nchip = \"GA100\"", "| a100: A100 white paper");
    expect_line(text, "\nfp32_lite = false", "| sm_80: A100 white paper: 64 FP32 lanes an SM");
    expect_line(text, "\nread_window = 3", "| sm_86: MICRO 2025 paper, section 5");
    free(text);
}

static void a_file_from_elsewhere_has_no_sources(void **state)
{
    (void)state;
    load("a100");
    char *text = printed("./mine.toml");
    assert_null(strchr(text, '|'));
    free(text);
}

static void the_hash_changes_with_every_single_value(void **state)
{
    (void)state;
    config_defaults(&config);
    uint64_t before = config_hash(&config);
    for (size_t s = 0; s < OPTION_SECTIONS; s++)
        for (size_t o = 0; o < option_section(s).count; o++) {
            const struct option *option = &option_section(s).options[o];
            if (option->kind != OPTION_TEXT && option->low == option->high)
                continue;
            char value[OPTION_VALUE];
            snprintf(value, sizeof value, "%.17g", option->number == option->low ? option->high : option->low);
            if (option->kind == OPTION_BOOL)
                strcpy(value, option->number != 0 ? "off" : "on");
            if (option->kind == OPTION_TEXT)
                strcpy(value, "another");
            if (option->kind == OPTION_ENUM)
                strcpy(value, option->words[option->number == 0]);
            config_defaults(&config);
            assert_true(option_parse(option, value, &config));
            assert_true(config_hash(&config) != before);
        }
}

static void equal_values_have_equal_hashes(void **state)
{
    (void)state;
    struct status status = {0};
    load("h200");
    uint64_t before = config_hash(&config);
    assert_true(config_set(&config, "gpu.sms=1", &status));
    assert_true(config_hash(&config) != before);
    load("h200");
    assert_true(config_hash(&config) == before);
}

static void json_holds_every_section(void **state)
{
    (void)state;
    char *text;
    size_t size;
    struct json json;
    load("rtx-a6000");
    json_begin(&json, open_memstream(&text, &size));
    json_object(&json, NULL);
    config_json(&config, &json, "configuration");
    json_end(&json);
    fclose(json.out);
    assert_non_null(strstr(text, "\"configuration\": {\n    \"gpu\": {\n      \"name\": \"NVIDIA RTX A6000\","));
    assert_non_null(strstr(text, "\"sms\": 84,"));
    assert_non_null(strstr(text, "\"rfc\": true,"));
    for (size_t s = 0; s < OPTION_SECTIONS; s++)
        assert_non_null(strstr(text, option_section(s).name));
    free(text);
}

UNIT_TESTS(UNIT(what_is_printed_reads_back_to_the_same_values_for_every_gpu),
           UNIT(a_real_number_survives_to_the_last_bit), UNIT(a_line_tells_where_its_value_is_from),
           UNIT(a_file_from_elsewhere_has_no_sources), UNIT(the_hash_changes_with_every_single_value),
           UNIT(equal_values_have_equal_hashes), UNIT(json_holds_every_section))
