#include "isa/contract.h"
#include "tests/unit.h"

static struct isa_control of(uint64_t hi) { return isa_control_decode((struct word128){.hi = hi}); }

static void control_bits_of_a_load_name_its_counter(void **state)
{
    (void)state;
    struct isa_control c = of(UINT64_C(0x000ea4000c1e9900)); /* LDG of a compiled kernel */
    assert_int_equal(c.stall, 2);
    assert_false(c.yield);
    assert_int_equal(c.write_sb, 2);
    assert_int_equal(c.read_sb, ISA_NO_SB);
    assert_int_equal(c.wait, 0);
    assert_int_equal(c.reuse, 0);
}

static void control_bits_of_its_user_wait_for_the_counter(void **state)
{
    (void)state;
    struct isa_control c = of(UINT64_C(0x044fe40000000000));
    assert_int_equal(c.wait, 1 << 2);
    assert_int_equal(c.reuse, 1);
    assert_int_equal(c.write_sb, ISA_NO_SB);
    assert_int_equal(c.stall, 2);
}

static void the_yield_bit_is_stored_inverted(void **state)
{
    (void)state;
    assert_true(of(UINT64_C(0x000fc00000000000)).yield);
    assert_false(of(UINT64_C(0x000fe00000000000)).yield);
}

static void control_bits_print_in_the_usual_notation(void **state)
{
    (void)state;
    char text[32];
    isa_print_control((struct isa_control){.stall = 4, .yield = false, .write_sb = 0, .read_sb = ISA_NO_SB, .wait = 4},
                      text);
    assert_string_equal(text, "[B--2---:R-:W0:-:S04]");
    isa_print_control((struct isa_control){.stall = 15, .yield = true, .write_sb = ISA_NO_SB, .read_sb = 5, .wait = 63},
                      text);
    assert_string_equal(text, "[B012345:R5:W-:Y:S15]");
}

static void latency_classes_say_whether_the_compiler_counts_cycles(void **state)
{
    (void)state;
    assert_true(isa_latency_may_be_fixed(isa_op_info(ISA_OP_FFMA)->latency));
    assert_false(isa_latency_may_be_fixed(isa_op_info(ISA_OP_MUFU)->latency));
    assert_false(isa_latency_may_be_fixed(isa_op_info(ISA_OP_LDG)->latency));
    assert_true(isa_latency_may_be_fixed(isa_op_info(ISA_OP_DFMA)->latency));
    assert_false(isa_latency_is_fixed(isa_op_info(ISA_OP_DFMA)->latency, 86));
    assert_true(isa_latency_is_fixed(isa_op_info(ISA_OP_DFMA)->latency, 90));
    assert_true(isa_latency_is_fixed(isa_op_info(ISA_OP_DFMA)->latency, 100));
    assert_false(isa_latency_is_fixed(isa_op_info(ISA_OP_DFMA)->latency, 120));
    assert_string_equal(isa_pipe_name(isa_op_info(ISA_OP_HMMA)->pipe), "tensor");
    assert_string_equal(isa_op_info(ISA_OP_ATOMG_CAS)->name, "ATOMG");
}

UNIT_TESTS(UNIT(control_bits_of_a_load_name_its_counter), UNIT(control_bits_of_its_user_wait_for_the_counter),
           UNIT(the_yield_bit_is_stored_inverted), UNIT(control_bits_print_in_the_usual_notation),
           UNIT(latency_classes_say_whether_the_compiler_counts_cycles))
