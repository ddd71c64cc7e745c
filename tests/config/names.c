/* Whether the comment behind each value names a source: docs/sources.md lists the kinds that count. */
#include "base/file.h"
#include "config/source.h"
#include "tests/unit.h"

enum { NAMES = 128 };

static char names[NAMES][64];
static size_t count;

/* The texts in backquotes in the first column of a row. */
static void read_row(const char *row)
{
    const char *bar = strchr(row + 1, '|');
    for (const char *at = strchr(row, '`'); at && bar && at < bar; at = strchr(at, '`')) {
        size_t length = strcspn(++at, "`");
        assert_true(count < NAMES && length < sizeof names[0]);
        snprintf(names[count++], sizeof names[0], "%.*s", (int)length, at);
        at += length + 1;
    }
}

static int read_names(void **state)
{
    (void)state;
    char path[4096];
    struct file_bytes bytes;
    struct status status = {0};
    if (!file_read(unit_path(path, "docs/sources.md"), 1 << 20, &bytes, &status))
        return -1;
    char *text = strndup((const char *)bytes.data, bytes.size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (line[0] == '|')
            read_row(line);
    free(text);
    file_free(&bytes);
    return 0;
}

static bool names_a_source(const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

/* "assumed: reason" whole or behind another clause, "(assumed)" behind a part that is taken from a source. */
static bool gives_a_reason(const char *text)
{
    const char *word = strstr(text, "assumed");
    if (!word)
        return false;
    if (word > text && word[-1] == '(' && word[7] == ')')
        return names_a_source(text);
    return strncmp(word, "assumed: ", 9) == 0 && strlen(word + 9) >= 5;
}

static bool is_source(const char *text)
{
    return strstr(text, "assumed") ? gives_a_reason(text) : names_a_source(text);
}

static void what_counts_as_a_source(void **state)
{
    (void)state;
    assert_true(count > 20);
    assert_true(is_source("A100 white paper: 5120 bytes a cycle"));
    assert_true(is_source("so that a hit takes 235 cycles, as measured on TU102 at 1455 MHz"));
    assert_true(is_source("assumed: as A100"));
    assert_true(is_source("measured on TU102: 25; assumed: the same here"));
    assert_true(is_source("product data sheet: 40 GB, less what the driver keeps (assumed)"));
    assert_false(is_source(""));
    assert_false(is_source("assumed"));
    assert_false(is_source("assumed; gives 256 sets"));
    assert_false(is_source("40 GB (assumed)"));
    assert_false(is_source("measured"));
    assert_false(is_source("so that a hit takes 235 cycles"));
    assert_false(is_source("five stacks of eight channels"));
}

static void every_value_of_every_gpu_names_its_source(void **state)
{
    (void)state;
    unsigned without = 0;
    for (size_t g = 0; g < config_gpu_count(); g++) {
        struct config config;
        struct config_origin origin;
        struct config_value v;
        struct status status = {0};
        assert_true(config_load(&config, config_gpu_name(g), &status));
        config_origin_open(&origin, config_gpu_name(g));
        for (size_t i = 0; config_value_at(&config, &origin, i, &v); i++) {
            if (strcmp(v.from, "default") != 0 && is_source(v.source))
                continue;
            print_error("%s: %s.%s = %s has no source (docs/sources.md): %s: '%s'\n", config_gpu_name(g), v.section,
                        v.key, v.text, v.from, v.source);
            without++;
        }
        config_origin_close(&origin);
    }
    assert_int_equal(without, 0);
}

static void every_name_is_used(void **state)
{
    (void)state;
    bool used[NAMES] = {false};
    for (size_t g = 0; g < config_gpu_count(); g++) {
        struct config config;
        struct config_origin origin;
        struct config_value v;
        struct status status = {0};
        assert_true(config_load(&config, config_gpu_name(g), &status));
        config_origin_open(&origin, config_gpu_name(g));
        for (size_t i = 0; config_value_at(&config, &origin, i, &v); i++)
            for (size_t n = 0; n < count; n++)
                used[n] |= strstr(v.source, names[n]) != NULL;
        config_origin_close(&origin);
    }
    for (size_t n = 0; n < count; n++)
        if (!used[n])
            fail_msg("docs/sources.md lists '%s', which no configuration uses", names[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {UNIT(what_counts_as_a_source), UNIT(every_value_of_every_gpu_names_its_source),
                                       UNIT(every_name_is_used)};
    return cmocka_run_group_tests(tests, read_names, NULL);
}
