/* Every recorded instruction decodes to exactly one row, prints as nvdisasm prints it, and is assembled again from its
 * text: sm_NN.zst, made by tools/corpus.py, holds words of compiled kernels and nvdisasm's texts. docs/disassembly.md
 * describes both.
 *
 *   count, 4 bytes | byte 0 of every word, then byte 1, ... byte 15 | a line of text for each word
 *
 * Word i stands at 16 * (i % CHUNK), to which branch targets in the texts refer. */
#include <zstd.h>

#include "isa/assemble.h"
#include "isa/table.h"
#include "tests/unit.h"

enum { CHUNK = 8192, WORD = 16, LINE = 256, KNOWN = 64, SHOWN = 20, QUICK_STEP = 3 };

struct corpus {
    char *data;
    const unsigned char *planes;
    const char *texts;
    uint32_t count;
};

/* A line of differences.txt: instructions whose text may differ, and why. */
struct known {
    unsigned sm; /* 0: all */
    char mnemonic[LINE];
};

static const unsigned ARCHITECTURES[] = {70, 75, 80, 86, 89, 90, 100, 120};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = '\0';
    fclose(file);
    return data;
}

static struct corpus corpus_open(unsigned sm)
{
    char name[64], path[4096];
    size_t packed_size;
    snprintf(name, sizeof name, "tests/corpus/sm_%u.zst", sm);
    char *packed = read_file(unit_path(path, name), &packed_size);
    unsigned long long size = ZSTD_getFrameContentSize(packed, packed_size);
    assert_true(size < 1ull << 28);
    struct corpus corpus = {.data = malloc((size_t)size + 1)};
    assert_non_null(corpus.data);
    assert_int_equal(ZSTD_decompress(corpus.data, (size_t)size, packed, packed_size), size);
    free(packed);
    corpus.data[size] = '\0';
    memcpy(&corpus.count, corpus.data, sizeof corpus.count);
    assert_true(size > sizeof corpus.count + (uint64_t)corpus.count * (WORD + 1));
    corpus.planes = (const unsigned char *)corpus.data + sizeof corpus.count;
    corpus.texts = (const char *)corpus.planes + (size_t)corpus.count * WORD;
    return corpus;
}

static struct word128 word_at(const struct corpus *corpus, uint32_t i)
{
    struct word128 word = {0};
    for (unsigned byte = 0; byte < WORD; byte++) {
        uint64_t bits = (uint64_t)corpus->planes[(size_t)byte * corpus->count + i] << (byte % 8 * 8);
        *(byte < 8 ? &word.lo : &word.hi) |= bits;
    }
    return word;
}

/* Copies the line and returns the start of the next. */
static const char *next_text(const char *at, char line[static LINE])
{
    size_t length = strcspn(at, "\n");
    assert_true(length < LINE && at[length] == '\n');
    memcpy(line, at, length);
    line[length] = '\0';
    return at + length + 1;
}

/* Runs of spaces count as one, and those at the end not at all. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || (from[1] != ' ' && from[1] != '\0'))
            *to++ = *from;
    *to = '\0';
}

static bool fits(const struct table_entry *entry, struct word128 word)
{
    return (word.lo & entry->mask.lo) == entry->value.lo && (word.hi & entry->mask.hi) == entry->value.hi;
}

/* A row that asks for more than another hides it. */
static bool hides(const struct table_entry *entry, const struct table_entry *other)
{
    bool more = entry->mask.lo != other->mask.lo || entry->mask.hi != other->mask.hi;
    return more && (entry->mask.lo & other->mask.lo) == other->mask.lo &&
           (entry->mask.hi & other->mask.hi) == other->mask.hi;
}

static unsigned rows_of(const struct isa_decoder *decoder, struct word128 word)
{
    const struct table_entry *found = table_find(decoder, word);
    if (!found)
        return 0;
    unsigned rows = 0;
    for (uint16_t at = decoder->by_opcode[found->opcode]; at != TABLE_END; at = decoder->entry[at].next) {
        const struct table_entry *entry = &decoder->entry[at];
        rows += fits(entry, word) && (entry == found || !hides(found, entry));
    }
    return rows;
}

static unsigned read_known(struct known list[static KNOWN])
{
    char path[4096], line[1024];
    FILE *file = fopen(unit_path(path, "tests/corpus/differences.txt"), "r");
    assert_non_null(file);
    unsigned count = 0;
    while (fgets(line, sizeof line, file)) {
        char sm[LINE];
        if (*line == '#' || *line == '\n')
            continue;
        assert_true(count < KNOWN);
        assert_int_equal(sscanf(line, "%255s %255s", sm, list[count].mnemonic), 2);
        list[count++].sm = *sm == '*' ? 0 : (unsigned)strtoul(sm, NULL, 10);
    }
    fclose(file);
    return count;
}

static bool is_known(const struct known *list, unsigned count, unsigned sm, const char *text)
{
    if (*text == '@')
        text += strcspn(text, " ") + 1;
    for (unsigned i = 0; i < count; i++)
        if ((list[i].sm == 0 || list[i].sm == sm) && strncmp(text, list[i].mnemonic, strlen(list[i].mnemonic)) == 0)
            return true;
    return false;
}

struct figures {
    unsigned long instructions, ambiguous, unreadable, different, unknown;
};

static void check_text(unsigned sm, const struct isa_inst *inst, const char *want, struct figures *figures)
{
    static struct known known[KNOWN];
    static unsigned known_count = KNOWN + 1;
    if (known_count > KNOWN)
        known_count = read_known(known);
    char text[ISA_TEXT];
    isa_print(inst, text);
    squeeze(text);
    if (strcmp(text, want) == 0)
        return;
    figures->different++;
    if (is_known(known, known_count, sm, want))
        return;
    if (figures->unknown++ < SHOWN)
        print_message("# sm_%u %016llx%016llx is \"%s\", printed as \"%s\"\n", sm, (unsigned long long)inst->word.hi,
                      (unsigned long long)inst->word.lo, want, text);
}

static struct figures check_architecture(unsigned sm)
{
    struct status status = {0};
    struct isa_decoder *decoder = isa_decoder_create(sm, &status);
    assert_non_null(decoder);
    struct corpus corpus = corpus_open(sm);
    struct figures figures = {.instructions = corpus.count};
    const char *at = corpus.texts;
    for (uint32_t i = 0; i < corpus.count; i++) {
        char want[LINE];
        at = next_text(at, want);
        struct word128 word = word_at(&corpus, i);
        struct isa_inst inst;
        unsigned rows = rows_of(decoder, word);
        figures.unreadable += rows == 0;
        figures.ambiguous += rows > 1;
        isa_decode(decoder, word, i % CHUNK * WORD, &inst);
        check_text(sm, &inst, want, &figures);
    }
    free(corpus.data);
    isa_decoder_destroy(decoder);
    return figures;
}

static void every_instruction_has_one_row_and_the_text_of_nvdisasm(void **state)
{
    (void)state;
    unsigned long total = 0, bad = 0;
    for (unsigned i = 0; i < ARCHITECTURE_COUNT; i++) {
        struct figures f = check_architecture(ARCHITECTURES[i]);
        print_message("# sm_%u: %lu instructions, %lu without a row, %lu with several, %lu texts differ (%.3f %%), "
                      "%lu of them unexplained\n",
                      ARCHITECTURES[i], f.instructions, f.unreadable, f.ambiguous, f.different,
                      100.0 * (double)f.different / (double)f.instructions, f.unknown);
        total += f.instructions;
        bad += f.unreadable + f.ambiguous + f.unknown + (f.different * 1000 > f.instructions);
    }
    print_message("# %lu instructions\n", total);
    assert_true(total >= 150000);
    assert_int_equal(bad, 0);
}

static bool assembles_again(const struct isa_assembler *assembler, struct word128 word, uint32_t pc, bool *as_number)
{
    struct isa_inst inst;
    struct isa_control control;
    struct isa_asm_error error = {0};
    char text[ISA_TEXT], notation[32];
    struct word128 again = {0};
    isa_decode(isa_assembler_decoder(assembler), word, pc, &inst);
    isa_print_exact(assembler, &inst, text);
    isa_print_control(inst.control, notation);
    *as_number = strncmp(text, ".word", 5) == 0;
    if (!isa_assemble(assembler, text, strlen(text), pc, NULL, NULL, &again, &error) ||
        !isa_parse_control(notation, strlen(notation), &control, &error)) {
        print_message("# \"%s\": %s\n", text, error.message);
        return false;
    }
    isa_control_encode(control, &again);
    if (again.lo == word.lo && again.hi == word.hi)
        return true;
    print_message("# \"%s\": %016llx%016llx has become %016llx%016llx\n", text, (unsigned long long)word.hi,
                  (unsigned long long)word.lo, (unsigned long long)again.hi, (unsigned long long)again.lo);
    return false;
}

static unsigned long assemble_architecture(unsigned sm)
{
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(sm, &status);
    assert_non_null(assembler);
    struct corpus corpus = corpus_open(sm);
    unsigned long numbers = 0, wrong = 0;
    for (uint32_t i = 0; i < corpus.count && wrong < SHOWN; i += unit_full() ? 1 : QUICK_STEP) {
        bool as_number;
        wrong += !assembles_again(assembler, word_at(&corpus, i), i % CHUNK * WORD, &as_number);
        numbers += as_number;
    }
    print_message("# sm_%u: %lu of %lu instructions have no text to assemble, %lu give other bits\n", sm, numbers,
                  (unsigned long)corpus.count, wrong);
    free(corpus.data);
    isa_assembler_destroy(assembler);
    return numbers + wrong;
}

static void instructions_are_assembled_from_their_texts_with_their_control_bits(void **state)
{
    (void)state;
    unsigned long bad = 0;
    for (unsigned i = 0; i < ARCHITECTURE_COUNT; i++)
        bad += assemble_architecture(ARCHITECTURES[i]);
    assert_int_equal(bad, 0);
}

UNIT_TESTS(UNIT(every_instruction_has_one_row_and_the_text_of_nvdisasm),
           UNIT(instructions_are_assembled_from_their_texts_with_their_control_bits))
