#include "report/metrics.h"
#include "report/report.h"

#include "tests/report/sample.h"
#include "tests/unit.h"

enum { MOST = 1 << 16 };

static char *print(const struct kernel_result *r)
{
    char *text = calloc(1, MOST);
    assert_non_null(text);
    FILE *out = fmemopen(text, MOST, "w");
    assert_non_null(out);
    struct config config;
    config_defaults(&config);
    report_text(r, &config, out);
    fclose(out);
    return text;
}

/* At most one screen, no trailing spaces, printable ASCII only. */
static void check_screen(const char *text)
{
    unsigned lines = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        assert_true(length <= 100);
        assert_true(length == 0 || text[length - 1] != ' ');
        for (size_t i = 0; i < length; i++)
            assert_true(text[i] >= ' ' && text[i] <= '~');
        assert_int_equal(text[length], '\n');
        text += length + 1;
        lines++;
    }
    assert_true(lines <= 45);
}

static void it_fits_a_screen(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct kernel_result r = sample(seed);
        r.complete = seed % 2;
        r.local_bytes = 123;
        char *text = print(&r);
        check_screen(text);
        free(text);
    }
    struct kernel_result r = sample_empty();
    memset(r.kernel, 'k', sizeof r.kernel - 1);
    char *text = print(&r);
    check_screen(text);
    free(text);
}

static void large_values_fit_a_screen(void **state)
{
    (void)state;
    struct kernel_result r = sample(1);
    uint64_t *values = (uint64_t *)&r.sm;
    for (size_t i = 0; i < sizeof r.sm / sizeof *values; i++)
        values[i] *= 1000000;
    r.cycles = r.sm_active_min = r.sm_active_max = 999999999999;
    r.ctas = r.ctas_done = 9999999999;
    r.mem.dram_bytes_read = r.mem.dram_bytes_written = 999999999999;
    r.grid[0] = INT32_MAX;
    r.grid[1] = r.grid[2] = 65535;
    r.block[1] = r.block[2] = 10;
    r.host_seconds = 123456;
    char *text = print(&r);
    check_screen(text);
    free(text);
}

/* The printed shares of the warp states, in tenths. The last row may be the sum of those that have none. */
static unsigned sum_of_states(const char *text, unsigned *rows)
{
    unsigned sum = 0, last = 1000;
    const char *row = strstr(text, "Warp states");
    for (row = strchr(row, '\n') + 1; *row != '\n'; row = strchr(row, '\n') + 1) {
        unsigned whole, tenth;
        assert_int_equal(sscanf(row, " %*s %u.%u", &whole, &tenth), 2);
        sum += 10 * whole + tenth;
        *rows += 1;
        if (strncmp(row, "  others ", 9) == 0)
            continue;
        assert_true(10 * whole + tenth <= last);
        last = 10 * whole + tenth;
    }
    return sum;
}

static unsigned sum_of_classes(const char *text)
{
    unsigned sum = 0, found = 0;
    const char *rows = strstr(text, "Scheduler cycles"), *end = strstr(rows, "\n\n");
    for (unsigned c = 0; c < CYCLE_CLASS_COUNT; c++) {
        char label[32];
        snprintf(label, sizeof label, "  %s ", cycle_class_label((enum cycle_class)c));
        const char *at = strstr(rows, label);
        unsigned whole, tenth;
        if (!at || at > end)
            continue;
        assert_int_equal(sscanf(at + strlen(label), "%u.%u", &whole, &tenth), 2);
        sum += 10 * whole + tenth;
        found++;
    }
    assert_true(found >= 2);
    return sum;
}

static void printed_shares_are_sorted_and_sum_to_one_hundred(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct kernel_result r = sample(seed);
        char *text = print(&r);
        unsigned rows = 0;
        assert_int_equal(sum_of_states(text, &rows), 1000);
        assert_in_range(rows, 1, 13);
        assert_int_equal(sum_of_classes(text), 1000);
        free(text);
    }
}

static void a_functional_run_prints_no_cycles(void **state)
{
    (void)state;
    struct kernel_result r = sample(1);
    r.detailed = false;
    char *text = print(&r);
    check_screen(text);
    assert_null(strstr(text, "Elapsed"));
    assert_null(strstr(text, "Warp states"));
    assert_non_null(strstr(text, "1,234,567"));
    free(text);
}

static void a_stopped_run_says_so(void **state)
{
    (void)state;
    struct kernel_result r = sample(1);
    char *text = print(&r);
    assert_null(strstr(text, "INCOMPLETE"));
    free(text);
    r.complete = false;
    r.ctas_done = 12;
    text = print(&r);
    assert_non_null(strstr(text, "INCOMPLETE: ended after 12 of 256 CTAs"));
    free(text);
}

UNIT_TESTS(UNIT(it_fits_a_screen), UNIT(large_values_fit_a_screen),
           UNIT(printed_shares_are_sorted_and_sum_to_one_hundred), UNIT(a_functional_run_prints_no_cycles),
           UNIT(a_stopped_run_says_so))
