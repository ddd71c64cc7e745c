#include "validate/micro/beside.h"

#include <math.h>

#include "tests/unit.h"

static const struct measure by_form = {
    .name = "forms",
    .title = "forms",
    .about = "About.",
    .label = "form",
    .column = {{"chains", 0}, {"cycles", 1}},
    .columns = 2,
    .keys = 1,
};

static const struct measure by_warps = {
    .name = "warps",
    .title = "by warps",
    .about = "About.",
    .column = {{"warps", 0}, {"cycles", 1}},
    .columns = 2,
};

static const char references_text[] = "gpu,quantity,low,high,unit,tolerance,source,open\n"
                                      "one,forms.both,10,10,cycles,5,someone,\n"
                                      "two,forms.both,10,12,cycles,5,someone,\n"
                                      "two,forms.known,4,4,cycles,5,someone,Nobody knows why.\n";

/* Two GPUs. The first has a row and a number that the second lacks, and the other way round. */
static char *print(const struct measure *measure, struct measure_row *first, size_t firsts, struct measure_row *second,
                   size_t seconds)
{
    const struct measure_device device[2] = {{.gpu = {.name = "one"}}, {.gpu = {.name = "two"}}};
    struct measure_value values[2][2] = {{{"forms.both", 10}, {"forms.mine", 1}},
                                         {{"forms.both", 15}, {"forms.known", 2}}};
    const struct measure_run run[2] = {
        {.measure = measure, .device = &device[0], .row = first, .rows = firsts, .value = values[0], .values = 2},
        {.measure = measure, .device = &device[1], .row = second, .rows = seconds, .value = values[1], .values = 2},
    };
    const struct measure_run *const both[2] = {&run[0], &run[1]};
    struct references references = {0};
    char error[128], *text = NULL;
    size_t size;
    assert_true(references_read(&references, references_text, sizeof references_text - 1, error, sizeof error));
    FILE *out = open_memstream(&text, &size);
    beside_text(both, &references, out);
    fclose(out);
    references_free(&references);
    return text;
}

/* Copies a line with one blank for each run of them, and none at its ends. */
static void squeeze(const char *line, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; line[i] && line[i] != '\n' && used + 1 < room; i++)
        if (line[i] != ' ' || (used > 0 && out[used - 1] != ' '))
            out[used++] = line[i];
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = 0;
}

/* Fails unless `text` has this line, whatever blanks stand between its words, and no other that begins with the same
 * `key` characters. */
static void has_line(const char *text, const char *words, size_t key)
{
    unsigned found = 0;
    char line[512];
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        squeeze(at, line, sizeof line);
        if (strncmp(line, words, key) != 0)
            continue;
        assert_string_equal(line, words);
        found++;
    }
    assert_int_equal(found, 1);
}

static void rows_of_both_stand_in_one_line_and_rows_of_one_alone(void **state)
{
    (void)state;
    struct measure_row first[] = {{"a", {1, 10}}, {"a", {2, 20}}, {"b", {1, NAN}}};
    struct measure_row second[] = {{"a", {2, 21}}, {"c", {1, 5}}, {"b", {1, 7}}};
    char *text = print(&by_form, first, 3, second, 3);
    has_line(text, "form chains cycles", 5);
    has_line(text, "a 1 10.0 -", 4);
    has_line(text, "a 2 20.0 21.0", 4);
    has_line(text, "b 1 - 7.0", 4);
    has_line(text, "c 1 - 5.0", 4);
    free(text);
}

static void the_first_column_tells_rows_without_labels_apart(void **state)
{
    (void)state;
    struct measure_row first[] = {{" ", {1, 10}}, {" ", {32, 20}}}, second[] = {{" ", {32, 40}}};
    char *text = print(&by_warps, first, 2, second, 1);
    has_line(text, "1 10.0 -", 2);
    has_line(text, "32 20.0 40.0", 3);
    free(text);
}

static void numbers_stand_beside_what_was_published_of_either_gpu(void **state)
{
    (void)state;
    struct measure_row row[] = {{"a", {1, 10}}};
    char *text = print(&by_form, row, 1, row, 1);
    has_line(text, "quantity unit one published deviation two published deviation", 9);
    has_line(text, "forms.both cycles 10.00 10 +0.0 % 15.00 10..12 +25.0 % miss", 11);
    has_line(text, "forms.mine 1.00 - - - - -", 11);
    has_line(text, "forms.known cycles - - - 2.00 4 -50.0 % open", 12);
    assert_non_null(strstr(text, "open: forms.known of two\n    Nobody knows why."));
    free(text);
}

UNIT_TESTS(UNIT(rows_of_both_stand_in_one_line_and_rows_of_one_alone),
           UNIT(the_first_column_tells_rows_without_labels_apart),
           UNIT(numbers_stand_beside_what_was_published_of_either_gpu))
