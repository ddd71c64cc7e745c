#include "tests/cubin/fixture.h"

static void each_architecture_has_its_layout_of_bank_0(void **state)
{
    (void)state;
    assert_int_equal(cubin_abi(75)->parameters, 0x160);
    assert_int_equal(cubin_abi(75)->descriptor, CUBIN_NO_SLOT);
    assert_int_equal(cubin_abi(80)->descriptor, 0x118);
    assert_int_equal(cubin_abi(80)->shared_window, 0x18);
    assert_int_equal(cubin_abi(90)->shared_window, CUBIN_NO_SLOT);
    assert_int_equal(cubin_abi(90)->descriptor, 0x208);
    assert_int_equal(cubin_abi(120)->block_dim, 0x360);
    assert_int_equal(cubin_abi(120)->stack_top, 0x37c);
}

static void family_members_share_a_layout(void **state)
{
    (void)state;
    assert_ptr_equal(cubin_abi(86), cubin_abi(80));
    assert_ptr_equal(cubin_abi(89), cubin_abi(80));
    assert_ptr_equal(cubin_abi(120), cubin_abi(100));
    assert_ptr_equal(cubin_abi(121), cubin_abi(103));
    assert_ptr_not_equal(cubin_abi(75), cubin_abi(80));
}

static void unknown_architectures_have_none(void **state)
{
    (void)state;
    assert_null(cubin_abi(0));
    assert_null(cubin_abi(52));
    assert_null(cubin_abi(76));
    assert_null(cubin_abi(999));
}

static void the_parameter_base_is_the_one_that_the_compiler_wrote(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/cubin/data/probe.sm_75.cubin", "tests/cubin/data/probe.sm_89.cubin",
                                        "tests/cubin/data/deep.sm_90.cubin", "tests/cubin/data/probe.sm_100.cubin",
                                        "tests/cubin/data/probe.sm_120.cubin"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct fixture f = fixture_open(files[i]);
        for (size_t k = 0; k < f.cubin.kernel_count; k++)
            assert_int_equal(f.cubin.kernels[k].parameter_base, cubin_abi(f.cubin.sm)->parameters);
        fixture_close(&f);
    }
}

UNIT_TESTS(UNIT(each_architecture_has_its_layout_of_bank_0), UNIT(family_members_share_a_layout),
           UNIT(unknown_architectures_have_none), UNIT(the_parameter_base_is_the_one_that_the_compiler_wrote))
