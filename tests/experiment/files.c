/* Experiment files: header, table, arithmetic, and code with a row's parameters. */
#include "experiment/experiment.h"
#include "experiment/template.h"
#include "experiment/verdict.h"
#include "tests/unit.h"

#define HEAD "title: t\nsource: s\ngpus: rtx-a6000, a100\nabout: one\n  two\nstores: a, b\nmeasure: d = b - a\n"

static bool parse(struct experiment *e, const char *text, struct status *status)
{
    *status = (struct status){0};
    return experiment_parse(e, "test", text, strlen(text), status);
}

static void refuses(const char *text, const char *part)
{
    struct experiment e;
    struct status status;
    assert_false(parse(&e, text, &status));
    if (!strstr(status.text, part))
        fail_msg("'%s' does not say '%s'", status.text, part);
}

/* The expansion of `code` for the first row of a table with x = 3, op = NOP. */
static char *expansion(const char *code, struct status *status)
{
    char text[2048], *out = NULL;
    size_t size;
    struct experiment e;
    snprintf(text, sizeof text, HEAD "| x | op |\n| 3 | NOP |\ncode:\n%s", code);
    assert_true(parse(&e, text, status));
    FILE *stream = open_memstream(&out, &size);
    bool ok = template_expand(&e, 0, 86, stream, status);
    fclose(stream);
    experiment_free(&e);
    if (ok)
        return out;
    free(out);
    return NULL;
}

static void expands_to(const char *code, const char *part)
{
    struct status status;
    char *text = expansion(code, &status);
    if (!text || !strstr(text, part))
        fail_msg("'%s' has no '%s' (%s)", text ? text : "", part, status.text);
    free(text);
}

static void expansion_fails(const char *code, const char *part)
{
    struct status status;
    assert_null(expansion(code, &status));
    if (!strstr(status.text, part))
        fail_msg("'%s' does not say '%s'", status.text, part);
}

static double number(const char *text)
{
    struct status status = {0};
    struct experiment e;
    double out = -1;
    assert_true(parse(&e, HEAD "| x |\n| 3 |\ncode:\n", &status));
    if (!template_number(&e, 0, 86, text, &out, &status))
        out = -1;
    experiment_free(&e);
    return out;
}

static void a_file_has_a_header_a_table_and_code(void **state)
{
    (void)state;
    struct experiment e;
    struct status status;
    assert_true(
        parse(&e, HEAD "# note\n| x | = d | = d @ a100 | open |\n| 1 | 2 | 3 | no |\n|4|5|6||\ncode:\nNOP\n", &status));
    assert_string_equal(e.about, "one two");
    assert_int_equal(e.rows, 2);
    assert_int_equal(e.columns, 4);
    assert_int_equal(e.column[1].kind, COLUMN_EXPECTED);
    assert_true(experiment_lists(e.column[1].gpus, "rtx-a6000"));
    assert_false(experiment_lists(e.column[2].gpus, "rtx-a6000"));
    assert_true(experiment_lists(e.column[2].gpus, "a100"));
    assert_false(experiment_lists(e.column[2].gpus, "a10"));
    assert_string_equal(experiment_cell(&e, 0, 3), "no");
    assert_string_equal(experiment_cell(&e, 1, 0), "4");
    assert_string_equal(experiment_cell(&e, 1, 3), "");
    assert_string_equal(e.code, "NOP\n");
    experiment_free(&e);
}

static void mistakes_in_a_file_are_named_with_their_line(void **state)
{
    (void)state;
    refuses("title: t\nname: n\n", "line 2: unknown key name");
    refuses("nonsense\n", "line 1: expected 'key: value'");
    refuses("measure: d\n", "line 1: not a measure");
    refuses(HEAD "| = e |\n", "there is no such measure: e");
    refuses(HEAD "| a | b |\n| 1 |\n", "the row has not as many cells");
    refuses(HEAD "| a |\n| 1 |\n", "there is no code");
    refuses("title: t\n| a |\n| 1 |\ncode:\n", "are needed");
    refuses(HEAD "| a |\ncode:\n", "there are no rows");
}

static void expressions_follow_the_usual_precedence(void **state)
{
    (void)state;
    assert_true(number("1 + 2 * x - 4 / 2") == 5);
    assert_true(number("-(x + 1) % 3") == -1);
    assert_true(number("max(x) == 3") == 1);
    assert_true(number("arch >= 90") == 0);
    assert_true(number("f32(0x40400000)") == 3);
    assert_true(number("x[0]") == 3);
    assert_true(number("x[1]") == -1);
    assert_true(number("x +") == -1);
    assert_true(number("y") == -1);
    assert_true(number("1 2") == -1);
}

static void parameters_and_arithmetic_are_put_into_the_code(void **state)
{
    (void)state;
    expands_to("${op} ${x} ${x + 1}\n", "NOP 3 4\n");
    expands_to(".repeat x, i\n R${20 + 2 * i}\n.endrepeat\n", " R20\n R22\n R24\n");
    expands_to(".repeat 2, i\n.repeat 2, j\n${i}${j},\n.endrepeat\n.endrepeat\n", "00,\n01,\n10,\n11,\n");
    expands_to(".if x > 2\nyes\n.else\nno\n.endif\n", "yes\n    EXIT");
    expands_to(".if x > 3\nyes\n.else\nno\n.endif\n", "no\n    EXIT");
    expands_to("    .save R40, b, R${x}\n", "STG.E [R40.64+0x4], R3\n");
    expands_to("", ".kernel row_1\n.param out, ptr\n");
}

static void mistakes_in_code_are_named(void **state)
{
    (void)state;
    expansion_fails("${y}\n", "'y': there is no such name");
    expansion_fails(".repeat 2\n", "has no end: .repeat 2");
    expansion_fails(".save R40, c, R1\n", "no such word to store");
    expansion_fails(".enter R41\n", "even number");
    expansion_fails(".repeat 1000000\n.endrepeat\n", "cannot repeat so often");
}

static void numbers_agree_within_the_tolerance_and_texts_when_they_are_equal(void **state)
{
    (void)state;
    assert_true(verdict_agrees("5", "5", "0"));
    assert_false(verdict_agrees("5", "6", "0"));
    assert_true(verdict_agrees("5", "6", "1"));
    assert_false(verdict_agrees("5", "7", "1"));
    assert_true(verdict_agrees("100", "102", "2 %"));
    assert_false(verdict_agrees("100", "103", "2 %"));
    assert_false(verdict_agrees("98", "100", "2 %")); /* of the expected value */
    assert_false(verdict_agrees("5", "nan", "1"));
    assert_false(verdict_agrees("5", "-nan", "2 %"));
    assert_false(verdict_agrees("nan", "5", "1"));
    assert_false(verdict_agrees("5", "", "1"));
    assert_true(verdict_agrees("13/15", "13/15", "0"));
    assert_false(verdict_agrees("13/15", "13", "0"));
    assert_true(verdict_agrees("W3 0-16", "W3 0-16", "0"));
    assert_false(verdict_agrees("W3 0-16", "W3 0-17", "0"));
}

UNIT_TESTS(UNIT(a_file_has_a_header_a_table_and_code), UNIT(mistakes_in_a_file_are_named_with_their_line),
           UNIT(expressions_follow_the_usual_precedence), UNIT(parameters_and_arithmetic_are_put_into_the_code),
           UNIT(mistakes_in_code_are_named), UNIT(numbers_agree_within_the_tolerance_and_texts_when_they_are_equal))
