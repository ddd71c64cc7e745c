#include "validate/statistics.h"

#include <math.h>

#include "tests/unit.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

static void errors_are_counted_without_those_that_are_none(void **state)
{
    (void)state;
    const double error[] = {-10, 20, NAN, 5, -5, 12};
    struct statistics s;
    assert_true(statistics_errors(error, 6, &s));
    assert_int_equal(s.rows, 5);
    assert_true(near(s.mean, 52.0 / 5));
    assert_true(near(s.bias, 22.0 / 5));
    assert_true(near(s.median, 10));
    assert_true(near(s.p90, 12 + 0.6 * 8)); /* at place 3.6 of 5, 5, 10, 12, 20 */
    assert_true(near(s.worst, 20));
    assert_true(near(s.within, 4.0 / 5));
}

static void the_worst_error_keeps_its_sign_and_the_limit_counts_as_within(void **state)
{
    (void)state;
    const double error[] = {12, -12.001, -12};
    struct statistics s;
    assert_true(statistics_errors(error, 3, &s));
    assert_true(s.worst == -12.001);
    assert_true(near(s.within, 2.0 / 3));
}

static void without_rows_there_is_no_statistic(void **state)
{
    (void)state;
    const double error[] = {NAN};
    struct statistics s;
    assert_true(statistics_errors(error, 1, &s));
    assert_int_equal(s.rows, 0);
    assert_true(isnan(s.mean) && isnan(s.bias) && isnan(s.median) && isnan(s.p90) && isnan(s.worst));
    assert_true(isnan(s.within) && isnan(statistics_quantile(error, 0, 0.5)));
}

static void ranks_that_agree_or_contradict_are_one_and_minus_one(void **state)
{
    (void)state;
    const double up[] = {1, 2, 3, 10}, also_up[] = {5, 6, 70, 71}, down[] = {9, 8, 2, 1};
    struct ranking r;
    statistics_ranking(up, also_up, 4, &r);
    assert_true(near(r.spearman, 1) && near(r.kendall, 1));
    statistics_ranking(up, down, 4, &r);
    assert_true(near(r.spearman, -1) && near(r.kendall, -1));
}

/* Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: of six pairs five agree, and one is tied on one side. */
static void values_that_are_equal_share_their_mean_rank(void **state)
{
    (void)state;
    const double x[] = {1, 2, 2, 3}, y[] = {10, 30, 20, 40};
    struct ranking r;
    statistics_ranking(x, y, 4, &r);
    assert_true(near(r.spearman, 4.5 / sqrt(4.5 * 5)));
    assert_true(near(r.kendall, 5 / sqrt(5.0 * 6)));
    statistics_ranking(y, x, 4, &r);
    assert_true(near(r.spearman, 4.5 / sqrt(4.5 * 5)));
    assert_true(near(r.kendall, 5 / sqrt(5.0 * 6)));
}

/* Ranks 1, 2, 3, 4 and 3, 1, 4, 2: deviations -1.5, -0.5, 0.5, 1.5 and 0.5, -1.5, 1.5, -0.5 have the product 0. */
static void ranks_without_relation_are_zero(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4}, y[] = {3, 1, 4, 2};
    struct ranking r;
    statistics_ranking(x, y, 4, &r);
    assert_true(near(r.spearman, 0) && near(r.kendall, 0));
}

static void one_pair_and_equal_values_have_no_rank_correlation(void **state)
{
    (void)state;
    const double x[] = {1, 2}, same[] = {7, 7};
    struct ranking r;
    statistics_ranking(x, x, 1, &r);
    assert_true(isnan(r.spearman) && isnan(r.kendall) && near(r.regret, 0));
    statistics_ranking(x, same, 2, &r);
    assert_true(isnan(r.spearman) && isnan(r.kendall) && near(r.regret, 0));
    statistics_ranking(x, x, 0, &r);
    assert_true(isnan(r.spearman) && isnan(r.kendall) && isnan(r.regret));
}

static void regret_is_what_the_choice_costs_over_the_best(void **state)
{
    (void)state;
    const double predicted[] = {5, 3, 4, 9}, measured[] = {100, 125, 90, 110};
    struct ranking r;
    statistics_ranking(predicted, measured, 4, &r);
    assert_true(near(r.regret, 100 * (125.0 / 90 - 1)));
}

static void of_equal_choices_the_mean_counts(void **state)
{
    (void)state;
    const double predicted[] = {5, 3, 3, 9}, measured[] = {100, 120, 140, 110};
    struct ranking r;
    statistics_ranking(predicted, measured, 4, &r);
    assert_true(near(r.regret, 30));
}

UNIT_TESTS(UNIT(errors_are_counted_without_those_that_are_none),
           UNIT(the_worst_error_keeps_its_sign_and_the_limit_counts_as_within),
           UNIT(without_rows_there_is_no_statistic), UNIT(ranks_that_agree_or_contradict_are_one_and_minus_one),
           UNIT(values_that_are_equal_share_their_mean_rank), UNIT(ranks_without_relation_are_zero),
           UNIT(one_pair_and_equal_values_have_no_rank_correlation),
           UNIT(regret_is_what_the_choice_costs_over_the_best), UNIT(of_equal_choices_the_mean_counts))
