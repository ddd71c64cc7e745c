#include "tests/cubin/fixture.h"

static const char probe[] = "tests/cubin/data/probe.sm_89.cubin";

static void a_mangled_name_finds_its_kernel(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    const struct cubin_kernel *k = fixture_kernel(&f, "_ZN6shapes4growILi3EEEvPi");
    assert_string_equal(k->name, "_ZN6shapes4growILi3EEEvPi");
    fixture_close(&f);
}

static void a_plain_name_finds_the_only_kernel_that_has_it(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    assert_string_equal(fixture_kernel(&f, "exchange")->name, "_ZN6shapes8exchangeEPi");
    assert_string_equal(fixture_kernel(&f, "mixed")->name, "mixed");
    fixture_close(&f);
}

static void expect_none(const struct cubin *c, const char *name, const char *message)
{
    struct status status = {0};
    assert_null(cubin_find_kernel(c, name, &status));
    assert_int_equal(status.code, STATUS_USAGE);
    assert_string_equal(status.text, message);
}

static void a_name_of_several_kernels_is_refused_with_the_list(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    expect_none(&f.cubin, "grow",
                "tests/cubin/data/probe.sm_89.cubin: more than one kernel \"grow\"; the file has "
                "_ZN6shapes4growILi5EEEvPi, _ZN6shapes4growILi3EEEvPi, _ZN6shapes8exchangeEPi, mixed");
    fixture_close(&f);
}

static void parts_of_a_name_are_not_the_name(void **state)
{
    (void)state;
    static const char *const names[] = {"shapes", "xchange", "exchang", "mixe", "", "8exchange", "grow<3>"};
    struct fixture f = fixture_open(probe);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct status status = {0};
        assert_null(cubin_find_kernel(&f.cubin, names[i], &status));
        assert_non_null(strstr(status.text, ": no kernel \""));
    }
    fixture_close(&f);
}

/* A kernel record is all that the search looks at. */
static void check_core(const char *mangled, const char *name, bool found)
{
    struct cubin_kernel kernel = {.name = mangled};
    char path[] = "made";
    struct cubin c = {.path = path, .kernels = &kernel, .kernel_count = 1};
    struct status status = {0};
    if ((cubin_find_kernel(&c, name, &status) == &kernel) != found)
        fail_msg("%s %s %s", name, found ? "is not found in" : "is found in", mangled);
}

static void the_core_of_a_mangled_name_ends_before_arguments(void **state)
{
    (void)state;
    check_core("_Z4halfPf", "half", true);
    check_core("_Z4half4pair", "pair", false);
    check_core("_ZL6hiddenv", "hidden", true);
    check_core("_ZN7cutlass6KernelINS_4gemm4GemmIfEEEEvT_", "Kernel", true);
    check_core("_ZN7cutlass6KernelINS_4gemm4GemmIfEEEEvT_", "Gemm", false);
    check_core("_ZN55_GLOBAL__N__00000000_0000_main_cu_0000000000000000000009innermostEv", "innermost", true);
    check_core("_Z99999999999999999999x", "x", false);
    check_core("_Z9short", "short", false);
    check_core("_ZN", "", false);
    check_core("half", "alf", false);
}

static void a_long_list_of_kernels_is_cut(void **state)
{
    (void)state;
    struct cubin_kernel kernels[40];
    for (size_t i = 0; i < 40; i++)
        kernels[i] = (struct cubin_kernel){.name = "a_kernel_with_a_rather_long_name"};
    char path[] = "made";
    struct cubin c = {.path = path, .kernels = kernels, .kernel_count = 40};
    struct status status = {0};
    assert_null(cubin_find_kernel(&c, "other", &status));
    assert_non_null(strstr(status.text, "long_name, and more"));
}

UNIT_TESTS(UNIT(a_mangled_name_finds_its_kernel), UNIT(a_plain_name_finds_the_only_kernel_that_has_it),
           UNIT(a_name_of_several_kernels_is_refused_with_the_list), UNIT(parts_of_a_name_are_not_the_name),
           UNIT(the_core_of_a_mangled_name_ends_before_arguments), UNIT(a_long_list_of_kernels_is_cut))
