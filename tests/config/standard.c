/* DRAM standards: files that dram.kind names, and single numbers that are changed behind it. */
#include <string.h>

#include "base/embed.h"
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

static const char *text_of(const char *name)
{
    size_t count;
    const struct embedded *all = embedded_standards(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return (const char *)all[i].data;
    fail_msg("no standard %s", name);
    return NULL;
}

/* Writes HBM3 without the keys of `without`, words with a space on either side, and with `lines` behind. */
static void write_standard(const char *without, const char *lines)
{
    FILE *file = fdopen(temporary_open(standard), "w");
    for (const char *line = text_of("hbm3"), *next; *line; line = next) {
        char word[64];
        next = strchr(line, '\n') + 1;
        snprintf(word, sizeof word, " %.*s ", (int)strcspn(line, " \n"), line);
        if (strstr(without, word) == NULL)
            fprintf(file, "%.*s", (int)(next - line), line);
    }
    fputs(lines, file);
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
    write_standard(" name RL_ns tRP_ns ", "name = \"HBM9\"\nRL_ns = 9 # a data sheet\ntRP_ns = 7\n");
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
    refuse("[dram]\nkind = \"HBM9\"\n",
           ":2: dram.kind = \"HBM9\": there is no such standard; known are gddr5, gddr5x,");
    refuse("[dram]\nkind = \"missing.toml\"\n", "missing.toml: No such file");
    refuse("[standard]\ntRP_ns = 8\n[dram]\nkind = \"HBM2\"\n", ":4: dram.kind has to stand before [standard]");
    refuse("[standard]\ntRP_ns = 1e9\n", ":2: standard.tRP_ns = 1e9: expected a number from 0 to 2000 (ns)");
    write_file(standard, "[dram]\nchannels = 1\n");
    char text[TEMPORARY_PATH + 64];
    snprintf(text, sizeof text, "[dram]\nkind = \"./%s\"\n", strrchr(standard, '/') + 1);
    refuse(text, ":1: the file of a DRAM standard has one section, [standard]");
    unlink(standard);
}

static void a_number_that_the_file_of_a_standard_leaves_out_is_an_error(void **state)
{
    (void)state;
    char text[TEMPORARY_PATH + 128], kind[TEMPORARY_PATH + 32];
    struct status status = {0};
    write_standard(" tRP_ns ", "");
    const char *name = strrchr(standard, '/') + 1;
    snprintf(text, sizeof text, "inherits = \"h200\"\n[dram]\nkind = \"./%s\"\n", name);
    refuse(text, name);
    refuse(text, "standard.tRP_ns");
    load("h200");
    snprintf(kind, sizeof kind, "dram.kind=%s", standard);
    assert_false(config_set(&config, kind, &status));
    assert_non_null(strstr(status.text, "standard.tRP_ns"));
    unlink(standard);
}

static void a_gpu_may_give_the_number_that_the_file_of_its_standard_leaves_out(void **state)
{
    (void)state;
    char text[TEMPORARY_PATH + 128];
    write_standard(" tRP_ns ", "");
    snprintf(text, sizeof text, "inherits = \"h200\"\n[dram]\nkind = \"./%s\"\n[standard]\ntRP_ns = 8\n",
             strrchr(standard, '/') + 1);
    write_file(gpu, text);
    load(gpu);
    assert_true(config.standard.tRP_ns == 8);
    unlink(gpu);
    unlink(standard);
}

/* GDDR6: 120 ns for all banks, and of 16 banks 16 ns each. */
static void refreshes_may_take_half_of_their_interval_and_no_more(void **state)
{
    (void)state;
    struct status status = {0};
    load("rtx-a6000");
    assert_true(config_set(&config, "standard.tREFI_ns=512", &status) && config_check(&config, &status));
    assert_true(config_set(&config, "standard.tREFI_ns=511.9", &status));
    assert_false(config_check(&config, &status));
    assert_non_null(strstr(status.text, "standard.tREFI: 511.9 ns are less than twice the 256 ns"));
}

/* GDDR6: 15 ns to close a row; then the column of another one. */
static void a_refresh_leaves_time_to_open_a_row_and_to_reach_its_column(void **state)
{
    (void)state;
    struct status status = {0};
    load("rtx-a6000");
    assert_true(config_set(&config, "standard.tRCDRD_ns=935", &status) && config_check(&config, &status));
    assert_true(config_set(&config, "standard.tRCDRD_ns=935.1", &status));
    assert_false(config_check(&config, &status));
    assert_non_null(strstr(status.text, "standard.tREFI: 1900 ns are less than twice the 950.1 ns"));
}

UNIT_TESTS(UNIT(a_refresh_leaves_time_to_open_a_row_and_to_reach_its_column),
           UNIT(refreshes_may_take_half_of_their_interval_and_no_more),
           UNIT(a_gpu_has_the_numbers_of_the_standard_that_it_names), UNIT(another_standard_brings_all_its_numbers),
           UNIT(a_gpu_with_a_new_dram_is_two_files), UNIT(a_wrong_name_path_or_order_is_an_error),
           UNIT(a_number_that_the_file_of_a_standard_leaves_out_is_an_error),
           UNIT(a_gpu_may_give_the_number_that_the_file_of_its_standard_leaves_out))
