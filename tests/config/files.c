#include <unistd.h>

#include "config/config.h"
#include "config/option.h"
#include "tests/unit.h"

static struct config config;
static struct status status;

static void load(const char *gpu)
{
    status = (struct status){0};
    if (!config_load(&config, gpu, &status))
        fail_msg("%s", status.text);
}

static void set(const char *assignment)
{
    status = (struct status){0};
    assert_true(config_set(&config, assignment, &status));
}

static void refuse(const char *assignment, const char *expected)
{
    status = (struct status){0};
    assert_false(config_set(&config, assignment, &status));
    assert_int_equal(status.code, STATUS_CONFIG);
    assert_string_equal(status.text, expected);
}

static void every_embedded_gpu_loads_and_has_a_name(void **state)
{
    (void)state;
    assert_true(config_gpu_count() >= 15);
    for (size_t i = 0; i < config_gpu_count(); i++) {
        load(config_gpu_name(i));
        assert_true(strlen(config.gpu.name) > 0);
        assert_true(strlen(config.gpu.chip) > 0);
        if (i > 0)
            assert_true(strcmp(config_gpu_name(i - 1), config_gpu_name(i)) < 0);
    }
    assert_null(config_gpu_name(config_gpu_count()));
}

static void the_defaults_pass_the_check(void **state)
{
    (void)state;
    status = (struct status){0};
    config_defaults(&config);
    assert_true(config_check(&config, &status));
}

/* The keys that the architecture's file leaves to the GPU's, and the switches of [run], aside. */
static void the_defaults_are_those_of_the_rtx_a6000(void **state)
{
    (void)state;
    load("rtx-a6000");
    struct config file = config;
    config_defaults(&config);
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        for (size_t i = 0; i < section.count; i++) {
            const struct option *option = &section.options[i];
            char a[OPTION_VALUE], b[OPTION_VALUE];
            option_format(option, &file, a);
            option_format(option, &config, b);
            if (option->kind != OPTION_TEXT && strcmp(a, b) != 0)
                fail_msg("%s.%s: %s in the files, %s in options.def", section.name, option->key, a, b);
        }
    }
}

static void a_path_is_told_from_a_name(void **state)
{
    (void)state;
    char path[4096];
    load(unit_path(path, "configs/a100.toml"));
    struct config by_path = config;
    load("a100");
    assert_true(config_hash(&by_path) == config_hash(&config));
    status = (struct status){0};
    assert_false(config_load(&config, "missing.toml", &status));
    assert_int_equal(status.code, STATUS_IO);
    assert_string_equal(status.text, "missing.toml: No such file or directory");
}

static void an_unknown_gpu_is_an_error_that_lists_the_known(void **state)
{
    (void)state;
    status = (struct status){0};
    assert_false(config_load(&config, "h2000", &status));
    assert_int_equal(status.code, STATUS_CONFIG);
    assert_non_null(strstr(status.text, "no GPU named 'h2000'; known are a100"));
    assert_non_null(strstr(status.text, "rtx-a6000"));
}

static void one_key_can_be_set(void **state)
{
    (void)state;
    config_defaults(&config);
    set("gpu.sms=5");
    set("core.rfc=off");
    set("gpu.name=My GPU = mine");
    set("dram.bandwidth=1000.5");
    assert_int_equal(config.gpu.sms, 5);
    assert_false(config.core.rfc);
    assert_string_equal(config.gpu.name, "My GPU = mine");
    assert_true(config.dram.bandwidth == 1000.5);
}

static void a_wrong_setting_says_what_is_wrong(void **state)
{
    (void)state;
    config_defaults(&config);
    refuse("gpu.sms=0", "'gpu.sms=0': expected a whole number from 1 to 256 (SM)");
    refuse("gpu.sm=1", "'gpu.sm=1': [gpu] has no key 'sm'");
    refuse("g.sms=1", "'g.sms=1': there is no section [g]");
    refuse("sms=1", "'sms=1': expected section.key=value");
    refuse("gpu.sms", "'gpu.sms': expected section.key=value");
    refuse("sms=gpu.1", "'sms=gpu.1': expected section.key=value");
    refuse("", "'': expected section.key=value");
}

static void inconsistent(const char *assignment, const char *part)
{
    config_defaults(&config);
    set(assignment);
    assert_false(config_check(&config, &status));
    assert_int_equal(status.code, STATUS_CONFIG);
    if (!strstr(status.text, part))
        fail_msg("'%s' does not contain '%s'", status.text, part);
}

static void relations_between_keys_are_checked(void **state)
{
    (void)state;
    inconsistent("l2.size=6291457", "l2.size = 6291457 is not a multiple");
    inconsistent("l2.ways=7", "l2.ways * 128");
    inconsistent("l2.fetch_sectors=3", "l2.fetch_sectors = 3 is not 1, 2 or 4");
    inconsistent("sm.shared=131073", "more than sm.unified");
    inconsistent("sm.shared=131072", "leaves no L1 set");
    inconsistent("sm.shared_per_cta=102000", "sm.shared_per_cta = 102000");
    inconsistent("sm.warps=46", "sm.warps = 46");
    inconsistent("sm.threads=1537", "sm.threads = 1537");
    inconsistent("sm.registers=65535", "sm.registers = 65535");
    inconsistent("icache.line=96", "icache.line = 96");
    inconsistent("constant.vl_block=48", "constant.vl_block = 48");
    inconsistent("constant.vl_block=128", "constant.vl_block = 128 is more than constant.line = 64");
    inconsistent("lsu.constant_latency=9", "lsu.constant_latency = 9 is not more than lsu.to_shared_part = 9");
    inconsistent("lsu.constant_latency_vector=9", "lsu.constant_latency_vector = 9 is not more");
    inconsistent("lsu.return_bytes=10", "lsu.return_bytes = 10 is too slow for lsu.pending = 128 loads");
    inconsistent("lsu.shared_return_bytes=5", "lsu.shared_return_bytes = 5 is too slow for lsu.pending = 128 loads");
    inconsistent("shared.pass_interval=4", "shared.pass_interval = 4 and shared.group_interval = 1 are too slow");
    inconsistent("l15.line=96", "l15.line = 96 is not a multiple of icache.line = 128");
}

UNIT_TESTS(UNIT(every_embedded_gpu_loads_and_has_a_name), UNIT(the_defaults_pass_the_check),
           UNIT(the_defaults_are_those_of_the_rtx_a6000), UNIT(a_path_is_told_from_a_name),
           UNIT(an_unknown_gpu_is_an_error_that_lists_the_known), UNIT(one_key_can_be_set),
           UNIT(a_wrong_setting_says_what_is_wrong), UNIT(relations_between_keys_are_checked))
