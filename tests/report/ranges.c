#include <math.h>

#include "report/perfetto_ranges.h"
#include "report/range_sum.h"
#include "tests/report/sample.h"
#include "tests/temporary.h"

static char path[TEMPORARY_PATH];

static int start(void **state)
{
    (void)state;
    temporary_file(path);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_record(struct range_record r)
{
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    r.layout = sizeof r;
    assert_int_equal(fwrite(&r, sizeof r, 1, file), 1);
    fclose(file);
}

static void write_one(enum range_kind kind, uint64_t id, uint64_t order, const char *name)
{
    struct range_record r = {.process = 100, .kind = kind, .id = id, .thread = 1, .order = order};
    snprintf(r.text.name, sizeof r.text.name, "%s", name);
    write_record(r);
}

static void write_scope(uint64_t id, uint64_t first, uint64_t second)
{
    struct range_record r = {.process = 100, .kind = RANGE_SCOPE, .id = id, .thread = 1, .count = second ? 2 : 1};
    r.ranges[0] = first;
    r.ranges[1] = second;
    write_record(r);
}

static struct range_sum read_sum(void)
{
    struct range_sum sum = {0};
    struct status status = {0};
    assert_true(range_sum_read(&sum, path, &status));
    return sum;
}

/* In nanoseconds. */
static void add_launch(struct range_sum *sum, uint64_t scope, uint64_t order, double begin, double end, uint64_t cycles)
{
    struct launch_record r = {.process = 100, .scope = scope, .order = order, .result = sample(cycles)};
    r.begin = 1e-9 * begin;
    r.end = 1e-9 * end;
    r.result.detailed = r.result.complete = cycles > 0;
    r.result.clock_mhz = 1000;
    r.result.cycles = cycles;
    assert_true(range_sum_launch(sum, &r));
}

static const struct range_row *row(const struct range_sum *sum, const char *name)
{
    for (size_t i = 0; i < sum->rows; i++)
        if (strcmp(sum->row[i].name, name) == 0)
            return &sum->row[i];
    fail_msg("no range %s", name);
    return NULL;
}

static const struct range_one *one(const struct range_sum *sum, const char *name)
{
    for (size_t i = 0; i < sum->ones; i++)
        if (strcmp(sum->one[i].name, name) == 0)
            return &sum->one[i];
    fail_msg("no range %s", name);
    return NULL;
}

static void assert_place(const struct range_sum *sum, const char *name, double begin, double end)
{
    assert_true(fabs(1e9 * one(sum, name)->begin - begin) < 1e-6);
    assert_true(fabs(1e9 * one(sum, name)->end - end) < 1e-6);
}

static void launches_count_for_each_name_of_their_scope(void **state)
{
    (void)state;
    write_one(RANGE_PUSH, 1, 0, "outer");
    write_one(RANGE_PUSH, 2, 0, "inner");
    write_one(RANGE_PUSH, 3, 1, "inner");
    write_scope(1, 1, 2);
    write_scope(2, 2, 3); /* of one name both */
    struct range_sum sum = read_sum();
    add_launch(&sum, 1, 0, 0, 10, 500);
    add_launch(&sum, 2, 1, 10, 20, 300);
    add_launch(&sum, 2, 2, 20, 30, 0); /* not timed */
    add_launch(&sum, 0, 3, 30, 40, 900);
    assert_true(range_sum_end(&sum));
    const struct range_row *outer = row(&sum, "outer"), *inner = row(&sum, "inner");
    assert_int_equal(outer->launches, 1);
    assert_int_equal(outer->cycles, 500);
    assert_int_equal(inner->ranges, 2);
    assert_int_equal(inner->launches, 3);
    assert_int_equal(inner->timed, 2);
    assert_int_equal(inner->cycles, 800);
    assert_true(fabs(inner->seconds - 0.8e-6) < 1e-15);
    assert_ptr_equal(&sum.row[sum.shown[0]], inner);
    range_sum_free(&sum);
}

static void a_range_is_where_its_commands_are_and_a_mark_behind_those_before_it(void **state)
{
    (void)state;
    write_one(RANGE_PUSH, 1, 0, "work");
    write_one(RANGE_PUSH, 2, 2, "empty");
    write_one(RANGE_MARK, 0, 0, "first");
    write_one(RANGE_MARK, 0, 1, "second");
    write_one(RANGE_MARK, 0, 3, "last");
    write_scope(1, 1, 0);
    struct range_sum sum = read_sum();
    const struct activity copy = {
        .process = 100, .kind = ACTIVITY_COPY_OUT, .scope = 1, .order = 2, .begin = 60e-9, .end = 70e-9};
    add_launch(&sum, 1, 1, 20, 50, 30); /* of another stream, and done before the one that was submitted first */
    add_launch(&sum, 1, 0, 10, 90, 80);
    assert_true(range_sum_activity(&sum, &copy));
    assert_true(range_sum_end(&sum));
    assert_place(&sum, "work", 10, 90);
    assert_place(&sum, "first", 0, 0);
    assert_place(&sum, "second", 90, 90);
    assert_place(&sum, "empty", 90, 90);
    assert_place(&sum, "last", 90, 90);
    range_sum_free(&sum);
}

static void what_is_no_record_ends_the_file_and_ranges_of_a_parent_are_left_out(void **state)
{
    (void)state;
    write_one(RANGE_PUSH, 1, 0, "a\tb");
    write_scope(1, 1, 7); /* 7 has no record in this process */
    write_record((struct range_record){.process = 100, .kind = RANGE_KINDS});
    write_one(RANGE_PUSH, 2, 0, "behind");
    struct range_sum sum = read_sum();
    assert_int_equal(sum.ones, 1);
    assert_string_equal(sum.one[0].name, "a?b");
    const struct range_scope *scope = range_sum_scope(&sum, 100, 1);
    assert_non_null(scope);
    assert_int_equal(scope->ones, 1);
    assert_null(range_sum_scope(&sum, 101, 1));
    assert_null(range_sum_scope(&sum, 100, 2));
    range_sum_free(&sum);
}

static uint64_t first_process(const void *self, int32_t id)
{
    (void)self;
    (void)id;
    return 0;
}

/* The track of a range in the document. */
static int track(const char *text, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"name\":\"%s\"\n,\"args\"", name);
    const char *at = strstr(text, key);
    assert_non_null(at);
    while (strncmp(at, "\"tid\":", 6) != 0)
        at--;
    return atoi(at + 6);
}

static void ranges_that_overlap_and_do_not_hold_each_other_have_two_tracks(void **state)
{
    (void)state;
    char *text;
    size_t size;
    static const char *const names[] = {"a", "in_a", "over", "later"};
    static const double begin[] = {10, 20, 30, 50}, end[] = {40, 40, 60, 70};
    for (uint64_t i = 0; i < 4; i++) {
        write_one(RANGE_PUSH, i + 1, i, names[i]);
        write_scope(i + 1, i + 1, 0);
    }
    struct range_sum sum = read_sum();
    for (uint64_t i = 0; i < 4; i++)
        add_launch(&sum, i + 1, i, begin[i], end[i], 1);
    assert_true(range_sum_end(&sum));
    FILE *out = open_memstream(&text, &size);
    struct perfetto p;
    perfetto_begin(&p, out, "gpu", false);
    perfetto_ranges(&p, &sum, first_process, NULL);
    assert_true(perfetto_end(&p));
    fclose(out);
    assert_int_equal(track(text, "a"), track(text, "in_a"));
    assert_int_equal(track(text, "a"), track(text, "later"));
    assert_int_not_equal(track(text, "a"), track(text, "over"));
    free(text);
    range_sum_free(&sum);
}

static void rules_name_ranges_with_or_without_a_domain(void **state)
{
    (void)state;
    assert_true(range_is("step", "", "step"));
    assert_true(range_is("step", "d", "step"));
    assert_true(range_is("st?p*", "d", "step 3"));
    assert_false(range_is("step", "", "step 3"));
    assert_true(range_is("d@step", "d", "step"));
    assert_false(range_is("d@step", "e", "step"));
    assert_true(range_is("*@st*", "e", "step"));
    assert_true(range_is("a@b", "", "a@b"));
    assert_false(range_is("@step", "d", "step"));
    assert_true(range_is("@step", "", "step"));
}

UNIT_TESTS(cmocka_unit_test_setup_teardown(launches_count_for_each_name_of_their_scope, start, stop),
           cmocka_unit_test_setup_teardown(a_range_is_where_its_commands_are_and_a_mark_behind_those_before_it, start,
                                           stop),
           cmocka_unit_test_setup_teardown(what_is_no_record_ends_the_file_and_ranges_of_a_parent_are_left_out, start,
                                           stop),
           cmocka_unit_test_setup_teardown(ranges_that_overlap_and_do_not_hold_each_other_have_two_tracks, start, stop),
           UNIT(rules_name_ranges_with_or_without_a_domain))
