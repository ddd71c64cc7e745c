#include "base/status.h"
#include "tests/unit.h"

static void the_first_error_wins(void **state)
{
    (void)state;
    struct status s = {0};
    assert_false(status_fail(&s, STATUS_FORMAT, "%s: byte %d", "a.cubin", 12));
    assert_false(status_fail(&s, STATUS_IO, "another"));
    assert_int_equal(s.code, STATUS_FORMAT);
    assert_string_equal(s.text, "a.cubin: byte 12");
}

static void a_long_text_is_cut_and_terminated(void **state)
{
    (void)state;
    struct status s = {0};
    status_fail(&s, STATUS_IO, "%0600d", 1);
    assert_int_equal(strlen(s.text), sizeof s.text - 1);
}

/* Messages quote names of files and their contents, and go to a terminal. */
static void control_characters_of_what_is_quoted_do_not_stay(void **state)
{
    (void)state;
    struct status s = {0};
    status_fail(&s, STATUS_FORMAT, "a\nb\tc: no key '%s'", "\x1b[2J\r");
    assert_string_equal(s.text, "a\nb\tc: no key '?[2J?'");
}

UNIT_TESTS(UNIT(the_first_error_wins), UNIT(a_long_text_is_cut_and_terminated),
           UNIT(control_characters_of_what_is_quoted_do_not_stay))
