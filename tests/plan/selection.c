#include "plan/selection.h"

#include <dlfcn.h>

#include "tests/unit.h"

/* void ns::scan<float, 256>(float*) */
static const char template_name[] = "_ZN2ns4scanIfLi256EEEvPf";
static const char plain_name[] = "_Z5saxpyifPKfPf";

static bool names(const char *list, const char *kernel, uint64_t number)
{
    struct selection selection;
    struct status status = {0};
    if (!selection_parse(&selection, list, &status))
        fail_msg("%s", status.text);
    bool found = selection_names(&selection, kernel, number);
    selection_free(&selection);
    return found;
}

static void a_kernel_is_named_mangled_or_as_in_the_source(void **state)
{
    (void)state;
    assert_true(names(plain_name, plain_name, 0));
    assert_true(names("saxpy", plain_name, 5));
    assert_false(names("saxp", plain_name, 0));
    assert_false(names("axpy", plain_name, 0));
    assert_true(names("*axpy", plain_name, 0));
    assert_true(names("sax?y", plain_name, 0));
    assert_false(names("sax?", plain_name, 0));
    assert_true(names("scan", template_name, 0));
    assert_true(names("plain_c", "plain_c", 0));
    assert_false(names("", plain_name, 0));
    assert_true(names("other\n\nsaxpy\n", plain_name, 0));
}

static void numbers_choose_launches(void **state)
{
    (void)state;
    assert_false(names("saxpy:2", plain_name, 1));
    assert_true(names("saxpy:2", plain_name, 2));
    assert_false(names("saxpy:2", plain_name, 3));
    assert_false(names("saxpy:2-4", plain_name, 1));
    assert_true(names("saxpy:2-4", plain_name, 2));
    assert_true(names("saxpy:2-4", plain_name, 4));
    assert_false(names("saxpy:2-4", plain_name, 5));
    assert_false(names("saxpy:2-", plain_name, 1));
    assert_true(names("saxpy:2-", plain_name, UINT64_MAX));
    assert_true(names("saxpy:0\nsaxpy:7", plain_name, 7));
    assert_false(names("saxpy:0\nsaxpy:7", plain_name, 6));
    assert_true(names("*:3", plain_name, 3));
}

static void demangled_names_work_where_there_is_a_demangler(void **state)
{
    (void)state;
    if (!dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL))
        skip();
    assert_true(names("ns::scan", template_name, 0));
    assert_true(names("scan<float, 256>", template_name, 0));
    assert_true(names("ns::scan<float, 256>", template_name, 0));
    assert_true(names("ns::scan<float, 256>:4", template_name, 4));
    assert_true(names("ns::*<float*", template_name, 0));
    assert_false(names("scan<float, 128>", template_name, 0));
    assert_false(names("ns", template_name, 0));
    assert_true(names("ns::scan:1", template_name, 1));
    assert_false(names("ns::scan:1", template_name, 0));
}

static void expect_error(const char *list)
{
    struct selection selection;
    struct status status = {0};
    assert_false(selection_parse(&selection, list, &status));
    assert_int_equal(status.code, STATUS_USAGE);
    assert_non_null(strstr(status.text, "is not KERNEL, KERNEL:N"));
    assert_int_equal(selection.count, 0);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    expect_error("saxpy:");
    expect_error("saxpy:x");
    expect_error("saxpy:1x");
    expect_error("saxpy:3-2");
    expect_error("saxpy:1-2-3");
    expect_error("saxpy:-1");
    expect_error("good\n:1");
    expect_error("saxpy:99999999999999999999999");
}

UNIT_TESTS(UNIT(a_kernel_is_named_mangled_or_as_in_the_source), UNIT(numbers_choose_launches),
           UNIT(wrong_numbers_are_refused), UNIT(demangled_names_work_where_there_is_a_demangler))
