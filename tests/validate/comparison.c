#include "validate/comparison.h"

#include <math.h>

#include "tests/unit.h"
#include "validate/accuracy.h"

static struct reference measured(double low, double high, double tolerance)
{
    return (struct reference){.gpu = "a100",
                              .unit = "cycles",
                              .source = "someone, once",
                              .open = "",
                              .low = low,
                              .high = high,
                              .tolerance = tolerance};
}

static void add(struct comparison *c, enum comparison_kind kind, const char *quantity, double predicted, double low)
{
    const struct reference reference = measured(low, low, 5);
    assert_true(comparison_add(c, kind, quantity, "cycles", predicted, isnan(low) ? NULL : &reference));
}

static void errors_are_signed_and_count_from_the_nearer_end(void **state)
{
    (void)state;
    struct comparison c = {0};
    const struct reference range = measured(200, 210, 5), zero = measured(0, 0, 5);
    assert_true(comparison_add(&c, COMPARISON_MEASUREMENT, "a", "cycles", 190, &range));
    assert_true(comparison_add(&c, COMPARISON_MEASUREMENT, "b", "cycles", 205, &range));
    assert_true(comparison_add(&c, COMPARISON_MEASUREMENT, "c", "cycles", 231, &range));
    assert_true(comparison_add(&c, COMPARISON_MEASUREMENT, "d", "cycles", 1, &zero));
    assert_true(comparison_add(&c, COMPARISON_MEASUREMENT, "e", "cycles", NAN, &range));
    assert_true(comparison_add(&c, COMPARISON_MEASUREMENT, "f", "cycles", 1, NULL));
    assert_true(c.row[0].error == -5 && c.row[1].error == 0 && fabs(c.row[2].error - 10) < 1e-9);
    assert_true(c.row[3].error == 100 && c.row[4].error == -100 && isnan(c.row[5].error));
    assert_int_equal(c.row[0].verdict, REFERENCE_OK);
    assert_int_equal(c.row[2].verdict, REFERENCE_MISS);
    assert_int_equal(c.row[4].verdict, REFERENCE_MISS);
    assert_int_equal(c.row[5].verdict, REFERENCE_NONE);
    comparison_free(&c);
}

static void the_worst_row_comes_first_and_equals_keep_their_order(void **state)
{
    (void)state;
    struct comparison c = {0};
    add(&c, COMPARISON_MEASUREMENT, "good", 100, 100);
    add(&c, COMPARISON_MEASUREMENT, "unknown", 1, NAN);
    add(&c, COMPARISON_MEASUREMENT, "low", 80, 100);
    add(&c, COMPARISON_MEASUREMENT, "fine", 200, 200);
    add(&c, COMPARISON_MEASUREMENT, "high", 130, 100);
    comparison_sort(&c);
    static const char *const order[] = {"high", "low", "good", "fine", "unknown"};
    for (size_t i = 0; i < c.count; i++)
        assert_string_equal(c.row[i].quantity, order[i]);
    comparison_free(&c);
}

static void accuracy_is_of_one_kind_and_of_one_metric(void **state)
{
    (void)state;
    struct comparison c = {0};
    struct accuracy a;
    add(&c, COMPARISON_MEASUREMENT, "chase.l1", 33, 30);
    add(&c, COMPARISON_KERNEL, "kernel.x.full.0.gpc__cycles_elapsed.max", 110, 100);
    add(&c, COMPARISON_KERNEL, "kernel.x.full.1.gpc__cycles_elapsed.max", 150, 200);
    add(&c, COMPARISON_KERNEL, "kernel.x.full.2.gpc__cycles_elapsed.max", 306, 300);
    add(&c, COMPARISON_KERNEL, "kernel.x.full.3.gpc__cycles_elapsed.max", 400, 400);
    add(&c, COMPARISON_KERNEL, "kernel.x.full.0.smsp__inst_executed.sum", 900, 100);
    add(&c, COMPARISON_KERNEL, "kernel.x.full.4.gpc__cycles_elapsed.max", 900, NAN);
    assert_true(comparison_accuracy(&c, COMPARISON_KERNEL, comparison_cycles, &a));
    assert_int_equal(a.rows, 4);
    assert_int_equal(a.within5, 2);
    assert_true(fabs(a.mape - (10 + 25 + 2 + 0) / 4.0) < 1e-9);
    assert_true(fabs(a.bias - (10 - 25 + 2 + 0) / 4.0) < 1e-9);
    assert_true(fabs(a.median - 6) < 1e-9);            /* between 2 and 10 */
    assert_true(fabs(a.p90 - (10 + 0.7 * 15)) < 1e-9); /* 2.7 of the way through 0, 2, 10, 25 */
    assert_string_equal(a.worst->quantity, "kernel.x.full.1.gpc__cycles_elapsed.max");
    assert_true(comparison_accuracy(&c, COMPARISON_MEASUREMENT, comparison_cycles, &a));
    assert_true(a.rows == 1 && fabs(a.mape - 10) < 1e-9 && isnan(a.correlation));
    comparison_free(&c);
}

static void correlation_is_pearsons(void **state)
{
    (void)state;
    struct comparison c = {0};
    struct accuracy a;
    static const double x[] = {1, 2, 3, 4}, y[] = {2, 1, 4, 3};
    for (unsigned i = 0; i < 4; i++)
        add(&c, COMPARISON_MEASUREMENT, "q", y[i], x[i]);
    assert_true(comparison_accuracy(&c, COMPARISON_MEASUREMENT, comparison_cycles, &a));
    assert_true(fabs(a.correlation - 0.6) < 1e-12);
    comparison_free(&c);
}

static void percentages_are_compared_in_points(void **state)
{
    (void)state;
    struct comparison c = {0};
    unsigned rows;
    assert_true(isnan(comparison_points(&c, accuracy_points[0], &rows)));
    add(&c, COMPARISON_KERNEL, "kernel.x.full.0.l1tex__t_sector_hit_rate.pct", 40, 50);
    add(&c, COMPARISON_KERNEL, "kernel.x.full.1.l1tex__t_sector_hit_rate.pct", 4, 0);
    add(&c, COMPARISON_KERNEL, "kernel.x.full.1.lts__t_sector_hit_rate.pct", 99, 0);
    assert_true(fabs(comparison_points(&c, accuracy_points[0], &rows) - 7) < 1e-9);
    assert_int_equal(rows, 2);
    comparison_free(&c);
}

#define STALL(launch, reason)                                                                                          \
    "kernel.x.full." launch ".smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"

static void stalls_are_compared_by_their_shares(void **state)
{
    (void)state;
    struct comparison c = {0};
    unsigned launches;
    /* Twice as many stalls in all, but a quarter of them moved from wait to barrier. */
    add(&c, COMPARISON_KERNEL, STALL("0", "wait"), 1.0, 1.0);
    add(&c, COMPARISON_KERNEL, STALL("1", "wait"), 3.0, 7.0);
    add(&c, COMPARISON_KERNEL, STALL("0", "barrier"), 3.0, 1.0);
    add(&c, COMPARISON_KERNEL, STALL("0", "selected"), 1.0, 9.0);
    add(&c, COMPARISON_KERNEL, STALL("1", "drain"), 0.0, 0.0);
    assert_true(fabs(comparison_stalls(&c, &launches) - 12.5) < 1e-9); /* 25 % and 0 % */
    assert_int_equal(launches, 2);
    comparison_free(&c);
}

static void the_metric_stands_behind_three_names(void **state)
{
    (void)state;
    assert_string_equal(comparison_metric("kernel.x.full.10.a.b"), "a.b");
    assert_null(comparison_metric("chase.l1"));
    assert_null(comparison_metric("kernel.x.full"));
}

static char *written(const struct comparison *c, bool picture)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (picture)
        assert_true(accuracy_svg(c, "a100", out));
    else
        accuracy_csv(c, "a100", out);
    fclose(out);
    return text;
}

static void rows_are_written_with_what_they_are_compared_with(void **state)
{
    (void)state;
    struct comparison c = {0};
    add(&c, COMPARISON_MEASUREMENT, "chase.l1", 33, 30);
    add(&c, COMPARISON_MEASUREMENT, "chase.l2", 200, NAN);
    char *text = written(&c, false);
    assert_string_equal(text, "a100,measurement,chase.l1,cycles,33,30,30,10,miss,\"someone, once\",\n"
                              "a100,measurement,chase.l2,cycles,200,,,,-,,\n");
    free(text);
    text = written(&c, true);
    assert_non_null(strstr(text, "chase.l1: 30, predicted 33, +10.0 %"));
    assert_null(strstr(text, "chase.l2"));
    free(text);
    comparison_free(&c);
}

static void a_picture_of_nothing_can_be_drawn(void **state)
{
    (void)state;
    struct comparison c = {0};
    char *text = written(&c, true);
    assert_non_null(strstr(text, "</svg>"));
    assert_null(strstr(text, "nan"));
    free(text);
}

UNIT_TESTS(UNIT(errors_are_signed_and_count_from_the_nearer_end),
           UNIT(the_worst_row_comes_first_and_equals_keep_their_order), UNIT(accuracy_is_of_one_kind_and_of_one_metric),
           UNIT(correlation_is_pearsons), UNIT(percentages_are_compared_in_points),
           UNIT(stalls_are_compared_by_their_shares), UNIT(the_metric_stands_behind_three_names),
           UNIT(rows_are_written_with_what_they_are_compared_with), UNIT(a_picture_of_nothing_can_be_drawn))
