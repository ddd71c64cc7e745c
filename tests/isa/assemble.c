/* Lines of one instruction by hand: what they assemble to, and what is said about mistakes. */
#include "isa/assemble.h"
#include "tests/unit.h"

static bool assemble(unsigned sm, const char *text, uint32_t pc, isa_symbol_fn *resolve, struct word128 *word,
                     struct isa_asm_error *error)
{
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(sm, &status);
    assert_non_null(assembler);
    bool good = isa_assemble(assembler, text, strlen(text), pc, resolve, NULL, word, error);
    isa_assembler_destroy(assembler);
    return good;
}

static void assert_word(unsigned sm, const char *text, uint64_t hi, uint64_t lo)
{
    struct word128 word = {0, 0};
    struct isa_asm_error error = {0};
    if (!assemble(sm, text, 0x100, NULL, &word, &error))
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    if (word.hi != hi || word.lo != lo)
        fail_msg("%s: %016llx%016llx", text, (unsigned long long)word.hi, (unsigned long long)word.lo);
}

static void instructions_assemble_to_the_words_of_compiled_code(void **state)
{
    (void)state;
    /* Control bits are left out. */
    assert_word(86, "FADD R1, R2, R3", UINT64_C(0x0000000000000000), UINT64_C(0x0000000302017221));
    assert_word(90, "HFMA2.MMA R1, R2, R3, R4", UINT64_C(0x0000000000000004), UINT64_C(0x0000000302017235));
    assert_word(86, "FADD R1, R2, UR3", UINT64_C(0x0000000008000000), UINT64_C(0x0000000302017e21));
    assert_word(86, "LDG.E R6, [R4]", UINT64_C(0x00000000001e0900), UINT64_C(0x0000000004067381));
    assert_word(86, "FADD R1, R2.reuse, R3.reuse", UINT64_C(0x1400000000000000), UINT64_C(0x0000000302017221));
    assert_word(86, "SHF.R.U32 R1, R2, R3, R4", UINT64_C(0x0000000000001604), UINT64_C(0x0000000302017219));
    assert_word(86, "LDC R1, c[0x0][R2+0x10]", UINT64_C(0x0000000000000800), UINT64_C(0x0000040002017b82));
}

static const struct {
    unsigned sm;
    const char *text;
    size_t column;
    const char *message;
} mistakes[] = {
    {86, "FAD R1, R2, R3", 0, "there is no instruction FAD; did you mean FADD?"},
    {86, "FFMAX R1", 0, "there is no instruction FFMAX; did you mean FFMA?"},
    {86, "LDCU UR4, c[0x0][0x10]", 0, "LDCU exists on sm_100 and later only, not on sm_86"},
    {100, "HFMA2.MMA R1, R2, R3, R4", 5,
     "modifier '.MMA' is unknown or stands in the wrong place: expected .F32, .BF16_V2, .FMZ, .FTZ, .OOB, .SAT, a "
     "space or .RELU"},
    {86, "FADD R1, R2", 11, "expected ',', but the line ends here"},
    {86, "FADD R1, R2,", 12, "expected a register, a number, a constant or a uniform register, but the line ends here"},
    {86, "FADD R1 R2, R3", 8, "expected ',', found 'R2'"},
    {86, "FADD R1, R2, R3, R4", 15, "expected the end of the line, found ','"},
    {86, "FADD.FOO R1, R2, R3", 4,
     "modifier '.FOO' is unknown or stands in the wrong place: expected .FTZ, .RM, .RP, .RZ, .SAT or a space"},
    {86, "FADD.SAT.FTZ R1, R2, R3", 8, "modifier '.FTZ' is unknown or stands in the wrong place: expected a space"},
    {86, "FADD R1, R2, R255", 13, "R255 does not exist here: registers are R0 to R254, and RZ"},
    {86, "FADD R1, UR2, R3", 9, "expected a register, found 'UR2'"},
    {86, "IMAD.WIDE R3, R2, R4, R6", 10, "R3 is the first of 2 registers here: its number must be a multiple of 2"},
    {86, "LDG.E.64 R3, [R2.64]", 9, "R3 is the first of 2 registers here: its number must be a multiple of 2"},
    {86, "LDG.E.128 R6, [R4.64]", 10, "R6 is the first of 4 registers here: its number must be a multiple of 4"},
    {86, "LDG.E R6, [R5.64]", 10, "R5 is the first of 2 registers here: its number must be a multiple of 2"},
    {86, "MOV R1, 0x1ffffffff", 8,
     "0x1ffffffff does not fit here: the value must lie between -0x80000000 and 0xffffffff"},
    {86, "MOV R1, foo", 8, "'foo' is not defined"},
    {86, "MOV R1, 32@lo(foo)", 14, "'foo' is not defined"},
    {86, "BRA foo", 4, "'foo' is not defined"},
    {86, "BRA 0x123", 4, "0x123 is no place for an instruction: it must be a multiple of 4"},
    {86, "BRA `(.L_x_1)", 6, "'.L_x_1' is not defined"},
    {86, "@P7 MOV R1, R2", 1, "there is no predicate P7: they are P0 to P6, and PT"},
    {86, "@P0MOV R1, R2", 1, "expected a predicate such as P0 or !P0 after '@'"},
    {86, "@R0 MOV R1, R2", 1, "expected a predicate such as P0 or !P0 after '@'"},
    {86, "@UP0 MOV R1, R2", 1, "the guard of this instruction is the thread's own predicate"},
    {86, "@P0 UMOV UR4, 0x1", 1, "the guard of this instruction is a uniform predicate"},
    {86, "ISETP.GE P0, PT, R1, R2, PT", 8, "expected .AND, .OR or .XOR before the space"},
    {86, "ISETP.GE.AND P0, PT, R1, R2", 27, "expected ',', but the line ends here"},
    {86, "ISETP.GE.AND R0, PT, R1, R2, PT", 13, "expected a predicate, found 'R0'"},
    {86, "ISETP.GE.AND !P0, PT, R1, R2, PT", 13, "this predicate cannot be inverted"},
    {86, "LDS R1, [R2+0x1000000]", 12,
     "0x1000000 does not fit here: the value must lie between -0x800000 and 0x7fffff"},
    {86, "LDS R1, [R2+0x10", 16, "expected ']', but the line ends here"},
    {86, "LDS R1, R2", 8, "expected '[', found 'R2'"},
    {86, "MOV R1, c[0x0][0x161]", 15, "offset of a constant: it must be a multiple of 4"},
    {86, "MOV R1, c[0x40][0x160]", 10, "0x40 does not fit here: the value must lie between 0x0 and 0x1f"},
    {86, "MOV R1, c[0x0]", 14, "expected '[', but the line ends here"},
    {86, "FADD R1, R2, 1.5x", 13, "expected a register, a number, a constant or a uniform register, found '1'"},
    {86, "FADD R1, R2, 1e50", 13, "1e50 is too large for the format; infinity is written +INF"},
    {86, "DADD R2, R4, 0.1", 13, "0.1 has more digits than the upper half of a double holds"},
    {86, "FADD R1, R2, ", 12,
     "expected a register, a number, a constant or a uniform register, but the line ends here"},
    {86, "S2R R0, SR_TID.W", 14, "modifier '.W' is unknown or stands in the wrong place: expected the end of the line"},
    {86, "S2R R0, SR_TIDX", 8, "expected a name such as SR_TID, found 'SR_TIDX'"},
    {86, "MUFU.FOO R1, R2", 4,
     "modifier '.FOO' is unknown or stands in the wrong place: expected .COS, .SIN, .EX2, .LG2, .RCP, .RSQ, .RCP64H, "
     ".RSQ64H, .SQRT or .TANH"},
    {86, "MUFU R1, R2", 4,
     "expected .COS, .SIN, .EX2, .LG2, .RCP, .RSQ, .RCP64H, .RSQ64H, .SQRT or .TANH before the space"},
    {86, "LOP3.LUT R0, R1, R2, R3, 0x100, !PT", 25, "0x100 does not fit here: the value must lie between 0x0 and 0xff"},
    {86, "IMAD.MOV R1, R2, R3, R4", 0, "with these operands the instruction is not IMAD.MOV but IMAD"},
    {86, "IADD3 R1, -R2, ~R3, R4", 15, "this operand takes no '~'"},
    {86, "LDG.E R6, [R4.64].reuse", 17,
     "modifier '.reuse' is unknown or stands in the wrong place: expected ',' or the end of the line"},
    {86, "LDS R1, [R2.reuse]", 11,
     "modifier '.reuse' is unknown or stands in the wrong place: expected .X4, .X8, .X16, ']' or '+' and a uniform "
     "register"},
    {86, "STS [R2], R3.reuse", 12, "this operand cannot be kept for reuse"},
    {86, "", 0, "expected an instruction"},
    {86, "123", 0, "there is no instruction 123; did you mean P2R?"},
    {86, ".word 0x123", 6, "expected a word of 32 hexadecimal digits, as in 0x000fea00038000000000000000007918"},
    {86, "MOV R1, R2 {@200=1}", 13, "a word has bits 0 to 127"},
    {86, "MOV R1, R2 {@3:5=1}", 12, "the higher bit stands first, and there are at most 64 of them"},
    {86, "MOV R1, R2 {@5=2}", 15, "2 does not fit here: the value must lie between 0x0 and 0x1"},
    {86, "MOV R1, R2 {@5=1", 16, "expected '}', but the line ends here"},
    {86, "MOV R1, R2 {5=1}", 12, "expected '@', found '5'"},
    {86, "DEPBAR.LE SB0, 0x40", 15, "0x40 does not fit here: the value must lie between 0x0 and 0x3f"},
    {86, "DEPBAR.LE SB9, 0x4", 12, "9 does not fit here: the value must lie between 0x0 and 0x7"},
    {86, "DEPBAR.LE SB0, 0x0, {9}", 21, "a set has members from 0 to 7"},
    {86, "BAR.SYNC 0x10", 9, "0x10 does not fit here: the value must lie between 0x0 and 0xf"},
    {86, "BSSY B16, 0x10", 5, "expected a predicate or a name such as B1, found 'B16'"},
    {86, "SHF.U32 R1, R2, R3, R4", 3, "modifier '.U32' is unknown or stands in the wrong place: expected .L or .R"},
    {86, "HMMA.16816.F32 R4, R8, R13, R4", 23,
     "R13 is the first of 2 registers here: its number must be a multiple of 2"},
    {86, "HADD2 R1, R2.H2_H2, R3", 12,
     "modifier '.H2_H2' is unknown or stands in the wrong place: expected .F32, .H0_H0, .H1_H1, .H0_NH1 or ','"},
    {86, "mov R1, R2", 0, "there is no instruction mov; did you mean MOV?"},
    {86, "FADD r1, R2, R3", 5, "expected a register, found 'r1'"},
    {86, "FADD R1, |R2, R3", 12, "expected '|', found ','"},
    {86, "FADD R1, |-R2|, R3", 10, "expected a register, found '-'"},
    {86, "NOP NOP", 4, "expected the end of the line, found 'NOP'"},
    {86, "EXIT R1", 5, "expected a predicate or the end of the line, found 'R1'"},
    {86, "PRMT R0, R1, 0x1g, R2", 13,
     "expected a register, an immediate, a constant or a uniform register, found '0x1g'"},
    {86, "STG.E [R2.64], R4, R5", 17, "expected the end of the line, found ','"},
    {86, "VIADD R1, R2, R3", 0, "VIADD exists on sm_90 and later only, not on sm_86"},
    {86, "FADDR1, R2, R3", 0, "there is no instruction FADDR1; did you mean FADD?"},
    {86, "FADD R1000, R2, R3", 5, "expected a register, found 'R1000'"},
    {86, "ULDC UR63, c[0x0][0x10]", 5, "UR63 does not exist here: registers are UR0 to UR62, and URZ"},
};

static void mistakes_are_told_with_their_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct word128 word;
        struct isa_asm_error error = {0};
        if (assemble(mistakes[i].sm, mistakes[i].text, 0x100, NULL, &word, &error))
            fail_msg("%s is assembled", mistakes[i].text);
        assert_string_equal(error.message, mistakes[i].message);
        assert_int_equal(error.column, mistakes[i].column);
    }
}

static void an_error_lists_the_forms_of_the_mnemonic(void **state)
{
    (void)state;
    struct word128 word;
    struct isa_asm_error error = {0};
    assert_false(assemble(86, "FADD R1, R2", 0, NULL, &word, &error));
    assert_string_equal(error.forms, "FADD Rd, Ra, Rb | FADD Rd, Ra, imm | FADD Rd, Ra, c[bank][offset] | "
                                     "FADD Rd, Ra, cx[UR][offset] | FADD Rd, Ra, URb");
}

/* Knows here = 0x40 and far = 0x123456789. */
static bool known_symbols(void *context, const struct isa_symbol *symbol, int64_t *value)
{
    (void)context;
    bool here = symbol->length == 4 && memcmp(symbol->name, "here", 4) == 0;
    *value = here ? 0x40 : INT64_C(0x123456789);
    return here || (symbol->length == 3 && memcmp(symbol->name, "far", 3) == 0);
}

static void symbols_are_targets_and_immediates(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"BRA `(here)", "BRA 0x40"},
        {"@P0 BRA here", "@P0 BRA 0x40"},
        {"MOV R1, 32@lo(far)", "MOV R1, 0x23456789"},
        {"MOV R1, 32@hi(far)", "MOV R1, 0x1"},
        {"MOV R1, here", "MOV R1, 0x40"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct word128 symbolic, plain;
        struct isa_asm_error error = {0};
        assert_true(assemble(86, pairs[i][0], 0x200, known_symbols, &symbolic, &error));
        assert_true(assemble(86, pairs[i][1], 0x200, NULL, &plain, &error));
        assert_true(symbolic.lo == plain.lo && symbolic.hi == plain.hi);
    }
}

static void floating_point_immediates_keep_their_bits(void **state)
{
    (void)state;
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(86, &status);
    assert_non_null(assembler);
    const uint32_t values[] = {0,          0x80000000, 1,          0x7fffff,   0x3f800000, 0x7f7fffff,
                               0x7f800000, 0xff800000, 0x7fffffff, 0x33333333, 0x4e6e6b28, 0x00800000};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct word128 word = {.lo = (uint64_t)values[i] << 32 | UINT64_C(0x02017421)}, again; /* FADD R1, R2, x */
        struct isa_asm_error error = {0};
        struct isa_inst inst;
        char text[ISA_TEXT];
        assert_true(isa_decode(isa_assembler_decoder(assembler), word, 0, &inst));
        isa_print(&inst, text);
        assert_true(isa_assemble(assembler, text, strlen(text), 0, NULL, NULL, &again, &error));
        assert_true(again.lo == word.lo && again.hi == word.hi);
    }
    isa_assembler_destroy(assembler);
}

static void control_bits_are_read_as_they_are_printed(void **state)
{
    (void)state;
    struct isa_control control;
    struct isa_asm_error error = {0};
    for (uint64_t bits = 0; bits < 1 << 17; bits += 7) {
        struct word128 word = {.hi = bits << 41}, again = {0, 0};
        char text[32];
        isa_print_control(isa_control_decode(word), text);
        assert_true(isa_parse_control(text, strlen(text), &control, &error));
        isa_control_encode(control, &again);
        assert_true(again.hi == word.hi);
    }
    static const struct {
        const char *text;
        size_t column;
    } wrong[] = {{"", 0},
                 {"[B--3---:R-:W0:-:S04]", 4},
                 {"[B------:R7:W0:-:S04]", 10},
                 {"[B------:R-:W:-:S04]", 13},
                 {"[B------:R-:W0:N:S04]", 15},
                 {"[B------:R-:W0:-:S16]", 18},
                 {"[B------:R-:W0:-:S4]", 18},
                 {"[B------:R-:W0:-:S04] ", 21}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(isa_parse_control(wrong[i].text, strlen(wrong[i].text), &control, &error));
        assert_int_equal(error.column, wrong[i].column);
    }
}

UNIT_TESTS(UNIT(instructions_assemble_to_the_words_of_compiled_code), UNIT(mistakes_are_told_with_their_column),
           UNIT(an_error_lists_the_forms_of_the_mnemonic), UNIT(symbols_are_targets_and_immediates),
           UNIT(floating_point_immediates_keep_their_bits), UNIT(control_bits_are_read_as_they_are_printed))
