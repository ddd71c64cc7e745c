#include "base/text.h"

#include "../unit.h"

static void expect(const char *text, const char *keep, const char *printable)
{
    char copy[64], *printed = NULL;
    size_t size;
    snprintf(copy, sizeof copy, "%s", text);
    text_make_printable(copy, keep);
    assert_string_equal(copy, printable);
    FILE *out = open_memstream(&printed, &size);
    assert_non_null(out);
    text_print_part(out, text, strlen(text), keep);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(printed, printable);
    free(printed);
}

static void control_characters_become_question_marks(void **state)
{
    (void)state;
    expect("kernel", "", "kernel");
    expect("", "", "");
    expect("\x1b[31mred\x1b[0m", "", "?[31mred?[0m");
    expect("a\rb\bc\x07"
           "d\x7f"
           "e\x01\x1f ~",
           "", "a?b?c?d?e?? ~");
    expect("a\nb\tc", "", "a?b?c");
    expect("a\nb\tc\r", "\n\t", "a\nb\tc?");
}

/* U+009B is a control sequence introducer by itself. */
static void letters_of_all_alphabets_stay_and_what_is_no_utf8_does_not(void **state)
{
    (void)state;
    expect("gr\xc3\xb6\xc3\x9f"
           "e \xe2\x82\xac \xf0\x9f\x98\x80",
           "",
           "gr\xc3\xb6\xc3\x9f"
           "e \xe2\x82\xac \xf0\x9f\x98\x80");
    expect("a\xc2\x9b"
           "31m\xc2\x80\xc2\xa0",
           "", "a??31m??\xc2\xa0");
    expect("\x9b"
           "31m \xff \xc3",
           "", "?31m ? ?");
    expect("\xe2\x82", "", "??");
}

static void a_part_ends_where_its_length_says(void **state)
{
    char *printed = NULL;
    size_t size;
    (void)state;
    FILE *out = open_memstream(&printed, &size);
    assert_non_null(out);
    text_print_part(out, "ab\0c\xc3\xb6", 5, ""); /* the last character is cut in two */
    assert_int_equal(fclose(out), 0);
    assert_string_equal(printed, "ab?c?");
    free(printed);
}

static void a_copy_is_as_long_as_fits(void **state)
{
    char to[5];
    (void)state;
    assert_string_equal(text_printable(to, sizeof to, "ab\x1b"), "ab?");
    assert_string_equal(text_printable(to, sizeof to,
                                       "abc\x1b"
                                       "de"),
                        "abc?");
}

UNIT_TESTS(UNIT(control_characters_become_question_marks),
           UNIT(letters_of_all_alphabets_stay_and_what_is_no_utf8_does_not), UNIT(a_part_ends_where_its_length_says),
           UNIT(a_copy_is_as_long_as_fits))
