/* Every recorded instruction of sm_60 and sm_61 prints as nvdisasm prints it, and its text assembles to its bits:
 * pascal.zst, made by
 * tools/pascal_corpus.py. A line has the architectures, reuse bits and word, byte offset and text, between tabs. */
#include <zstd.h>

#include "isa/assemble.h"
#include "isa/pascal.h"
#include "tests/unit.h"

enum { SHOWN = 20, DIGITS = 5 + 16, LEAST = 60000 };

struct line {
    uint64_t word;
    uint32_t reuse, pc;
    const char *architectures, *text;
};

static char *read_packed(size_t *size)
{
    char path[4096];
    FILE *file = fopen(unit_path(path, "tests/corpus/pascal.zst"), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static char *read_corpus(void)
{
    size_t packed_size;
    char *packed = read_packed(&packed_size);
    unsigned long long size = ZSTD_getFrameContentSize(packed, packed_size);
    assert_true(size < 1ull << 26);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(ZSTD_decompress(text, (size_t)size, packed, packed_size), size);
    text[size] = '\0';
    free(packed);
    return text;
}

/* The next line of the corpus, which is changed; false at its end. */
static bool take_line(char **at, struct line *line)
{
    if (**at == '\0')
        return false;
    line->architectures = *at;
    char *code = strchr(*at, '\t');
    assert_non_null(code);
    *code++ = '\0';
    assert_int_equal(strcspn(code, "\t"), DIGITS);
    char reuse[6] = "";
    memcpy(reuse, code, 5);
    line->reuse = (uint32_t)strtoul(reuse, NULL, 16);
    line->word = strtoull(code + 5, &code, 16);
    line->pc = (uint32_t)strtoul(code + 1, &code, 16);
    line->text = code + 1;
    *at = strchr(code + 1, '\n');
    assert_non_null(*at);
    *(*at)++ = '\0';
    return true;
}

/* Texts end with the space behind an infinity in nvdisasm's column, which the corpus has not. */
static void cut_spaces(char *text)
{
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
        text[n - 1] = '\0';
}

static bool prints_alike(const struct line *line, unsigned sm, char text[static ISA_TEXT])
{
    struct pascal_inst inst;
    bool known = pascal_decode(sm, line->word, line->reuse, line->pc, &inst);
    pascal_print(&inst, text);
    cut_spaces(text);
    return known && strcmp(text, line->text) == 0;
}

static void instructions_print_as_nvdisasm_prints_them(void **state)
{
    (void)state;
    static const struct {
        unsigned sm;
        const char *name;
    } architectures[] = {{60, "60"}, {61, "61"}};
    unsigned count[2] = {0}, wrong = 0;
    char *corpus = read_corpus(), *at = corpus;
    struct line line;
    while (take_line(&at, &line)) {
        for (size_t i = 0; i < 2; i++) {
            char text[ISA_TEXT];
            if (!strstr(line.architectures, architectures[i].name))
                continue;
            count[i]++;
            if (!prints_alike(&line, architectures[i].sm, text) && wrong++ < SHOWN)
                print_error("sm_%u %016llx: nvdisasm '%s', here '%s'\n", architectures[i].sm,
                            (unsigned long long)line.word, line.text, text);
        }
    }
    free(corpus);
    print_message("# sm_60: %u instructions, sm_61: %u; %u differ\n", count[0], count[1], wrong);
    assert_int_equal(wrong, 0);
    assert_true(count[0] > 40000 && count[1] > LEAST);
}

struct assembled {
    unsigned count, braces, numbers, wrong;
};

static bool gives(const struct isa_assembler *assembler, const char *text, uint32_t pc, struct word128 want)
{
    struct word128 word;
    struct isa_asm_error error = {0};
    if (!isa_assemble(assembler, text, strlen(text), pc, NULL, NULL, &word, &error)) {
        print_error("'%s': column %zu: %s\n", text, error.column, error.message);
        return false;
    }
    return word.lo == want.lo && word.hi == want.hi;
}

/* nvdisasm's text, or the same with bits in braces that it does not show. */
static void assemble_line(const struct isa_assembler *assembler, const struct line *line, struct assembled *sum)
{
    char text[ISA_TEXT];
    struct isa_inst inst;
    const struct word128 want = {line->word, line->reuse & 15u << 17};
    uint32_t pc = pascal_pc(line->pc);
    assert_true(isa_decode(isa_assembler_decoder(assembler), want, pc, &inst));
    sum->count++;
    if (gives(assembler, line->text, pc, want))
        return;
    isa_print_exact(assembler, &inst, text);
    sum->numbers += strncmp(text, ".dword", 6) == 0;
    sum->braces++;
    sum->wrong += !gives(assembler, text, pc, want);
}

static void instructions_are_assembled_from_the_texts_of_nvdisasm(void **state)
{
    (void)state;
    enum { MOST_BRACES = 16 };
    struct status status = {0};
    struct assembled sum = {0};
    struct isa_assembler *assemblers[] = {isa_assembler_create(60, &status), isa_assembler_create(61, &status)};
    char *corpus = read_corpus(), *at = corpus;
    struct line line;
    assert_true(assemblers[0] && assemblers[1]);
    while (take_line(&at, &line))
        assemble_line(assemblers[strstr(line.architectures, "61") != NULL], &line, &sum);
    free(corpus);
    isa_assembler_destroy(assemblers[0]);
    isa_assembler_destroy(assemblers[1]);
    print_message("# %u texts, %u of them need bits in braces, %u are numbers, %u give other bits\n", sum.count,
                  sum.braces, sum.numbers, sum.wrong);
    assert_int_equal(sum.wrong, 0);
    assert_int_equal(sum.numbers, 0);
    assert_true(sum.count > LEAST && sum.braces <= MOST_BRACES);
}

UNIT_TESTS(UNIT(instructions_print_as_nvdisasm_prints_them),
           UNIT(instructions_are_assembled_from_the_texts_of_nvdisasm))
