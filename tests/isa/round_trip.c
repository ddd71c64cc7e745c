/* Every row of every architecture with random bits: text assembles to the word that it was printed from. */
#include "base/hash.h"
#include "isa/assemble.h"
#include "isa/table.h"
#include "tests/unit.h"

static const unsigned ARCHITECTURES[] = {70, 75, 80, 86, 89, 90, 100, 120};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES, WORDS = 12, QUICK = 3 };

/* Three ways to fill fields, of which the quick form has one word each: anything, mostly registers that suit wide
 * operands, mostly zeros. */
static struct word128 random_word(const struct table_entry *entry, uint64_t seed)
{
    struct word128 word = {hash_mix(seed), hash_mix(seed ^ UINT64_C(0x5bd1e995))};
    if (seed % 3 == 1) {
        word.lo &= UINT64_C(0xfffffffcfcfcffff);
        word.hi &= UINT64_C(0xfffffffffffffffc);
    } else if (seed % 3 == 2) {
        word.lo &= hash_mix(seed + 1) & hash_mix(seed + 2);
        word.hi &= hash_mix(seed + 3) & hash_mix(seed + 4);
    }
    word.lo = (word.lo & ~(entry->mask.lo | 0xfff)) | entry->value.lo | (entry->opcode & 0xfffu);
    word.hi =
        (word.hi & ~(entry->mask.hi | UINT64_C(1) << 27)) | entry->value.hi | (uint64_t)(entry->opcode >> 12) << 27;
    return word;
}

static bool same(struct word128 a, struct word128 b) { return a.lo == b.lo && a.hi == b.hi; }

static void check_word(const struct isa_assembler *assembler, struct word128 word, uint32_t pc)
{
    struct isa_inst inst;
    struct isa_control control = {0};
    struct isa_asm_error error = {0};
    struct word128 again;
    char text[ISA_TEXT], notation[32];
    isa_decode(isa_assembler_decoder(assembler), word, pc, &inst);
    isa_print_exact(assembler, &inst, text);
    isa_print_control(inst.control, notation);
    if (!isa_assemble(assembler, text, strlen(text), pc, NULL, NULL, &again, &error) ||
        !isa_parse_control(notation, strlen(notation), &control, &error))
        fail_msg("%016llx%016llx: %s: column %zu: %s", (unsigned long long)word.hi, (unsigned long long)word.lo, text,
                 error.column, error.message);
    isa_control_encode(control, &again);
    if (!same(word, again))
        fail_msg("%016llx%016llx: %s is assembled to %016llx%016llx", (unsigned long long)word.hi,
                 (unsigned long long)word.lo, text, (unsigned long long)again.hi, (unsigned long long)again.lo);
}

/* A line of the disassembler is refused for its registers only. */
static void check_text(const struct isa_assembler *assembler, struct word128 word, uint32_t pc)
{
    struct isa_inst inst;
    struct isa_asm_error error = {0};
    struct word128 once, twice;
    char text[ISA_TEXT];
    if (!isa_decode(isa_assembler_decoder(assembler), word, pc, &inst))
        return;
    isa_print(&inst, text);
    if (!isa_assemble(assembler, text, strlen(text), pc, NULL, NULL, &once, &error)) {
        if (!strstr(error.message, "must be a multiple of"))
            fail_msg("%016llx%016llx: %s: column %zu: %s", (unsigned long long)word.hi, (unsigned long long)word.lo,
                     text, error.column, error.message);
        return;
    }
    assert_true(isa_decode(isa_assembler_decoder(assembler), once, pc, &inst));
    isa_print(&inst, text);
    if (!isa_assemble(assembler, text, strlen(text), pc, NULL, NULL, &twice, &error) || !same(once, twice))
        fail_msg("%s does not give back the word that it was printed from", text);
}

static void for_random_words(void (*check)(const struct isa_assembler *, struct word128, uint32_t))
{
    for (unsigned i = 0; i < ARCHITECTURE_COUNT; i++) {
        struct status status = {0};
        struct isa_assembler *assembler = isa_assembler_create(ARCHITECTURES[i], &status);
        assert_non_null(assembler);
        const struct isa_decoder *table = isa_assembler_decoder(assembler);
        assert_true(table_build_all(table, &status));
        for (unsigned k = 0; k < table->entries; k++)
            for (unsigned n = 0; n < (unit_full() ? WORDS : QUICK); n++) {
                uint64_t seed = ((uint64_t)i << 16 | k) * WORDS + n;
                check(assembler, random_word(&table->entry[k], seed), (uint32_t)(hash_mix(seed) & 0xffff0));
            }
        isa_assembler_destroy(assembler);
    }
}

static void exact_text_of_any_word_assembles_to_it(void **state)
{
    (void)state;
    for_random_words(check_word);
}

static void plain_text_assembles_unless_its_registers_are_wrong(void **state)
{
    (void)state;
    for_random_words(check_text);
}

static void words_without_a_row_are_assembled_from_their_digits(void **state)
{
    (void)state;
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(90, &status);
    assert_non_null(assembler);
    for (uint64_t n = 0; n < 20000; n++)
        check_word(assembler, (struct word128){hash_mix(2 * n), hash_mix(2 * n + 1)}, (uint32_t)n * 16);
    isa_assembler_destroy(assembler);
}

UNIT_TESTS(UNIT(exact_text_of_any_word_assembles_to_it), UNIT(plain_text_assembles_unless_its_registers_are_wrong),
           UNIT(words_without_a_row_are_assembled_from_their_digits))
