#include "validate/reference.h"

#include <glob.h>
#include <math.h>

#include "tests/unit.h"

#define HEADING "gpu,quantity,low,high,unit,tolerance,source,open\n"

static const char text[] = "# a comment\n" HEADING "a100,chase.l2,200,210,cycles,3,someone,\n"
                           "\n"
                           "a100,chase.l1,32,32,cycles,0,\"someone, \"\"twice\"\"\",nobody knows why\n"
                           "a100,chase.dram,400,400,cycles,,someone,\n";

static struct references read(void)
{
    struct references r = {0};
    char error[128];
    assert_true(references_read(&r, text, sizeof text - 1, error, sizeof error));
    return r;
}

static void rows_are_found_by_gpu_and_quantity(void **state)
{
    (void)state;
    struct references r = read();
    assert_int_equal(r.count, 3);
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
    static const struct {
        const char *line, *error;
    } bad[] = {
        {"a100,chase.l2,200,210,cycles,3,someone\n", "line 3 has not the eight fields of a reference"},
        {"a100,chase.l2,200,210,cycles,3,someone,,\n", "line 3 has not the eight fields of a reference"},
        {"a100,chase.l2,210,200,cycles,3,someone,\n", "line 3 is not a reference"},  /* turned around */
        {"a100,chase.l2,200,two,cycles,3,someone,\n", "line 3 is not a reference"},  /* no number */
        {"a100,chase.l2,200,210,cycles,-1,someone,\n", "line 3 is not a reference"}, /* no tolerance */
        {"a100,chase.l2,200,210,cycles,3,,\n", "line 3 is not a reference"},         /* no source */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct references r = {0};
        char error[128], lines[256];
        snprintf(lines, sizeof lines, "# first\n" HEADING "%s", bad[i].line);
        assert_false(references_read(&r, lines, strlen(lines), error, sizeof error));
        assert_string_equal(error, bad[i].error);
        assert_int_equal(r.count, 0);
        references_free(&r);
    }
}

static void a_file_begins_with_its_heading(void **state)
{
    (void)state;
    static const char lines[] = "a100,chase.l2,200,210,cycles,3,someone,\n";
    struct references r = {0};
    char error[128];
    assert_false(references_read(&r, lines, sizeof lines - 1, error, sizeof error));
    assert_string_equal(error, "line 1 is not the heading");
    references_free(&r);
}

static void files_add_up(void **state)
{
    (void)state;
    struct references r = read();
    static const char more[] = HEADING "h200,chase.l2,262,262,cycles,3,someone,\n";
    char error[128];
    assert_true(references_read(&r, more, sizeof more - 1, error, sizeof error));
    assert_int_equal(r.count, 4);
    assert_non_null(references_find(&r, "a100", "chase.l1"));
    assert_non_null(references_find(&r, "h200", "chase.l2"));
    references_free(&r);
}

static void a_row_without_tolerance_is_compared_but_not_judged(void **state)
{
    (void)state;
    struct references r = read();
    const struct reference *row = references_find(&r, "a100", "chase.dram");
    assert_true(fabs(reference_deviation(row, 440) - 10) < 1e-9);
    assert_int_equal(reference_judge(row, 440), REFERENCE_NONE);
    references_free(&r);
}

static void fields_in_quotation_marks_hold_commas_and_marks(void **state)
{
    (void)state;
    struct references r = read();
    assert_string_equal(references_find(&r, "a100", "chase.l1")->source, "someone, \"twice\"");
    references_free(&r);
}

static void every_file_of_the_repository_is_read(void **state)
{
    (void)state;
    enum { MOST = 1 << 26 };
    char path[4096];
    glob_t found;
    assert_int_equal(glob(unit_path(path, "validate/data/*.csv"), 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 3);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct references r = {0};
        char error[128], *file = calloc(MOST, 1);
        FILE *stream = fopen(found.gl_pathv[i], "rb");
        assert_true(file && stream);
        size_t size = fread(file, 1, MOST, stream);
        assert_true(size < MOST);
        if (!references_read(&r, file, size, error, sizeof error))
            fail_msg("%s: %s", found.gl_pathv[i], error);
        assert_true(r.count > 0);
        references_free(&r);
        fclose(stream);
        free(file);
    }
    globfree(&found);
}

UNIT_TESTS(UNIT(every_file_of_the_repository_is_read), UNIT(rows_are_found_by_gpu_and_quantity),
           UNIT(tolerance_counts_from_the_nearer_end), UNIT(what_is_not_a_number_never_fits),
           UNIT(an_open_row_that_fits_is_noticed), UNIT(bad_lines_are_named), UNIT(a_file_begins_with_its_heading),
           UNIT(files_add_up), UNIT(a_row_without_tolerance_is_compared_but_not_judged),
           UNIT(fields_in_quotation_marks_hold_commas_and_marks))
