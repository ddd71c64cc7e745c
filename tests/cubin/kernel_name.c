#include "cubin/kernel_name.h"

#include <dlfcn.h>

#include "tests/unit.h"

/* void ns::scan<float, 256>(float*) */
static const char template_name[] = "_ZN2ns4scanIfLi256EEEvPf";
static const char plain_name[] = "_Z5saxpyifPKfPf";

static void expect_name(const char *mangled, const char *expected)
{
    char name[64];
    kernel_name(mangled, name, sizeof name);
    assert_string_equal(name, expected);
}

static void names_lose_return_type_and_parameters(void **state)
{
    (void)state;
    expect_name("plain_c", "plain_c");
    expect_name(plain_name, "saxpy");
    expect_name("_Z", "_Z");
    if (!dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL))
        skip();
    expect_name(plain_name, "saxpy");
    expect_name(template_name, "ns::scan<float, 256>");
    expect_name("_ZN12_GLOBAL__N_14scanEi", "(anonymous namespace)::scan");
    expect_name("_ZN12_GLOBAL__N_14scanIiEEvT_", "(anonymous namespace)::scan<int>");
    expect_name("_Z3runIPFviEEvT_", "run<void (*)(int)>");
    expect_name("_Znothing", "_Znothing");
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char name[16], text[64];
    kernel_name("a_kernel_with_a_long_name", name, sizeof name);
    assert_string_equal(name, "a_kernel_wit...");
    kernel_name("exactly_fifteen", name, sizeof name);
    assert_string_equal(name, "exactly_fifteen");
    kernel_name_short("ns::scan<float, 256>", 20, text);
    assert_string_equal(text, "ns::scan<float, 256>");
    kernel_name_short("ns::scan<float, 256>", 19, text);
    assert_string_equal(text, "scan<float, 256>");
    kernel_name_short("ns::scan<float, 256>", 12, text);
    assert_string_equal(text, "scan<floa...");
}

static void parts_of_a_name_are_found(void **state)
{
    (void)state;
    assert_string_equal(kernel_name_own("a::b::scan<c::d>"), "scan<c::d>");
    assert_string_equal(kernel_name_own("(anonymous namespace)::scan"), "scan");
    assert_string_equal(kernel_name_own("scan"), "scan");
    assert_int_equal(kernel_name_plain("a::scan<c::d>"), strlen("a::scan"));
    assert_int_equal(kernel_name_plain("a::scan"), strlen("a::scan"));
}

UNIT_TESTS(UNIT(names_lose_return_type_and_parameters), UNIT(long_names_are_cut), UNIT(parts_of_a_name_are_found))
