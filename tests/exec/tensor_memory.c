/* The storage of tensor memory: which units a CTA gets, which areas it may access, and the sentences about those that
 * it may not. */
#include "exec/tensor/tensor_memory.h"

#include "machine.h"

static uint64_t random_state = 11;

static uint32_t draw(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

static struct tensor_memory *memory_with(uint32_t units)
{
    struct tensor_memory *memory = malloc(sizeof *memory);
    assert_non_null(memory);
    tensor_memory_begin(memory);
    tensor_memory_allocate(memory, units, 0);
    return memory;
}

static void an_address_has_the_lane_above_the_column(void **state)
{
    (void)state;
    struct tensor_area area = tensor_area_at(0x007f01ff, 1, 1);
    assert_int_equal(area.lane, 127);
    assert_int_equal(area.column, 511);
}

static void the_lowest_free_units_at_a_multiple_of_their_number_are_found(void **state)
{
    (void)state;
    assert_int_equal(tensor_memory_find(0, 8), 0x00ff);
    assert_int_equal(tensor_memory_find(0x00ff, 4), 0x0f00);
    assert_int_equal(tensor_memory_find(0x0fff, 2), 0x3000);
    assert_int_equal(tensor_memory_find(0x3fff, 1), 0x4000);
    assert_int_equal(tensor_memory_find(0x0001, 2), 0x000c);
    assert_int_equal(tensor_memory_find(0x0001, 16), 0);
    assert_int_equal(tensor_memory_find(0x0000, 16), 0xffff);
    assert_int_equal(tensor_memory_find(0x8080, 8), 0);
    assert_int_equal(tensor_memory_find(0x7fff, 1), 0x8000);
    assert_int_equal(tensor_memory_find(0xffff, 1), 0);
}

/* Columns one by one against the units. */
static void an_area_is_held_when_each_of_its_columns_is_allocated_and_each_lane_exists(void **state)
{
    (void)state;
    unsigned held = 0;
    for (unsigned trial = 0; trial < 20000; trial++) {
        uint32_t units = draw(1 << 16) | draw(1 << 16);
        struct tensor_memory *memory = NULL;
        struct tensor_memory only_units;
        only_units.units = units;
        memory = trial % 50 ? &only_units : NULL;
        struct tensor_area area = {draw(140), draw(2) ? draw(16) : draw(140), draw(530),
                                   draw(2) ? draw(64) : draw(530)};
        bool expected = true;
        for (uint32_t c = area.column; area.lanes && c < area.column + area.columns; c++)
            expected &= memory && c < 512 && (units >> c / 32 & 1) && area.lane + area.lanes <= 128;
        assert_int_equal(tensor_memory_holds(memory, area), expected);
        held += expected && area.lanes && area.columns;
    }
    assert_in_range(held, 500, 19000);
}

static void numbers_that_overflow_are_not_held(void **state)
{
    (void)state;
    struct tensor_memory *memory = memory_with(0xffff);
    assert_true(tensor_memory_holds(memory, (struct tensor_area){0, 128, 0, 512}));
    assert_false(tensor_memory_holds(memory, (struct tensor_area){UINT32_MAX, 2, 0, 1}));
    assert_false(tensor_memory_holds(memory, (struct tensor_area){0, 1, UINT32_MAX, 2}));
    assert_false(tensor_memory_holds(memory, (struct tensor_area){1, UINT32_MAX, 1, UINT32_MAX}));
    free(memory);
}

static void new_columns_are_filled_and_others_are_left_alone(void **state)
{
    (void)state;
    struct tensor_memory *memory = memory_with(0x0003);
    *tensor_memory_word(memory, 127, 63) = 5;
    tensor_memory_lanes(memory, 0)[9] = 6;
    tensor_memory_allocate(memory, 0x000c, 0x7fc0dead);
    for (uint32_t column = 64; column < 128; column++)
        for (uint32_t lane = 0; lane < 128; lane++)
            assert_int_equal(*tensor_memory_word(memory, lane, column), 0x7fc0dead);
    assert_int_equal(*tensor_memory_word(memory, 127, 63), 5);
    assert_int_equal(*tensor_memory_word(memory, 9, 0), 6);
    tensor_memory_release(memory, 0x0005);
    assert_int_equal(memory->units, 0x000a);
    free(memory);
}

static void a_description_names_the_area_and_what_is_allocated(void **state)
{
    (void)state;
    char text[TENSOR_TEXT];
    struct tensor_memory *memory = memory_with(0xf001);
    tensor_memory_describe(memory, (struct tensor_area){32, 32, 64, 8}, text);
    assert_string_equal(text, "lanes 32-63, columns 64-71 of tensor memory: the CTA has allocated columns 0-31, "
                              "384-511");
    memory->units = 0x5555;
    tensor_memory_describe(memory, (struct tensor_area){0, 128, 511, 512}, text);
    assert_string_equal(text, "lanes 0-127, columns 511-1022 of tensor memory: the CTA has allocated columns 0-31, "
                              "64-95, 128-159, 192-223, 256-287, 320-351, 384-415, 448-479");
    tensor_memory_describe(NULL, (struct tensor_area){0, 1, 0, 1}, text);
    assert_string_equal(text, "lanes 0-0, columns 0-0 of tensor memory: the CTA has allocated none");
    free(memory);
}

static void an_access_to_other_columns_faults_with_its_address(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, inst(ISA_OP_UTCATOMSWS));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    assert_non_null(m->cta->tensor);
    tensor_memory_allocate(m->cta->tensor, 0x0002, 0);
    struct exec_warp *warp = &m->cta->warps[0];
    assert_true(tensor_memory_check(&m->core, warp, &m->code[1], m->cta, tensor_area_at(0x00200020, 32, 32), "D"));
    assert_int_equal(m->core.fault.code, STATUS_OK);
    assert_false(tensor_memory_check(&m->core, warp, &m->code[1], m->cta, tensor_area_at(0x00200021, 32, 32), "D"));
    assert_int_equal(m->core.report.kind, EXEC_FAULT_ADDRESS);
    assert_true(m->core.report.has_address);
    assert_int_equal(m->core.report.address, 0x00200021);
    assert_string_equal(m->core.report.text, "D at 0x00200021 is in lanes 32-63, columns 33-64 of tensor memory: the "
                                             "CTA has allocated columns 32-63");
    machine_destroy(m);
}

static void a_kernel_that_allocates_nothing_has_no_storage(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    assert_null(m->cta->tensor);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(an_address_has_the_lane_above_the_column),
           UNIT(the_lowest_free_units_at_a_multiple_of_their_number_are_found),
           UNIT(an_area_is_held_when_each_of_its_columns_is_allocated_and_each_lane_exists),
           UNIT(numbers_that_overflow_are_not_held), UNIT(new_columns_are_filled_and_others_are_left_alone),
           UNIT(a_description_names_the_area_and_what_is_allocated),
           UNIT(an_access_to_other_columns_faults_with_its_address),
           UNIT(a_kernel_that_allocates_nothing_has_no_storage))
