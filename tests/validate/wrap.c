#include "validate/wrap.h"

#include "tests/unit.h"

/* Two words, as they stand from column `indent` on. */
static void wraps(size_t first, size_t second, size_t indent, bool wrapped)
{
    char words[256], expected[256], got[256];
    snprintf(words, sizeof words, "%0*d %0*d", (int)first, 0, (int)second, 0);
    snprintf(expected, sizeof expected, "%0*d%s%*s%0*d\n", (int)first, 0, wrapped ? "\n" : " ",
             wrapped ? (int)indent : 0, "", (int)second, 0);
    FILE *out = fmemopen(got, sizeof got, "w");
    wrap_text(words, indent, out);
    fclose(out);
    assert_string_equal(got, expected);
}

static void a_line_has_at_most_a_hundred_columns(void **state)
{
    (void)state;
    wraps(50, 49, 0, false);
    wraps(50, 50, 0, true);
    wraps(40, 29, 30, false);
    wraps(40, 30, 30, true);
}

static void a_word_that_is_too_long_stands_alone(void **state)
{
    (void)state;
    wraps(120, 1, 4, true);
}

UNIT_TESTS(UNIT(a_line_has_at_most_a_hundred_columns), UNIT(a_word_that_is_too_long_stands_alone))
