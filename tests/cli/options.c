#include "cli/options.h"

#include "base/suggest.h"

#include "tests/unit.h"

enum { MOST = 16 };

static const cli_set some = CLI_BIT(GPU) | CLI_BIT(GRID) | CLI_BIT(SHARED) | CLI_BIT(FUNCTIONAL) | CLI_BIT(QUIET) |
                            CLI_BIT(SET) | CLI_BIT(JSON);

static bool parse(struct cli_options *options, struct status *status, const char *const *words)
{
    char *argv[MOST];
    int argc = 0;
    while (words[argc]) {
        argv[argc] = (char *)(uintptr_t)words[argc];
        argc++;
    }
    *status = (struct status){0};
    return cli_options_parse(options, "run", some, argc, argv, status);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void values_come_in_four_forms(void **state)
{
    (void)state;
    struct cli_options o;
    struct status status;
    const char *const *forms[] = {WORDS("--gpu", "a100"), WORDS("--gpu=a100"), WORDS("-g", "a100"), WORDS("-ga100")};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        assert_true(parse(&o, &status, forms[i]));
        assert_string_equal(o.gpu, "a100");
        cli_options_free(&o);
    }
}

static void everything_goes_to_its_field(void **state)
{
    (void)state;
    struct cli_options o;
    struct status status;
    assert_true(
        parse(&o, &status,
              WORDS("a", "-fq", "--set", "x=1", "--set=y=2", "--grid", "4,5", "--shared", "0x10", "-", "--", "--gpu")));
    assert_true(o.functional && o.quiet && !o.list);
    assert_int_equal(o.set.count, 2);
    assert_string_equal(o.set.items[0], "x=1");
    assert_string_equal(o.set.items[1], "y=2");
    assert_int_equal(o.grid[0], 4);
    assert_int_equal(o.grid[1], 5);
    assert_int_equal(o.grid[2], 1);
    assert_int_equal(o.shared, 16);
    assert_int_equal(o.operands.count, 3);
    assert_string_equal(o.operands.items[0], "a");
    assert_string_equal(o.operands.items[1], "-");
    assert_string_equal(o.operands.items[2], "--gpu");
    cli_options_free(&o);
}

static void expect_error(const char *const *words, const char *part)
{
    struct cli_options o;
    struct status status;
    assert_false(parse(&o, &status, words));
    assert_int_equal(status.code, STATUS_USAGE);
    if (!strstr(status.text, part))
        fail_msg("'%s' does not say '%s'", status.text, part);
    cli_options_free(&o);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_error(WORDS("--gpus", "x"), "no option '--gpus', did you mean --gpu?");
    expect_error(WORDS("--block", "1"), "run has no option '--block'");
    expect_error(WORDS("-x"), "no option '-x'");
    expect_error(WORDS("--gpu"), "--gpu needs a value: --gpu NAME");
    expect_error(WORDS("--quiet=1"), "--quiet takes no value");
    expect_error(WORDS("--grid", "0"), "--grid: '0' is not X");
    expect_error(WORDS("--grid", "1,"), "--grid");
    expect_error(WORDS("--grid", "1,2,3,4"), "--grid");
    expect_error(WORDS("--grid", "1x2"), "--grid");
    expect_error(WORDS("--grid", "-1"), "--grid");
    expect_error(WORDS("--grid", "99999999999"), "--grid");
    expect_error(WORDS("--shared", "48k"), "'48k' is not a number");
    expect_error(WORDS("--shared", "4294967296"), "is not a number");
    expect_error(WORDS("--shared", ""), "is not a number");
}

static const char *closest(const char *given)
{
    static const char *const known[] = {"sgemm-naive", "sgemm-tiled", "stencil", "scan", "bfs"};
    struct suggest suggest = suggest_begin(given);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        suggest_try(&suggest, known[i]);
    return suggest_best(&suggest);
}

static void the_closest_word_is_suggested(void **state)
{
    (void)state;
    assert_string_equal(closest("stensil"), "stencil");
    assert_string_equal(closest("sgemm_tiled"), "sgemm-tiled");
    assert_string_equal(closest("sgemm"), "sgemm-naive");
    assert_string_equal(closest("sacn"), "scan");
    assert_null(closest("nbody"));
    assert_null(closest("x"));
    assert_null(closest(""));
}

UNIT_TESTS(UNIT(values_come_in_four_forms), UNIT(everything_goes_to_its_field), UNIT(mistakes_are_named),
           UNIT(the_closest_word_is_suggested))
