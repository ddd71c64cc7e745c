/* DRAM standards: files that dram.kind names, and single numbers that are changed behind it. */
#include "config/source.h"

#include "tests/temporary.h"

static struct config config;
static char standard[TEMPORARY_PATH], gpu[TEMPORARY_PATH];

static void write_file(char path[TEMPORARY_PATH], const char *text)
{
    FILE *file = fdopen(temporary_open(path), "w");
    fputs(text, file);
    fclose(file);
}

static void load(const char *name)
{
    struct status status = {0};
    if (!config_load(&config, name, &status))
        fail_msg("%s", status.text);
}

static void set(const char *assignment)
{
    struct status status = {0};
    if (!config_set(&config, assignment, &status))
        fail_msg("%s", status.text);
}

static void refuse(const char *text, const char *expected)
{
    struct status status = {0};
    write_file(gpu, text);
    assert_false(config_load(&config, gpu, &status));
    unlink(gpu);
    if (strstr(status.text, expected) == NULL)
        fail_msg("%s", status.text);
}

static void a_gpu_has_the_numbers_of_the_standard_that_it_names(void **state)
{
    (void)state;
    load("h100-sxm");
    assert_string_equal(config.dram.kind, "HBM3");
    assert_string_equal(config.standard.name, "HBM3");
    assert_true(config.standard.tCCD_L_ns == 2.5 && config.standard.tCCD_L_ck == 4);
    assert_true(config.standard.row_bus);
    load("t4");
    assert_int_equal(config.standard.channel_bits, 16);
    assert_false(config.standard.row_bus);
}

static void another_standard_brings_all_its_numbers(void **state)
{
    (void)state;
    load("t4");
    set("standard.tRP_ns=99");
    assert_true(config.standard.tRP_ns == 99);
    set("dram.kind=hbm2e"); /* letters of either case */
    assert_true(config.standard.tRP_ns == 15);
    assert_string_equal(config.standard.name, "HBM2e");
    assert_int_equal(config.standard.channel_bits, 128);
}

static void a_gpu_with_a_new_dram_is_two_files(void **state)
{
    (void)state;
    char text[TEMPORARY_PATH + 128];
    struct status status = {0};
    struct config_origin origin;
    struct config_value v;
    bool found = false;
    write_file(standard, "[standard]\nname = \"HBM9\"\nRL_ns = 9 # a data sheet\ntRP_ns = 7\npseudo = 2\n");
    const char *beside = strrchr(standard, '/') + 1;
    snprintf(text, sizeof text, "inherits = \"h200\"\n[dram]\nkind = \"./%s\"\n[standard]\ntRP_ns = 8\n", beside);
    write_file(gpu, text);
    if (!config_load(&config, gpu, &status))
        fail_msg("%s", status.text);
    assert_string_equal(config.standard.name, "HBM9");
    assert_true(config.standard.RL_ns == 9 && config.standard.tRP_ns == 8);
    config_origin_open(&origin, gpu);
    for (size_t i = 0; config_value_at(&config, &origin, i, &v); i++) {
        if (strcmp(v.section, "standard") != 0 || strcmp(v.key, "RL_ns") != 0)
            continue;
        assert_string_equal(v.source, "a data sheet");
        found = true;
    }
    assert_true(found);
    config_origin_close(&origin);
    unlink(standard);
    unlink(gpu);
}

static void a_wrong_name_path_or_order_is_an_error(void **state)
{
    (void)state;
    refuse("[dram]\nkind = \"HBM9\"\n", ":2: dram.kind = \"HBM9\": there is no such standard; known are gddr6,");
    refuse("[dram]\nkind = \"missing.toml\"\n", "missing.toml: No such file");
    refuse("[standard]\ntRP_ns = 8\n[dram]\nkind = \"HBM2\"\n", ":4: dram.kind has to stand before [standard]");
    refuse("[standard]\ntRP_ns = 1e9\n", ":2: standard.tRP_ns = 1e9: expected a number from 0 to 1e+06 (ns)");
    write_file(standard, "[dram]\nchannels = 1\n");
    char text[TEMPORARY_PATH + 64];
    snprintf(text, sizeof text, "[dram]\nkind = \"./%s\"\n", strrchr(standard, '/') + 1);
    refuse(text, ":1: the file of a DRAM standard has one section, [standard]");
    unlink(standard);
}

UNIT_TESTS(UNIT(a_gpu_has_the_numbers_of_the_standard_that_it_names), UNIT(another_standard_brings_all_its_numbers),
           UNIT(a_gpu_with_a_new_dram_is_two_files), UNIT(a_wrong_name_path_or_order_is_an_error))
