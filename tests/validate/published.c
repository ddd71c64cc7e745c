#include "validate/published_results.h"

#include <math.h>

#include "tests/unit.h"

#define HEADING "gpu,set,kernel,cubin,block,grid,time_us\n"
#define ROW "a100,conv,f,f.cubin,32 4,64 8 2,12.5\n"

static struct published read(const char *text)
{
    struct published table;
    char error[256] = "";
    bool ok = published_read(&table, text, strlen(text), error, sizeof error);
    assert_string_equal(error, "");
    assert_true(ok);
    return table;
}

static void refused(const char *text, const char *why)
{
    struct published table;
    char error[256] = "";
    assert_false(published_read(&table, text, strlen(text), error, sizeof error));
    assert_string_equal(error, why);
    assert_int_equal(table.count, 0);
    assert_null(table.text);
}

static void columns_are_found_by_their_names(void **state)
{
    (void)state;
    struct published t = read("# said first\n" HEADING ROW "\n# between\n" ROW);
    assert_int_equal(t.count, 2);
    const struct published_row *row = &t.row[0];
    assert_string_equal(row->gpu, "a100");
    assert_string_equal(row->set, "conv");
    assert_string_equal(row->kernel, "f");
    assert_string_equal(row->cubin, "f.cubin");
    assert_true(row->grid[0] == 64 && row->grid[1] == 8 && row->grid[2] == 2 && published_ctas(row) == 1024);
    assert_true(row->block[0] == 32 && row->block[1] == 4 && row->block[2] == 1);
    assert_true(row->time_us == 12.5 && isnan(row->cycles) && isnan(row->clock_mhz));
    assert_true(row->registers == 0 && row->shared == 0 && row->argument_count == 0);
    assert_string_equal(row->source, "");
    assert_int_equal(row->line, 3);
    assert_int_equal(t.row[1].line, 6);
    published_free(&t);
}

static void counters_are_named_with_two_underscores_and_other_columns_ignored(void **state)
{
    (void)state;
    struct published t = read("set,gpu,cubin,kernel,grid,block,cycles,smsp__x.sum,note,y__z\n"
                              "s,g,c,k,1,1,10,5e3,hello,\n"
                              "s,g,c,k,1,1,10,,hello,0\n");
    assert_int_equal(t.counters, 2);
    assert_string_equal(t.counter[0], "smsp__x.sum");
    assert_string_equal(t.counter[1], "y__z");
    assert_int_equal(t.ignores, 1);
    assert_string_equal(t.ignored[0], "note");
    assert_true(t.row[0].counter[0] == 5000 && isnan(t.row[0].counter[1]));
    assert_true(isnan(t.row[1].counter[0]) && t.row[1].counter[1] == 0);
    published_free(&t);
}

static void arguments_stand_apart_by_blanks_or_semicolons(void **state)
{
    (void)state;
    struct published t = read("set,gpu,cubin,kernel,grid,block,cycles,arguments\n"
                              "s,g,c,k,1,1,10, f32[8]=zero  i32:5 \n"
                              "s,g,c,k,1,1,10,f32[8]=file:my data.bin ; null;\n"
                              "s,g,c,k,1,1,10,null\n");
    assert_int_equal(t.row[0].argument_count, 2);
    assert_string_equal(t.row[0].argument[0], "f32[8]=zero");
    assert_string_equal(t.row[0].argument[1], "i32:5");
    assert_int_equal(t.row[1].argument_count, 2);
    assert_string_equal(t.row[1].argument[0], "f32[8]=file:my data.bin");
    assert_string_equal(t.row[1].argument[1], "null");
    assert_int_equal(t.row[2].argument_count, 1);
    published_free(&t);
}

static void active_cycles_come_before_elapsed_ones_and_these_before_times(void **state)
{
    (void)state;
    struct published t = read("set,gpu,cubin,kernel,grid,block,clock_mhz,time_us,cycles,sm_cycles_active\n"
                              "s,g,c,k,1,1,1500,2,2900,2800\n"
                              "s,g,c,k,1,1,1500,2,2900,\n"
                              "s,g,c,k,1,1,1500,2,,\n"
                              "s,g,c,k,1,1,,2,,\n");
    static const double cycles[] = {2800, 2900, 3000};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(published_basis(&t.row[i]), i);
    for (unsigned i = 0; i < 3; i++)
        assert_true(published_cycles(&t.row[i]) == cycles[i]);
    assert_true(isnan(published_cycles(&t.row[3])));
    assert_string_equal(published_basis_name(PUBLISHED_CLOCKED), "time_us * clock_mhz");
    published_free(&t);
}

static void a_heading_that_does_not_do_is_refused(void **state)
{
    (void)state;
    refused("", "there is no heading");
    refused("# nothing\n\n", "there is no heading");
    refused("set,gpu,cubin,grid,block\n", "line 1: the heading has no column 'kernel'");
    refused("#\nset,gpu,set\n", "line 2: two columns are called 'set'");
}

static void bad_fields_are_named_by_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *row, *error;
    } bad[] = {
        {"a100,conv,f,f.cubin,32 4,64\n", "line 3 has 6 fields, and the heading 7"},
        {"a100,,f,f.cubin,32 4,64,1\n", "line 3, column 'set': it is empty"},
        {"a100,conv,f,f.cubin,,64,1\n", "line 3, column 'block': it is empty"},
        {"a100,conv,f,f.cubin,32 0,64,1\n",
         "line 3, column 'block': '32 0' is not one to three positive numbers, as in 64 8 1"},
        {"a100,conv,f,f.cubin,32,1 2 3 4,1\n",
         "line 3, column 'grid': '1 2 3 4' is not one to three positive numbers, as in 64 8 1"},
        {"a100,conv,f,f.cubin,32,64x2,1\n",
         "line 3, column 'grid': '64x2' is not one to three positive numbers, as in 64 8 1"},
        {"a100,conv,f,f.cubin,32,99999999999,1\n",
         "line 3, column 'grid': '99999999999' is not one to three positive numbers, as in 64 8 1"},
        {"a100,conv,f,f.cubin,32,2147483647 2147483647 2147483647,1\n", "line 3, column 'grid': too many CTAs"},
        {"a100,conv,f,f.cubin,32,64,fast\n", "line 3, column 'time_us': 'fast' is not a positive number"},
        {"a100,conv,f,f.cubin,32,64,0\n", "line 3, column 'time_us': '0' is not a positive number"},
        {"a100,conv,f,f.cubin,32,64,-1\n", "line 3, column 'time_us': '-1' is not a positive number"},
        {"a100,conv,f,f.cubin,32,64,1e999\n", "line 3, column 'time_us': '1e999' is not a positive number"},
        {"a100,conv,f,f.cubin,32,64,nan\n", "line 3, column 'time_us': 'nan' is not a positive number"},
        {"a100,conv,f,f.cubin,32,64,\n",
         "line 3: sm_cycles_active, cycles and time_us are empty; one of them has to be known"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, HEADING ROW "%s", bad[i].row);
        refused(text, bad[i].error);
    }
    refused("set,gpu,cubin,kernel,grid,block,cycles,registers\ns,g,c,k,1,1,1,4.5\n",
            "line 2, column 'registers': '4.5' is not a whole number");
    refused("set,gpu,cubin,kernel,grid,block,cycles,a__b\ns,g,c,k,1,1,1,x\n",
            "line 2, column 'a__b': 'x' is not a number");
    refused("set,gpu,cubin,kernel,grid,block,cycles,arguments\ns,g,c,k,1,1,1,null;;null\n",
            "line 2, column 'arguments': argument 1 is empty");
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void add(struct published_results *results, const struct published *table, unsigned row, double predicted,
                enum published_state state)
{
    const struct published_row *r = &table->row[row];
    struct published_result result = {.row = r, .state = state, .predicted = predicted};
    result.error = 100 * (predicted / published_cycles(r) - 1);
    assert_true(published_results_add(results, &result));
}

static void groups_count_what_is_compared_and_rows_are_sorted_by_their_errors(void **state)
{
    (void)state;
    struct published t = read("set,gpu,cubin,kernel,grid,block,cycles\n"
                              "a,g,c,k,1,1,100\nb,g,c,k,1,1,100\na,g,c,k,1,1,200\na,g,c,k,1,1,300\n"
                              "a,h,c,k,1,1,100\na,g,c,k,1,1,400\n");
    struct published_results results = {.table = &t};
    static const double predicted[] = {110, 100, 150, 303, 90, 1000};
    for (unsigned i = 0; i < 6; i++)
        add(&results, &t, i, predicted[i], i == 5 ? PUBLISHED_OTHER_CODE : PUBLISHED_COMPARED);
    published_results_sort(&results);
    static const unsigned lines[] = {4, 2, 6, 5, 3, 7};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(results.row[i]->row->line, lines[i]);
    size_t count;
    struct published_group *group = published_groups(&results, &count);
    assert_int_equal(count, 3);
    assert_string_equal(group[0].set, "a");
    assert_string_equal(group[1].set, "b");
    assert_string_equal(group[2].gpu, "h");
    assert_int_equal(group[0].rows[PUBLISHED_COMPARED], 3);
    assert_int_equal(group[0].rows[PUBLISHED_OTHER_CODE], 1);
    assert_int_equal(group[0].basis[PUBLISHED_ELAPSED], 3);
    assert_true(fabs(group[0].cycles.mean - (10 + 25 + 1) / 3.0) < 1e-9);
    assert_true(fabs(group[0].ranking.spearman - 1) < 1e-9);
    free(group);
    published_results_free(&results);
    published_free(&t);
}

static void times_without_a_clock_are_ranked_and_have_no_error(void **state)
{
    (void)state;
    struct published t = read(HEADING ROW "a100,conv,f,f.cubin,32 4,64 8 2,10\n" ROW);
    struct published_results results = {.table = &t};
    static const double predicted[] = {300, 200, 100};
    for (unsigned i = 0; i < 3; i++)
        add(&results, &t, i, predicted[i], PUBLISHED_COMPARED);
    size_t count;
    struct published_group *group = published_groups(&results, &count);
    assert_int_equal(count, 1);
    assert_int_equal(group->cycles.rows, 0);
    assert_int_equal(group->ranked, 3);
    assert_true(fabs(group->ranking.regret - 25) < 1e-9); /* 12.5 us instead of 10 */
    free(group);
    published_results_free(&results);
    published_free(&t);
}

UNIT_TESTS(UNIT(columns_are_found_by_their_names),
           UNIT(counters_are_named_with_two_underscores_and_other_columns_ignored),
           UNIT(arguments_stand_apart_by_blanks_or_semicolons),
           UNIT(active_cycles_come_before_elapsed_ones_and_these_before_times),
           UNIT(a_heading_that_does_not_do_is_refused), UNIT(bad_fields_are_named_by_line_and_column),
           UNIT(groups_count_what_is_compared_and_rows_are_sorted_by_their_errors),
           UNIT(times_without_a_clock_are_ranked_and_have_no_error))
