/* Pascal's control words, and words that the decoder does not know. The texts of compiled instructions
 * are compared in tests/corpus/pascal.c. */
#include "isa/pascal.h"
#include "tests/unit.h"

/* MOV R1, c[0x0][0x20] */
static const uint64_t move = UINT64_C(0x4c98078000870001);

static void assert_text(uint64_t word, uint32_t control, uint32_t pc, const char *expected)
{
    struct pascal_inst inst;
    char text[ISA_TEXT];
    assert_true(pascal_decode(61, word, control, pc, &inst));
    pascal_print(&inst, text);
    assert_string_equal(text, expected);
}

static void sm_60_to_sm_62_have_the_tables(void **state)
{
    (void)state;
    assert_false(pascal_supported(53));
    assert_true(pascal_supported(60) && pascal_supported(61) && pascal_supported(62));
    assert_false(pascal_supported(70));
    assert_false(isa_supported(61));
}

static void each_fourth_word_is_a_control_word(void **state)
{
    (void)state;
    assert_true(pascal_is_control(0) && pascal_is_control(32));
    assert_false(pascal_is_control(8) || pascal_is_control(16) || pascal_is_control(24));
}

static void a_control_word_has_21_bits_for_each_of_three_instructions(void **state)
{
    (void)state;
    uint64_t word = 1 | UINT64_C(2) << 21 | UINT64_C(0x1fffff) << 42;
    assert_int_equal(pascal_control_bits(word, 8), 1);
    assert_int_equal(pascal_control_bits(word, 16), 2);
    assert_int_equal(pascal_control_bits(word, 24), 0x1fffff);
    assert_int_equal(pascal_control_bits(word, 32 + 8), 1);
}

static void control_bits_have_the_places_that_volta_took_over(void **state)
{
    (void)state;
    struct pascal_inst inst;
    uint32_t bits = 6 | 0 << 4 | 2 << 5 | 7 << 8 | 0x21 << 11 | 5 << 17;
    assert_true(pascal_decode(60, move, bits, 8, &inst));
    assert_int_equal(inst.control.stall, 6);
    assert_true(inst.control.yield);
    assert_int_equal(inst.control.write_sb, 2);
    assert_int_equal(inst.control.read_sb, ISA_NO_SB);
    assert_int_equal(inst.control.wait, 0x21);
    assert_int_equal(inst.control.reuse, 5);
    assert_true(pascal_decode(60, move, bits | 1 << 4, 8, &inst));
    assert_false(inst.control.yield);
}

static void a_reuse_bit_is_printed_at_the_operand_whose_place_it_keeps(void **state)
{
    (void)state;
    assert_text(UINT64_C(0x5980000000670006), 0, 8, "FFMA R6, R0, R6, R0");
    assert_text(UINT64_C(0x5980000000670006), 1 << 17, 8, "FFMA R6, R0.reuse, R6, R0");
    assert_text(UINT64_C(0x5980000000670006), 2 << 17, 8, "FFMA R6, R0, R6.reuse, R0");
    assert_text(UINT64_C(0x5980000000670006), 4 << 17, 8, "FFMA R6, R0, R6, R0.reuse");
    assert_text(UINT64_C(0x5c58000000990303), 4 << 17, 8, "@!P1 FADD R3, R3, R9.reuse");
}

static void reuse_bits_of_a_texture_instruction_are_its_phase(void **state)
{
    (void)state;
    assert_text(UINT64_C(0xc03805079ff71414), 1 << 17, 8, "TEX.T R20, R20, 0x50, ARRAY_1D, 0xf");
    assert_text(UINT64_C(0xc03805079ff71414), 2 << 17, 8, "TEX.P R20, R20, 0x50, ARRAY_1D, 0xf");
}

static void targets_count_from_the_next_word(void **state)
{
    (void)state;
    assert_text(UINT64_C(0xe24000000188000f), 0, 0x110, "@!P0 BRA 0x130");
    assert_text(UINT64_C(0xe2400fffff07000f), 0, 0xe8, "BRA 0xe0");
}

static void forms_of_an_instruction_differ_in_their_second_source(void **state)
{
    (void)state;
    assert_text(UINT64_C(0x5c10000000770007), 0, 8, "IADD R7, R0, R7");
    assert_text(UINT64_C(0x4c10000000270003), 0, 8, "IADD R3, R0, c[0x0][0x8]");
    assert_text(UINT64_C(0x3910007ffff70304), 0, 8, "IADD R4, R3, -0x1");
    assert_text(UINT64_C(0x5180000800170607), 0, 8, "FFMA R7, R6, R0, c[0x2][0x4]");
}

static void an_unknown_word_is_printed_as_it_is(void **state)
{
    (void)state;
    struct pascal_inst inst;
    char text[ISA_TEXT];
    assert_false(pascal_decode(61, UINT64_C(0xffffffffffffffff), 0x7e0, 24, &inst));
    assert_int_equal(inst.pc, 24);
    assert_int_equal(inst.control.write_sb, ISA_NO_SB);
    pascal_print(&inst, text);
    assert_string_equal(text, ".dword 0xffffffffffffffff");
}

/* Fields whose value no table names are printed by their number, and nothing is written behind the text's end. */
static void any_word_can_be_printed(void **state)
{
    (void)state;
    uint64_t word = 1;
    for (unsigned i = 0; i < 200000; i++) {
        struct pascal_inst inst;
        char text[ISA_TEXT];
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        pascal_decode(60 + i % 2, word, (uint32_t)(word >> 40) & 0x1fffff, 8, &inst);
        pascal_print(&inst, text);
        assert_true(strlen(text) > 0 && strlen(text) < ISA_TEXT - 1);
    }
}

UNIT_TESTS(UNIT(sm_60_to_sm_62_have_the_tables), UNIT(each_fourth_word_is_a_control_word),
           UNIT(a_control_word_has_21_bits_for_each_of_three_instructions),
           UNIT(control_bits_have_the_places_that_volta_took_over),
           UNIT(a_reuse_bit_is_printed_at_the_operand_whose_place_it_keeps),
           UNIT(reuse_bits_of_a_texture_instruction_are_its_phase), UNIT(targets_count_from_the_next_word),
           UNIT(forms_of_an_instruction_differ_in_their_second_source), UNIT(an_unknown_word_is_printed_as_it_is),
           UNIT(any_word_can_be_printed))
