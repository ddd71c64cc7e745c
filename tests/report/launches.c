#include "report/launches.h"

#include "tests/report/sample.h"
#include "tests/unit.h"

static struct launch_record record(const char *kernel, uint64_t cycles)
{
    struct launch_record r = {.process = 100, .result = sample(cycles)};
    r.kernel_hash = hash_bytes(HASH_SEED, kernel, strlen(kernel));
    snprintf(r.name, sizeof r.name, "%s", kernel);
    snprintf(r.result.kernel, sizeof r.result.kernel, "%s", kernel);
    r.result.cycles = cycles;
    r.result.detailed = cycles > 0;
    r.result.cluster[0] = r.result.cluster[1] = r.result.cluster[2] = 1;
    return r;
}

static void add(struct launches *launches, const struct launch_record *r) { assert_true(launches_add(launches, r)); }

/* Twice a with 3,000 and 1,800 cycles, b with 7,200, c functional and failed once. */
static struct launches some(void)
{
    struct launches l = {0};
    struct launch_record r = record("a", 3000);
    add(&l, &r);
    r = record("c", 0);
    add(&l, &r);
    r.process = 200;
    r.error = 719;
    snprintf(r.error_name, sizeof r.error_name, "CUDA_ERROR_LAUNCH_FAILED");
    add(&l, &r);
    r = record("b", 7200);
    r.end = 2;
    add(&l, &r);
    r = record("a", 1800);
    add(&l, &r);
    launches_sort(&l);
    return l;
}

static void sums_are_kept_for_each_kernel(void **state)
{
    (void)state;
    struct launches l = some();
    assert_int_equal(l.kernel_count, 3);
    assert_int_equal(l.count, 5);
    assert_int_equal(l.timed, 3);
    assert_int_equal(l.failed, 1);
    assert_int_equal(l.process_count, 2);
    assert_true(l.end == 2);
    const struct launch_sums *b = &l.kernels[0], *a = &l.kernels[1], *c = &l.kernels[2];
    assert_string_equal(b->name, "b");
    assert_string_equal(a->name, "a");
    assert_int_equal(a->launches, 2);
    assert_int_equal(a->timed, 2);
    assert_int_equal(a->cycles, 4800);
    assert_int_equal(a->cycles_min, 1800);
    assert_int_equal(a->cycles_max, 3000);
    assert_int_equal(a->longest, 0);
    assert_int_equal(b->longest, 3);
    assert_true(a->seconds > 4799 / 1.8e9 && a->seconds < 4801 / 1.8e9);
    assert_int_equal(c->launches, 2);
    assert_int_equal(c->timed, 0);
    assert_int_equal(c->failed, 1);
    assert_int_equal(c->error, 719);
    launches_free(&l);
}

static void the_longest_launch_is_a_timed_one_where_there_is_any(void **state)
{
    (void)state;
    struct launches l = {0};
    struct launch_record r = record("a", 0);
    r.result.warp_instructions = 5000000;
    add(&l, &r);
    r.result.warp_instructions = 6000000;
    add(&l, &r);
    assert_int_equal(l.kernels[0].longest, 1);
    r = record("a", 10);
    add(&l, &r);
    assert_int_equal(l.kernels[0].longest, 2);
    r = record("a", 9);
    add(&l, &r);
    r = record("a", 0);
    add(&l, &r);
    assert_int_equal(l.kernels[0].longest, 2);
    r = record("a", 11);
    add(&l, &r);
    assert_int_equal(l.kernels[0].longest, 5);
    launches_free(&l);
}

static char *printed(const struct launches *l)
{
    static char text[1 << 14];
    struct config config;
    struct status status = {0};
    assert_true(config_load(&config, "rtx-a6000", &status));
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    launches_print(l, &config, out);
    fclose(out);
    return text;
}

static void expect_lines(const char *text, const char *const *lines)
{
    for (; *lines; lines++)
        if (!strstr(text, *lines))
            fail_msg("no line '%s' in\n%s", *lines, text);
}

static void the_table_has_a_line_for_each_kernel(void **state)
{
    (void)state;
    struct launches l = some();
    expect_lines(printed(&l),
                 (const char *const[]){
                     "5 launches of 3 kernels in 2 processes on NVIDIA RTX A6000, sm_86, 84 SMs at 1,800 MHz\n\n",
                     "kernel                           launches    timed   cycles, total          mean         min  "
                     "       max    time\n",
                     "b                                       1        1           7,200       7,200.0       7,200  "
                     "     7,200  60.0 %\n",
                     "a                                       2        2           4,800       2,400.0       1,800  "
                     "     3,000  40.0 %\n",
                     "c                                       2        -               -             -           -  "
                     "         -       -\n",
                     "Simulated time of kernels: 6.67 us; 1 of 5 launches were only executed and have none\n",
                     "FAILED: 1 of 2 launches of c, with CUDA_ERROR_LAUNCH_FAILED (719)\n",
                     NULL,
                 });
    launches_free(&l);
}

static void functional_runs_have_no_time_in_the_table(void **state)
{
    (void)state;
    struct launches l = {0};
    struct launch_record r = record("a", 0);
    add(&l, &r);
    char *text = printed(&l);
    expect_lines(text, (const char *const[]){
                           "1 launch of 1 kernel on NVIDIA RTX A6000, sm_86, 84 SMs, functional: executed without time",
                           "a                                       1          1,234,567       1.50 s\n",
                           "\nSimulated in 1.50 s: 823.04 K warp instructions/s\n",
                           NULL,
                       });
    assert_null(strstr(text, "cycles"));
    assert_null(strstr(text, "Simulated time"));
    launches_free(&l);
}

static void runs_of_which_all_launches_failed_are_not_called_functional(void **state)
{
    (void)state;
    struct launches l = {0};
    struct launch_record r = record("a", 3000);
    r.result.complete = false;
    r.error = 700;
    snprintf(r.error_name, sizeof r.error_name, "CUDA_ERROR_ILLEGAL_ADDRESS");
    add(&l, &r);
    char *text = printed(&l);
    expect_lines(text, (const char *const[]){
                           "1 launch of 1 kernel on NVIDIA RTX A6000, sm_86, 84 SMs\n",
                           "FAILED: 1 of 1 launches of a, with CUDA_ERROR_ILLEGAL_ADDRESS (700)\n",
                           NULL,
                       });
    assert_null(strstr(text, "functional"));
    launches_free(&l);
}

static void lines_of_the_table_have_at_most_112_columns(void **state)
{
    (void)state;
    struct launches l = some();
    memset(l.kernels[0].name, 'k', sizeof l.kernels[0].name - 1);
    for (const char *line = printed(&l); *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 112);
    launches_free(&l);
}

/* The fields of a CSV line. Commas in quotes do not separate. */
static unsigned fields(const char *line)
{
    unsigned count = 1;
    bool quoted = false;
    for (; *line && *line != '\n'; line++) {
        quoted ^= *line == '"';
        count += *line == ',' && !quoted;
    }
    return count;
}

static void csv_lines_have_the_fields_of_their_heading(void **state)
{
    (void)state;
    static char text[1 << 16];
    struct config config;
    struct status status = {0};
    assert_true(config_load(&config, "rtx-a6000", &status));
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    struct launch_record timed = record("ns::scan<float, \"x\">", 3000), untimed = record("b", 0);
    timed.begin = 1e-6;
    timed.end = 3e-6;
    launches_csv_heading(out);
    launches_csv(&timed, 0, "step;d@x", &config, out);
    launches_csv(&untimed, 1, "", &config, out);
    fclose(out);
    unsigned count = fields(text);
    char *second = strchr(text, '\n') + 1, *third = strchr(second, '\n') + 1;
    assert_int_equal(fields(second), count);
    assert_int_equal(fields(third), count);
    assert_ptr_equal(strstr(second,
                            "0,0,0,\"ns::scan<float, \"\"x\"\">\",\"ns::scan<float, \"\"x\"\">\",0,256x1x1,16x16x1,"
                            "1x1x1,24,1024,0,1,1,,,,0,\"step;d@x\",1000.000,3000.000,1234567,34567890,1.5,3000,"),
                     second);
    assert_ptr_equal(
        strstr(third, "0,1,0,\"b\",\"b\",0,256x1x1,16x16x1,1x1x1,24,1024,0,0,1,,,,0,\"\",,,1234567,34567890,1.5,,,"),
        third);
    assert_non_null(strstr(text, ",gpc__cycles_elapsed.max,"));
}

UNIT_TESTS(UNIT(sums_are_kept_for_each_kernel), UNIT(the_longest_launch_is_a_timed_one_where_there_is_any),
           UNIT(the_table_has_a_line_for_each_kernel), UNIT(functional_runs_have_no_time_in_the_table),
           UNIT(runs_of_which_all_launches_failed_are_not_called_functional),
           UNIT(lines_of_the_table_have_at_most_112_columns), UNIT(csv_lines_have_the_fields_of_their_heading))
