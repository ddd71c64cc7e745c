/* Words with the text that the vendor's disassembler gives them: vectors.txt, lines "sm pc word text". They are taken
 * from compiled kernels and from such words with single bits changed. */
#include "isa/isa.h"
#include "tests/unit.h"

enum { ARCHITECTURES = 128 };

static const struct isa_decoder *decoder_of(struct isa_decoder *decoders[static ARCHITECTURES], unsigned sm)
{
    struct status status = {0};
    assert_true(sm < ARCHITECTURES);
    if (!decoders[sm])
        decoders[sm] = isa_decoder_create(sm, &status);
    assert_non_null(decoders[sm]);
    return decoders[sm];
}

/* Runs of spaces count as one. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || from[1] != ' ')
            *to++ = *from;
    *to = '\0';
}

static void every_recorded_word_prints_as_recorded(void **state)
{
    (void)state;
    char path[4096], line[512], text[ISA_TEXT], want[ISA_TEXT];
    FILE *file = fopen(unit_path(path, "tests/isa/vectors.txt"), "r");
    assert_non_null(file);
    struct isa_decoder *decoders[ARCHITECTURES] = {NULL};
    unsigned lines = 0, wrong = 0;
    while (fgets(line, sizeof line, file)) {
        unsigned sm, pc;
        unsigned long long hi, lo;
        assert_int_equal(sscanf(line, "%u %x %16llx%16llx %255[^\n]", &sm, &pc, &hi, &lo, want), 5);
        struct isa_inst inst;
        isa_decode(decoder_of(decoders, sm), (struct word128){.lo = lo, .hi = hi}, pc, &inst);
        isa_print(&inst, text);
        squeeze(text);
        lines++;
        if (strcmp(text, want) != 0) {
            print_error("%s  is printed as %s\n", line, text);
            wrong++;
        }
    }
    fclose(file);
    for (unsigned sm = 0; sm < ARCHITECTURES; sm++)
        isa_decoder_destroy(decoders[sm]);
    assert_int_equal(wrong, 0);
    assert_true(lines > 1000);
}

UNIT_TESTS(UNIT(every_recorded_word_prints_as_recorded))
