#include <unistd.h>

#include "config/config.h"
#include "config/option.h"
#include "tests/temporary.h"

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

static void a_value_may_have_a_unit_and_a_key_another_name(void **state)
{
    (void)state;
    load("rtx-a6000");
    set("l2.size=12MiB");
    assert_int_equal(config.l2.size, 12 << 20);
    set("l2.size=6.5 MiB");
    assert_int_equal(config.l2.size, 13 << 19);
    set("l2.size=8000kB");
    assert_int_equal(config.l2.size, 8000000);
    set("gpu.clock=2GHz");
    assert_true(config.gpu.clock == 2000);
    set("gpu.clock=1755MHz");
    assert_true(config.gpu.clock == 1755);
    set("dram.bandwidth=3.35TB/s");
    assert_true(config.dram.bandwidth == 3350);
    set("gpu.memory=512MiB");
    assert_true(config.gpu.memory == 0.5);
    set("sm.warps=32 warp");
    assert_int_equal(config.sm.warps, 32);
    set("l1.size=128KiB");
    assert_int_equal(config.sm.unified, 128 << 10);
    set("memory.bandwidth=900GB/s");
    assert_true(config.dram.bandwidth == 900);
    refuse("l2.size=12MHz",
           "'l2.size=12MHz': expected a whole number from 65536 to 268435456 (byte); a unit may follow: "
           "B, kB, MB, GB, KiB, MiB, GiB");
    refuse("l2.size=65536.5B", "'l2.size=65536.5B': expected a whole number from 65536 to 268435456 (byte); a unit may "
                               "follow: B, kB, MB, GB, KiB, MiB, GiB");
    refuse("gpu.frequency=2MB", "'gpu.frequency=2MB': expected a number from 100 to 5000 (MHz); a unit may follow: Hz, "
                                "kHz, MHz, GHz");
    refuse("gpu.clock=1.2.3GHz",
           "'gpu.clock=1.2.3GHz': expected a number from 100 to 5000 (MHz); a unit may follow: Hz, "
           "kHz, MHz, GHz");
    refuse("sm.warps=32MiB", "'sm.warps=32MiB': expected a whole number from 4 to 64 (warp)");
}

static void a_wrong_setting_says_what_is_wrong(void **state)
{
    (void)state;
    config_defaults(&config);
    refuse("gpu.sms=0", "'gpu.sms=0': expected a whole number from 1 to 256 (SM)");
    refuse("gpu.sm=1", "'gpu.sm=1': [gpu] has no key 'sm', did you mean gpu.sms?");
    refuse("g.sms=1", "'g.sms=1': there is no section [g], did you mean gpu.sms?");
    refuse("sms=1", "'sms=1': expected section.key=value, did you mean gpu.sms?");
    refuse("latency=1", "'latency=1': expected section.key=value");
    refuse("g.latency=1", "'g.latency=1': there is no section [g]");
    refuse("gpu.sms", "'gpu.sms': expected section.key=value");
    refuse("sms=gpu.1", "'sms=gpu.1': expected section.key=value, did you mean gpu.sms?");
    refuse("", "'': expected section.key=value");
}

static void the_closest_key_is_suggested(void **state)
{
    (void)state;
    refuse("l2.sizee=1", "'l2.sizee=1': [l2] has no key 'sizee', did you mean l2.size?");
    refuse("cor.rfc=1", "'cor.rfc=1': there is no section [cor], did you mean core.rfc?");
    refuse("l2.rfc=1", "'l2.rfc=1': [l2] has no key 'rfc', did you mean core.rfc?");
    refuse("coree.alu_latencies=1", "'coree.alu_latencies=1': there is no section [coree], did you mean "
                                    "core.alu_latency?");
    refuse("l2.vl_block=1", "'l2.vl_block=1': [l2] has no key 'vl_block', did you mean constant.vl_block?");
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

static void refuse_file(const char *text, const char *expected)
{
    char path[TEMPORARY_PATH], whole[TEMPORARY_PATH + 512];
    FILE *file = fdopen(temporary_open(path), "w");
    fputs(text, file);
    fclose(file);
    status = (struct status){0};
    bool ok = config_load(&config, path, &status);
    unlink(path);
    assert_false(ok);
    assert_int_equal(status.code, STATUS_CONFIG);
    snprintf(whole, sizeof whole, "%s: %s", path, expected);
    assert_string_equal(status.text, whole);
}

static void a_file_with_other_sms_than_its_gpcs_have_is_refused_with_both_numbers(void **state)
{
    (void)state;
    static const unsigned other[] = {107, 109};
    for (unsigned i = 0; i < 2; i++) {
        char text[128], expected[256];
        snprintf(text, sizeof text, "inherits = \"a100\"\n[gpu]\nsms = %u\n", other[i]);
        snprintf(
            expected, sizeof expected,
            "gpu.sms = %u, but the GPCs of gpu.gpcs = \"16 16 16 16 16 14 14\" have 108 SMs: give gpu.gpcs the SMs "
            "of each GPC, or \"\", which deals them evenly",
            other[i]);
        refuse_file(text, expected);
    }
}

static void a_setting_may_take_a_part_of_the_chip(void **state)
{
    (void)state;
    load("a100");
    set("gpu.sms=107");
    assert_true(config_check(&config, &status));
    set("gpu.sms=109");
    assert_false(config_check(&config, &status));
    assert_non_null(strstr(status.text, "has room for 108 SMs, gpu.sms = 109"));
}

static void a_contradiction_in_a_file_names_it_and_what_it_could_inherit(void **state)
{
    (void)state;
    refuse_file("inherits = \"sm_86\"\n[sm]\nshared = 131073\n", "sm.shared = 131073 is more than sm.unified = 131072");
    refuse_file("[sm]\nshared = 131073\n", "sm.shared = 131073 is more than sm.unified = 131072; keys that the file "
                                           "leaves out are those of an RTX A6000, since it does not begin with "
                                           "inherits = \"sm_90\" or another architecture or GPU");
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
           UNIT(a_value_may_have_a_unit_and_a_key_another_name), UNIT(a_wrong_setting_says_what_is_wrong),
           UNIT(the_closest_key_is_suggested),
           UNIT(a_file_with_other_sms_than_its_gpcs_have_is_refused_with_both_numbers),
           UNIT(a_setting_may_take_a_part_of_the_chip),
           UNIT(a_contradiction_in_a_file_names_it_and_what_it_could_inherit), UNIT(relations_between_keys_are_checked))
