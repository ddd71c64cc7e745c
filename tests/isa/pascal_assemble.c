/* Lines of Pascal: the words that they assemble to, mistakes, and words of every row with random bits, which assemble
 * from their texts. tests/corpus/pascal.c has compiled instructions. */
#include "base/hash.h"
#include "isa/assemble.h"
#include "isa/pascal_rows.h"
#include "tests/unit.h"

enum { WORDS = 400, QUICK_WORDS = 60, OPCODE_LOW = 48, REUSE_LOW = 17 };

static struct isa_assembler *create(unsigned sm)
{
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(sm, &status);
    assert_non_null(assembler);
    return assembler;
}

static bool assemble(const char *text, uint32_t pc, isa_symbol_fn *resolve, struct word128 *word,
                     struct isa_asm_error *error)
{
    struct isa_assembler *assembler = create(61);
    bool good = isa_assemble(assembler, text, strlen(text), pc, resolve, NULL, word, error);
    isa_assembler_destroy(assembler);
    return good;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint64_t word;
    uint32_t reuse;
} lines[] = {
    {"MOV R1, c[0x0][0x20]", 0x4c98078000870001, 0},
    {"S2R R0, SR_CTAID.X", 0xf0c8000002570000, 0},
    {"FFMA R6, R0, R6, R0", 0x5980000000670006, 0},
    {"FFMA R6, R0.reuse, R6, R0.reuse", 0x5980000000670006, 5},
    {"@!P1 FADD R3, R3, R9.reuse", 0x5c58000000990303, 4},
    {"FFMA R4, R4, 3.NEG, R5", 0x328102c040070404, 0},
    {"XMAD R0, R4, c[0x0] [0x20], R5", 0x4e00028000870400, 0},
    {"LOP.XOR R7, R7, R8", 0x5c47040000870707, 0},
    {"LOP3.LUT R9, R9, c[0x2][0x18], R2.reuse, 0xf8", 0x02f8010800670909, 4},
    {"SHFL.BFLY PT, R23, R34, 0x1, 0x1f", 0xef17007cf0172217, 0},
    {"BAR.SYNC 0x0", 0xf0a81b8000070000, 0},
    {"DEPBAR.LE SB0, 0x0, {4,3,2}", 0xf0f000002007001c, 0},
    {"NOP", 0x50b0000000070f00, 0},
    {"EXIT", 0xe30000000007000f, 0},
    {".dword 0x0123456789abcdef", 0x0123456789abcdef, 0},
    {".dword 0x0123456789abcdef {@67=0x1, @64=0x1}", 0x0123456789abcdef, 9},
    {"MOV R1, c[0x0][0x20] {@42:39=0x7}", 0x4c98038000870001, 0},
};

static void lines_assemble_to_the_words_of_compiled_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct word128 word;
        struct isa_asm_error error = {0};
        if (!assemble(lines[i].text, 0, NULL, &word, &error))
            fail_msg("%s: column %zu: %s", lines[i].text, error.column, error.message);
        if (word.lo != lines[i].word || word.hi != (uint64_t)lines[i].reuse << REUSE_LOW)
            fail_msg("%s: %016llx, reuse %llx", lines[i].text, (unsigned long long)word.lo,
                     (unsigned long long)word.hi >> REUSE_LOW);
    }
}

static const struct {
    const char *text;
    size_t column;
    const char *message;
} mistakes[] = {
    {"FAD R0, R1, R2", 0, "there is no instruction FAD; did you mean FADD?"},
    {"LDGSTS R0", 0, "LDGSTS exists on sm_80 and later only, not on sm_61"},
    {"FADD R0, R1", 11, "expected ',', but the line ends here"},
    {"FADD R0, R1, R256", 13, "R256 does not exist here: registers are R0 to R254, and RZ"},
    {"FADD R0, R1, 0.1", 13, "0.1 has more digits than the 20 upper bits hold that are encoded"},
    {"IADD R0, R1, 0x80000", 13, "0x80000 does not fit here: the value must lie between -0x80000 and 0x7ffff"},
    {"IADD R0, R1, c[0x0][0x22]", 20, "offset of a constant: it must be a multiple of 4"},
    {"ATOMS.ADD R0, [R1+0x2], R2", 18, "this offset must be a multiple of 4"},
    {"BRA 0x44", 4, "0x44 is no place for an instruction: it must be a multiple of 8"},
    {"BRA 0x8000000", 4, "the target is too far away: the distance has 24 bits"},
    {"@P0 SSY 0x40", 0, "this instruction takes no guard"},
    {"@UP0 NOP", 1, "the guard of this instruction is the thread's own predicate"},
    {"BRA nowhere", 4, "'nowhere' is not defined"},
    {".dword 0x12", 7, "expected a word of 16 hexadecimal digits, as in 0x50b0000000070f00"},
    {"NOP {@68=0x1}", 4, "an instruction has bits 0 to 63, and 64 to 67 are its reuse bits"},
};

static void mistakes_are_told_with_their_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct word128 word;
        struct isa_asm_error error = {0};
        assert_false(assemble(mistakes[i].text, 0, NULL, &word, &error));
        if (error.column != mistakes[i].column || strcmp(error.message, mistakes[i].message) != 0)
            fail_msg("%s: column %zu: %s", mistakes[i].text, error.column, error.message);
    }
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

static bool resolve(void *context, const struct isa_symbol *symbol, int64_t *value)
{
    (void)context;
    *value = 0x60;
    return symbol->length == 1 && (*symbol->name == 'x' || *symbol->name == 'y');
}

static void symbols_are_targets_and_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *number;
    } pairs[] = {{"@P1 BRA `(x)", "@P1 BRA 0x60"},
                 {"SSY y", "SSY 0x60"},
                 {"MOV32I R3, x", "MOV32I R3, 0x60"},
                 {"IADD R3, R4, y", "IADD R3, R4, 0x60"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct word128 symbol, number;
        struct isa_asm_error error = {0};
        if (!assemble(pairs[i].symbol, 0x30, resolve, &symbol, &error))
            fail_msg("%s: %s", pairs[i].symbol, error.message);
        assert_true(assemble(pairs[i].number, 0x30, NULL, &number, &error));
        assert_int_equal(symbol.lo, number.lo);
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void check_word(const struct isa_assembler *assembler, struct word128 word, uint32_t pc)
{
    struct isa_inst inst;
    struct isa_asm_error error = {0};
    struct word128 again;
    char text[ISA_TEXT];
    isa_decode(isa_assembler_decoder(assembler), word, pc, &inst);
    isa_print_exact(assembler, &inst, text);
    if (!isa_assemble(assembler, text, strlen(text), pc, NULL, NULL, &again, &error))
        fail_msg("%016llx: %s: column %zu: %s", (unsigned long long)word.lo, text, error.column, error.message);
    isa_assembler_set_control(assembler, isa_assembler_control(assembler, word), &again);
    if (again.lo != word.lo || again.hi != word.hi)
        fail_msg("%05llx %016llx: %s is assembled to %05llx %016llx", (unsigned long long)word.hi,
                 (unsigned long long)word.lo, text, (unsigned long long)again.hi, (unsigned long long)again.lo);
}

static struct word128 random_word(const struct pascal_row *row, unsigned form, uint64_t seed)
{
    uint64_t mask = (uint64_t)pascal_mask(row, form) << OPCODE_LOW;
    uint64_t bits = seed % 2 ? hash_mix(seed) : hash_mix(seed) & hash_mix(seed + 1) & hash_mix(seed + 2);
    return (struct word128){(bits & ~mask) | (uint64_t)pascal_opcode(row, form) << OPCODE_LOW,
                            hash_mix(~seed) & 0x1fffff};
}

static void exact_text_of_any_word_assembles_to_it(void **state)
{
    (void)state;
    struct isa_assembler *assembler = create(60);
    for (unsigned i = 0; i < pascal_row_count(); i++)
        for (unsigned n = 0; n < (unit_full() ? WORDS : QUICK_WORDS); n++) {
            uint64_t seed = (uint64_t)i * WORDS + n;
            unsigned form = pascal_rows[i].forms ? 1u << n % 4 : PASCAL_R;
            if (pascal_rows[i].forms == 0 || pascal_rows[i].forms & form)
                check_word(assembler, random_word(&pascal_rows[i], form, seed), (uint32_t)hash_mix(seed) % 4096 * 16);
        }
    isa_assembler_destroy(assembler);
}

static void words_without_a_row_are_assembled_from_their_digits(void **state)
{
    (void)state;
    struct isa_assembler *assembler = create(61);
    for (uint64_t n = 0; n < 4000; n++)
        check_word(assembler, (struct word128){hash_mix(2 * n), hash_mix(2 * n + 1) & 0x1fffff}, (uint32_t)n * 16);
    isa_assembler_destroy(assembler);
}

UNIT_TESTS(UNIT(lines_assemble_to_the_words_of_compiled_code), UNIT(mistakes_are_told_with_their_column),
           UNIT(symbols_are_targets_and_numbers), UNIT(exact_text_of_any_word_assembles_to_it),
           UNIT(words_without_a_row_are_assembled_from_their_digits))
