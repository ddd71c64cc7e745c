/* Kernels of Pascal: three instructions behind each control word, labels, and control bits that are left out. */
#include "tests/asm/assemble.h"

#include "isa/pascal.h"

static uint64_t word_at(const struct cubin *c, size_t index)
{
    uint64_t word;
    assert_true(8 * index + 8 <= c->kernels[0].code.size);
    memcpy(&word, c->kernels[0].code.data + 8 * index, sizeof word);
    return word;
}

static struct isa_control control_of(const struct cubin *c, uint32_t index)
{
    return pascal_control(pascal_word(c->kernels[0].code.data, index));
}

static void each_three_instructions_follow_their_control_word(void **state)
{
    (void)state;
    struct assembled a = assemble(".arch sm_61\n.kernel k\n"
                                  "[B------:R-:W-:-:S06] MOV R1, c[0x0][0x20]\n"
                                  "[B0-----:R-:W5:-:S00] LDG.E R0, [R16]\n"
                                  "[B-----5:R1:W-:Y:S13] FFMA R6, R0.reuse, R6, R0\n"
                                  "[B------:R-:W-:-:S15] EXIT\n.end\n");
    const struct cubin *c = &a.cubin;
    assert_int_equal(c->sm, 61);
    assert_int_equal(c->kernels[0].parameter_base, 0x140);
    assert_int_equal(c->kernels[0].registers, 20);
    assert_int_equal(c->kernels[0].code.size, 64);
    assert_int_equal(word_at(c, 1), UINT64_C(0x4c98078000870001));
    assert_int_equal(word_at(c, 2), UINT64_C(0xeed4200000071000));
    assert_int_equal(word_at(c, 3), UINT64_C(0x5980000000670006));
    assert_int_equal(word_at(c, 5), UINT64_C(0xe30000000007000f));
    uint64_t first = 6 | 1 << 4 | 7 << 5 | 7 << 8, second = 1 << 4 | 5 << 5 | 7 << 8 | 1 << 11;
    uint64_t third = 13 | 7 << 5 | 1 << 8 | 0x20 << 11 | 1 << 17;
    assert_int_equal(word_at(c, 0), first | second << 21 | third << 42);
    assembled_free(&a);
}

static void labels_behind_a_control_word_are_named_by_its_address(void **state)
{
    (void)state;
    struct assembled a = assemble(".arch sm_60\n.kernel k\nSSY after\ninside: NOP\nBRA inside\nafter: EXIT\n"
                                  ".symbol f\nNOP\nself: BRA self\n.end\n");
    size_t count;
    char text[ISA_TEXT];
    static const char *const expected[] = {"SSY 0x20", "NOP", "BRA 0x10", "EXIT", "NOP", "BRA 0x38"};
    struct status status = {0};
    struct isa_decoder *decoder = isa_decoder_create(60, &status);
    count = isa_code_count(60, a.cubin.kernels[0].code.size);
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < count; i++) {
        struct isa_inst inst;
        assert_true(isa_decode(decoder, pascal_word(a.cubin.kernels[0].code.data, i), i * 16, &inst));
        isa_print(&inst, text);
        assert_string_equal(text, expected[i]);
    }
    isa_decoder_destroy(decoder);
    assembled_free(&a);
}

static void code_that_goes_on_is_padded_to_a_whole_group(void **state)
{
    (void)state;
    struct assembled a = assemble(".arch sm_60\n.kernel k\nNOP\nNOP\nEXIT\n.end\n");
    assert_int_equal(a.cubin.kernels[0].code.size, 64);
    assert_int_equal(word_at(&a.cubin, 5), UINT64_C(0xe2400fffff07000f)); /* BRA to itself, at the control word */
    assert_int_equal(word_at(&a.cubin, 6), UINT64_C(0x50b0000000070f00));
    assert_int_equal(word_at(&a.cubin, 7), UINT64_C(0x50b0000000070f00));
    assembled_free(&a);
}

static void control_bits_that_are_left_out_wait_for_everything(void **state)
{
    (void)state;
    struct assembled a = assemble(".arch sm_60\n.kernel k\nLDG.E R0, [R2]\nFADD R1, R0, R0\nSTG.E [R2], R1\nEXIT\n"
                                  ".end\n");
    static const struct isa_control expected[] = {{2, false, 0, 1, 0x3f, 0},
                                                  {15, false, ISA_NO_SB, ISA_NO_SB, 0x3f, 0},
                                                  {2, false, ISA_NO_SB, 1, 0x3f, 0},
                                                  {15, false, ISA_NO_SB, ISA_NO_SB, 0x3f, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        struct isa_control is = control_of(&a.cubin, i);
        assert_int_equal(is.stall, expected[i].stall);
        assert_int_equal(is.write_sb, expected[i].write_sb);
        assert_int_equal(is.read_sb, expected[i].read_sb);
        assert_int_equal(is.wait, expected[i].wait);
    }
    assembled_free(&a);
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

#define BEGIN ".arch sm_61\n.kernel k\n"
#define MIXED "[B------:R-:W-:-:S06] MOV R0, R1\nMOV R1, R2\nEXIT\n.end\n"

static void mistakes_of_pascal_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *start;
    } mistakes[] = {
        {BEGIN MIXED, 3, 23, "on Pascal either all instructions of a kernel have control bits or none"},
        {BEGIN "VADD.U16.U16.MRG_16H R10, R8, R9, R10\nEXIT\n.end\n", 3, 1,
         "the control bits of this instruction must be written"},
        {BEGIN "MOV32I R0, 32@lo(k)\nEXIT\n.end\n", 3, 18, "'k': loaders fill in no instructions of Pascal"},
        {BEGIN "BRA nowhere\nEXIT\n.end\n", 3, 5, "undefined label 'nowhere'"},
        {BEGIN "UMOV UR4, 0x1\nEXIT\n.end\n", 3, 1, "UMOV exists on sm_75 and later only, not on sm_61"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct asm_output output;
        struct status status = {0};
        const struct asm_input input = {.text = mistakes[i].text, .size = strlen(mistakes[i].text)};
        assert_false(asm_assemble(&input, &output, &status));
        const struct diagnostic *d = &output.errors.items[0];
        if (output.errors.count == 0 || d->line != mistakes[i].line || d->column != mistakes[i].column ||
            strncmp(d->message, mistakes[i].start, strlen(mistakes[i].start)) != 0)
            fail_msg("%s%u:%u: %s", mistakes[i].text, d->line, d->column, d->message);
    }
}

UNIT_TESTS(UNIT(each_three_instructions_follow_their_control_word),
           UNIT(labels_behind_a_control_word_are_named_by_its_address),
           UNIT(code_that_goes_on_is_padded_to_a_whole_group), UNIT(control_bits_that_are_left_out_wait_for_everything),
           UNIT(mistakes_of_pascal_are_told))
