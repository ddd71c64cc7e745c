/* Several launches in one report. */
#include "tests/hazard/kernel.h"

static const char early[] = "[B------:R-:W-:-:S01] MOV R1, R2\n[B------:R-:W-:-:S06] MOV R10, R1\n";
static const char late[] = "[B------:R-:W-:-:S04] MOV R1, R2\n[B------:R-:W-:-:S06] MOV R10, R1\n";

static void run(struct hazards *hazards, const char *lines)
{
    const struct gpu_options options = {.threads = 1, .hazards = hazards};
    kernel_run(lines, &options);
}

static void a_kernel_that_is_launched_again_is_one_kernel(void **state)
{
    (void)state;
    struct hazards hazards;
    hazards_init(&hazards);
    run(&hazards, early);
    run(&hazards, early);
    assert_int_equal(hazards.kernels, 1);
    assert_int_equal(hazards_count(&hazards), 1);
    assert_int_equal(hazards.kernel[0].found.item[0].count, 2);
    hazards_free(&hazards);
}

static void kernels_of_one_name_with_other_code_are_told_apart(void **state)
{
    (void)state;
    struct hazards hazards;
    hazards_init(&hazards);
    run(&hazards, late);
    run(&hazards, early);
    assert_int_equal(hazards.kernels, 2);
    assert_int_equal(hazards.kernel[0].found.count, 0);
    assert_int_equal(hazards.kernel[1].found.count, 1);
    hazards_free(&hazards);
}

UNIT_TESTS(UNIT(a_kernel_that_is_launched_again_is_one_kernel),
           UNIT(kernels_of_one_name_with_other_code_are_told_apart))
