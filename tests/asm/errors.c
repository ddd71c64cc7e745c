/* Mistakes, each with the line, the column and the sentence that the user sees. */
#include "tests/asm/assemble.h"

#define BEGIN ".arch sm_86\n.kernel k\n"
#define KERNEL(line) BEGIN line "\nEXIT\n.end\n"

static const struct {
    const char *text;
    unsigned line, column;
    const char *message;
} mistakes[] = {
    {".arch sm_77\n", 1, 7,
     "unknown architecture 'sm_77'; there are sm_60, sm_61, sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, "
     "sm_120"},
    {".arch ampere\n", 1, 7,
     "unknown architecture 'ampere'; there are sm_60, sm_61, sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, "
     "sm_120"},
    {".arch sm_86\n.arch sm_86\n", 2, 1, "the architecture is sm_86 already"},
    {".kernel k\nEXIT\n.end\n", 1, 1, "no architecture: .arch sm_XY must stand before, or --arch on the command line"},
    {"EXIT\n", 1, 1, "an instruction outside of a kernel"},
    {".arch sm_86\nEXIT\n", 2, 1, "an instruction outside of a kernel"},
    {".arch sm_86\n.param a, 4\n", 2, 1, "'.param' outside of a kernel"},
    {".arch sm_86\n", 1, 1, "the file has no kernel"},
    {BEGIN "EXIT\n", 2, 1, "'k' has no .end"},
    {BEGIN ".end\n", 3, 1, "'k' has no instruction"},
    {".arch sm_86\n.kernel\nEXIT\n.end\n", 2, 8, "expected a name"},
    {KERNEL("EXIT\n.end\n.kernel k"), 5, 9, "'k' is already defined in line 2"},
    {KERNEL(".kernel j"), 3, 1, "'.kernel' inside of 'k'; its .end is missing"},
    {KERNEL(".frobnicate 1"), 3, 1, "unknown directive '.frobnicate'"},
    {KERNEL(".param"), 3, 7, "expected a name"},
    {KERNEL(".param a"), 3, 9, "expected ','"},
    {KERNEL(".param a, f31"), 3, 11,
     "unknown type 'f31'; there are u8 to u64, s8 to s64, f16, bf16, f32, f64, ptr, or a number of bytes"},
    {KERNEL(".param a, 0"), 3, 11, "the number of bytes must lie between 1 and 32764"},
    {KERNEL(".param a, 4, x"), 3, 14, "expected the offset"},
    {KERNEL(".param a, 4\n.param a, 4"), 4, 8, "'a' is already defined in line 3"},
    {KERNEL(".param R2, 4"), 3, 8, "'R2' is a register and cannot be a name"},
    {KERNEL(".param a, 40000"), 3, 11, "the number of bytes must lie between 1 and 32764"},
    {KERNEL(".param a, 4 4"), 3, 13, "unexpected '4' at the end of the directive"},
    {KERNEL(".param a, 99999999999999999999999"), 3, 11, "the number of bytes must lie between 1 and 32764"},
    {KERNEL(".shared s"), 3, 10, "expected ','"},
    {KERNEL(".exact\nNOP"), 4, 1, "between .exact and .endexact the control bits must be written"},
    {KERNEL(".exact\n.exact"), 4, 1, ".exact again, before an .endexact"},
    {KERNEL(".endexact"), 3, 1, ".endexact without an .exact"},
    {BEGIN "EXIT\n.exact\n.end\n", 5, 1, "the .exact has no .endexact"},
    {KERNEL(".shared s, 16, 3"), 3, 16, "the alignment must be a power of two"},
    {KERNEL(".shared s, 0"), 3, 12, "the number of bytes must lie between 1 and 1048576"},
    {KERNEL(".shared s, 2000000"), 3, 12, "the number of bytes must lie between 1 and 1048576"},
    {KERNEL(".shared s, 64\n.shared_size 32"), 2, 1, ".shared_size 32 is less than the 64 bytes of the variables"},
    {KERNEL(".registers 256"), 3, 12, "the number of registers must lie between 1 and 255"},
    {KERNEL(".registers 0"), 3, 12, "the number of registers must lie between 1 and 255"},
    {KERNEL(".registers 8\nMOV R8, R0"), 4, 1, "R8 is used, but .registers allows 8 registers"},
    {KERNEL(".registers many"), 3, 12, "expected the number of registers"},
    {KERNEL(".barriers 17"), 3, 11, "the number of barriers must lie between 0 and 16"},
    {KERNEL(".maxntid 0"), 3, 10, "the number of threads must lie between 1 and 1024"},
    {KERNEL(".maxntid 2000"), 3, 10, "the number of threads must lie between 1 and 1024"},
    {KERNEL(".maxntid 8, 8, 8, 8"), 3, 19, "unexpected '8' at the end of the directive"},
    {KERNEL(".cluster 2"), 3, 1, "sm_86 has no clusters"},
    {KERNEL(".maxclusterrank 2"), 3, 1, "sm_86 has no clusters"},
    {KERNEL(".explicitcluster"), 3, 1, "sm_86 has no clusters"},
    {KERNEL(".blocksareclusters"), 3, 1, "sm_86 has no clusters"},
    {KERNEL(".stack 16, closed"), 3, 12, "expected 'open': more than the call tree shows"},
    {KERNEL(".reloc R_CUDA_NOPE, k"), 3, 8, "unknown relocation 'R_CUDA_NOPE'"},
    {KERNEL(".reloc 0x38"), 3, 12, "expected ','"},
    {KERNEL(".reloc 0x38, k\n.reloc 0x39, k\nMOV R0, 0x0"), 4, 1, "the .reloc of line 3 has no instruction yet"},
    {BEGIN "EXIT\n.reloc 0x38, k\n.end\n", 5, 1, "the .reloc of line 4 has nothing to patch"},
    {KERNEL(".reloc 0x38, nothing\nMOV R0, 0x0"), 3, 14, "undefined name 'nothing'"},
    {KERNEL(".u32 1"), 3, 1, "'.u32' outside of a .const, .global or .bank2 block"},
    {KERNEL(".align 4"), 3, 1, "'.align' outside of a .const, .global or .bank2 block"},
    {".arch sm_86\n.const c\n.u32 1\n", 2, 1, "the block has no .end"},
    {".arch sm_86\n.const c\nEXIT\n.end\n", 3, 1, "an instruction among data; .end of line 2's block is missing"},
    {".arch sm_86\n.const c\n.kernel k\n.end\n", 3, 1, "'.kernel' among data; .end of line 2's block is missing"},
    {".arch sm_86\n.const c\n.u8 256\n.end\n", 3, 5, "the number does not fit 8 bits"},
    {".arch sm_86\n.const c\n.u16 -32769\n.end\n", 3, 6, "the number does not fit 16 bits"},
    {".arch sm_86\n.const c\n.f32 one\n.end\n", 3, 6, "expected a floating-point number"},
    {".arch sm_86\n.const c\n.string abc\n.end\n", 3, 9, "expected a string in quotes"},
    {".arch sm_86\n.const c\n.string \"abc\n.end\n", 3, 9, "the string does not end"},
    {".arch sm_86\n.const c\n.string \"\\q\"\n.end\n", 3, 10, "unknown escape; there are \\n \\t \\0 \\\\ and \\\""},
    {".arch sm_86\n.const c\n.u32 c\n.end\n", 3, 6, "an address stands in .u64 of .const or .global"},
    {".arch sm_86\n.const c\n.zero 65537\n.end\n", 3, 1, "the constant bank has more than 64 KiB"},
    {".arch sm_86\n.const c, 3\n.end\n", 2, 11, "the alignment must be a power of two"},
    {".arch sm_86\n.const c\n.end\n.global c\n.end\n", 4, 9, "'c' is already defined in line 2"},
    {".arch sm_86\n.address nothing\n.kernel k\nEXIT\n.end\n", 2, 10, "undefined name 'nothing'"},
    {".arch sm_86\n.reserve r\n", 2, 11, "expected ','"},
    {KERNEL("/* open"), 3, 1, "the comment does not end"},
    {KERNEL("a:\na:"), 4, 1, "'a' is already defined in line 3"},
    {KERNEL("a: b: a:"), 3, 7, "'a' is already defined in line 3"},
    {KERNEL("R0:"), 3, 1, "'R0' is a register and cannot be a name"},
    {".arch sm_86\na:\n", 2, 1, "a label outside of a kernel's code"},
    {KERNEL("BRA nowhere"), 3, 5, "undefined label 'nowhere'"},
    {BEGIN "here:\nEXIT\n.end\n.kernel j\nBRA here\n.end\n", 7, 5, "label 'here' belongs to another kernel"},
    {KERNEL("BRA j\n.end\n.kernel j"), 3, 5, "'j' lies outside of this code: only CALL.ABS reaches it"},
    {KERNEL("MOV R0, c[0x0][n]"), 3, 16, "'n' is no parameter"},
    {KERNEL("MOV R0, c[0x3][n]"), 3, 16, "'n' is no .const"},
    {KERNEL("MOV R0, c[0x4][n]"), 3, 16, "'n' has no .address"},
    {KERNEL("MOV R0, c[0x2][n]"), 3, 16, "'n': only banks 0, 3 and 4 have names"},
    {KERNEL("LDS R0, [R1+tile]"), 3, 13, "'tile' is no .shared variable"},
    {KERNEL("MOV R0, n"), 3, 9, "undefined name 'n'"},
    {KERNEL("MOV R0, 32@lo(n)"), 3, 15, "'n' has no address"},
    {KERNEL(".param p, 4\nMOV R0, p"), 4, 9, "'p' is no number; 32@lo(..) and 32@hi(..) give the halves of an address"},
    {KERNEL("[B------:R-:W-:-:S16] NOP"), 3, 19,
     "expected a stall count of two digits, 00 to 15, as in [B--2---:R-:W0:-:S04]"},
    {KERNEL("[B------:R-:W-:-:S1] NOP"), 3, 19,
     "expected a stall count of two digits, 00 to 15, as in [B--2---:R-:W0:-:S04]"},
    {KERNEL("[B7-----:R-:W-:-:S01] NOP"), 3, 3, "expected '0' or '-', as in [B--2---:R-:W0:-:S04]"},
    {KERNEL("[B-0----:R-:W-:-:S01] NOP"), 3, 4, "expected '1' or '-', as in [B--2---:R-:W0:-:S04]"},
    {KERNEL("[B-----:R-:W-:-:S01] NOP"), 3, 8, "expected '5' or '-', as in [B--2---:R-:W0:-:S04]"},
    {KERNEL("[B------:R6:W-:-:S01] NOP"), 3, 11, "there is no counter 6: they are 0 to 5"},
    {KERNEL("[B------:R-:W7:-:S01] NOP"), 3, 14,
     "expected the number of a counter, 0 to 5, or '-', as in [B--2---:R-:W0:-:S04]"},
    {KERNEL("[B------:R-:W-:X:S01] NOP"), 3, 16, "expected 'Y' or '-', as in [B--2---:R-:W0:-:S04]"},
    {KERNEL("[B------:R-:W-:-:S12] NOP"), 3, 19, "a stall count of 12 needs the yield hint, as in :Y:S12"},
    {KERNEL("[B------:R-:W-:-:S00] NOP"), 3, 19, "a stall count of 0 needs the yield hint, as in :Y:S00"},
    {KERNEL("[B------:R-:W- NOP"), 3, 1, "the control bits need a ']'"},
    {KERNEL("[B------:R-:W-:-:S01]"), 3, 22, "expected an instruction"},
    {KERNEL("[S01] NOP"), 3, 1, "expected '[B', as in [B--2---:R-:W0:-:S04]"},
    {KERNEL("NOP ; NOP"), 3, 7, "one instruction a line: this one has ended"},
    {KERNEL("FADD R0, R1"), 3, 12, "expected ',', but the line ends here"},
    {KERNEL("FADDX R0, R1, R2"), 3, 1, "there is no instruction FADDX; did you mean FADD?"},
    {KERNEL("FADD R0, R1, R300"), 3, 14, "R300 does not exist here: registers are R0 to R254, and RZ"},
    {KERNEL("MOV R0, 0x1ffffffff"), 3, 9,
     "0x1ffffffff does not fit here: the value must lie between -0x80000000 and 0xffffffff"},
    {KERNEL("MOV R0, c[0x20][0x0]"), 3, 11, "0x20 does not fit here: the value must lie between 0x0 and 0x1f"},
    {KERNEL("MOV R0, c[0x0][0x10001]"), 3, 16,
     "0x10001 does not fit here: the value must lie between -0x8000 and 0xffff"},
    {KERNEL("LDG.E.64 R1, [R2.64]"), 3, 10, "R1 is the first of 2 registers here: its number must be a multiple of 2"},
    {KERNEL("@P8 NOP"), 3, 2, "there is no predicate P8: they are P0 to P6, and PT"},
    {KERNEL("@Q NOP"), 3, 2, "expected a predicate such as P0 or !P0 after '@'"},
    {KERNEL("FADD R0, R1, R2 R3"), 3, 17, "expected the end of the line, found 'R3'"},
    {KERNEL(".word 0x123"), 3, 7, "expected a word of 32 hexadecimal digits, as in 0x000fea00038000000000000000007918"},
    {KERNEL("STG.E [R2.64], P0"), 3, 16, "expected a register, found 'P0'"},
    {KERNEL("BAR.SYNC 0x10"), 3, 10, "0x10 does not fit here: the value must lie between 0x0 and 0xf"},
    {KERNEL("!P0 NOP"), 3, 1, "expected an instruction"},
};

static struct asm_output assemble_badly(const char *text)
{
    struct asm_output output;
    struct status status = {0};
    const struct asm_input input = {.text = text, .size = strlen(text)};
    if (asm_assemble(&input, &output, &status))
        fail_msg("%s: no error", text);
    assert_null(output.cubin);
    assert_int_equal(status.code, STATUS_OK);
    assert_true(output.errors.count > 0);
    return output;
}

static void every_mistake_is_reported_where_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct asm_output output = assemble_badly(mistakes[i].text);
        const struct diagnostic *d = &output.errors.items[0];
        if (d->line != mistakes[i].line || d->column != mistakes[i].column ||
            strcmp(d->message, mistakes[i].message) != 0)
            fail_msg("%s%u:%u: %s, not %u:%u: %s", mistakes[i].text, d->line, d->column, d->message, mistakes[i].line,
                     mistakes[i].column, mistakes[i].message);
    }
}

static void every_line_with_a_mistake_is_reported(void **state)
{
    (void)state;
    struct asm_output output =
        assemble_badly(BEGIN ".nope\nFADD R0\nBRA nowhere\nMOV R0, R1\n.registers x\nEXIT\n.end\n");
    static const unsigned lines[] = {3, 4, 5, 7};
    assert_int_equal(output.errors.count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(output.errors.items[i].line, lines[i]);
}

static void at_most_twenty_lines_are_reported(void **state)
{
    (void)state;
    char text[1024] = BEGIN;
    for (unsigned i = 0; i < 30; i++)
        strcat(text, "FADD R0\n");
    strcat(text, ".end\n");
    struct asm_output output = assemble_badly(text);
    assert_int_equal(output.errors.count, 20);
    assert_int_equal(output.errors.dropped, 10);
}

static void a_mistake_is_shown_with_its_line_and_the_forms(void **state)
{
    (void)state;
    static const char text[] = BEGIN "\tIADD3 R0, R1, R2, P0\nEXIT\n.end\n";
    struct asm_output output = assemble_badly(text);
    char *shown = NULL;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    diagnostics_print(&output.errors, "a.sass", text, strlen(text), out);
    fclose(out);
    static const char expected[] = "a.sass:3:20: error: ",
                      caret[] = "\n    \tIADD3 R0, R1, R2, P0\n    \t                  ^\n";
    assert_memory_equal(shown, expected, sizeof expected - 1);
    assert_non_null(strstr(shown, caret));
    assert_non_null(strstr(shown, "\n    forms: IADD3 Rd"));
    free(shown);
}

static void a_file_for_another_architecture_is_refused_when_one_is_asked_for(void **state)
{
    (void)state;
    struct asm_output output;
    struct status status = {0};
    static const char text[] = ".arch sm_86\n.kernel k\nEXIT\n.end\n";
    const struct asm_input input = {.text = text, .size = strlen(text), .arch = 90, .arch_binding = true};
    assert_false(asm_assemble(&input, &output, &status));
    assert_string_equal(output.errors.items[0].message, "the file is for sm_86, not for sm_90 as --arch says");
}

UNIT_TESTS(UNIT(every_mistake_is_reported_where_it_is), UNIT(every_line_with_a_mistake_is_reported),
           UNIT(at_most_twenty_lines_are_reported), UNIT(a_mistake_is_shown_with_its_line_and_the_forms),
           UNIT(a_file_for_another_architecture_is_refused_when_one_is_asked_for))
