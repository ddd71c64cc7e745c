#include "measure/reference.h"

#include <math.h>

#include "tests/unit.h"

static const char text[] = "# a comment\n"
                           "a100\tchase.l2\t200\t210\tcycles\t3\tsomeone\t\n"
                           "\n"
                           "a100\tchase.l1\t32\t32\tcycles\t0\tsomeone\tnobody knows why\n";

static struct references read(void)
{
    struct references r;
    char error[128];
    assert_true(references_read(&r, text, sizeof text - 1, error, sizeof error));
    return r;
}

static void rows_are_found_by_gpu_and_quantity(void **state)
{
    (void)state;
    struct references r = read();
    assert_int_equal(r.count, 2);
    const struct reference *row = references_find(&r, "a100", "chase.l2");
    assert_non_null(row);
    assert_true(row->low == 200 && row->high == 210 && row->tolerance == 3);
    assert_string_equal(row->source, "someone");
    assert_null(references_find(&r, "h200", "chase.l2"));
    assert_null(references_find(&r, "a100", "chase"));
    references_free(&r);
}

static void tolerance_counts_from_the_nearer_end(void **state)
{
    (void)state;
    struct references r = read();
    const struct reference *row = references_find(&r, "a100", "chase.l2");
    assert_int_equal(reference_judge(row, 200 * 0.97), REFERENCE_OK);
    assert_int_equal(reference_judge(row, 200 * 0.9699), REFERENCE_MISS);
    assert_int_equal(reference_judge(row, 205), REFERENCE_OK);
    assert_int_equal(reference_judge(row, 210 * 1.03), REFERENCE_OK);
    assert_int_equal(reference_judge(row, 210 * 1.0301), REFERENCE_MISS);
    assert_true(reference_deviation(row, 205) == 0);
    assert_true(fabs(reference_deviation(row, 231) - 10) < 1e-9);
    references_free(&r);
}

static void what_is_not_a_number_never_fits(void **state)
{
    (void)state;
    struct references r = read();
    assert_int_equal(reference_judge(references_find(&r, "a100", "chase.l2"), NAN), REFERENCE_MISS);
    assert_int_equal(reference_judge(references_find(&r, "a100", "chase.l1"), NAN), REFERENCE_OPEN);
    assert_int_equal(reference_judge(NULL, 1), REFERENCE_NONE);
    references_free(&r);
}

static void an_open_row_that_fits_is_noticed(void **state)
{
    (void)state;
    struct references r = read();
    const struct reference *row = references_find(&r, "a100", "chase.l1");
    assert_int_equal(reference_judge(row, 33), REFERENCE_OPEN);
    assert_int_equal(reference_judge(row, 32), REFERENCE_CLOSED);
    references_free(&r);
}

static void bad_lines_are_named(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "a100\tchase.l2\t200\t210\tcycles\t3\tsomeone\n",     /* a field too few */
        "a100\tchase.l2\t200\t210\tcycles\t3\tsomeone\t\t\n", /* one too many */
        "a100\tchase.l2\t210\t200\tcycles\t3\tsomeone\t\n",   /* turned around */
        "a100\tchase.l2\t200\ttwo\tcycles\t3\tsomeone\t\n",   /* no number */
        "a100\tchase.l2\t200\t210\tcycles\t3\t\t\n",          /* no source */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct references r;
        char error[128], lines[256];
        snprintf(lines, sizeof lines, "# first\n%s", bad[i]);
        assert_false(references_read(&r, lines, strlen(lines), error, sizeof error));
        assert_string_equal(error, "line 2 is not a reference");
    }
}

UNIT_TESTS(UNIT(rows_are_found_by_gpu_and_quantity), UNIT(tolerance_counts_from_the_nearer_end),
           UNIT(what_is_not_a_number_never_fits), UNIT(an_open_row_that_fits_is_noticed), UNIT(bad_lines_are_named))
