/* Arbitrary text as one instruction: it is refused with a message, or the word that it gives prints as text that gives
 * the same word. The first byte chooses the architecture. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/assemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct isa_assembler *assembler_of(unsigned choice)
{
    static const unsigned known[] = {70, 75, 80, 86, 89, 90, 100, 120, 60, 61};
    enum { COUNT = sizeof known / sizeof *known };
    static struct isa_assembler *assemblers[COUNT];
    struct status status = {0};
    if (!assemblers[choice % COUNT])
        assemblers[choice % COUNT] = isa_assembler_create(known[choice % COUNT], &status);
    return assemblers[choice % COUNT];
}

static void check_line(const struct isa_assembler *assembler, const char *text, size_t length)
{
    struct word128 word, again;
    struct isa_asm_error error = {0};
    struct isa_inst inst;
    char printed[ISA_TEXT];
    if (!isa_assemble(assembler, text, length, 0, NULL, NULL, &word, &error)) {
        assert(error.message[0] != '\0' && error.column <= length);
        return;
    }
    isa_decode(isa_assembler_decoder(assembler), word, 0, &inst);
    isa_print_exact(assembler, &inst, printed);
    bool good = isa_assemble(assembler, printed, strlen(printed), 0, NULL, NULL, &again, &error);
    isa_assembler_set_control(assembler, isa_assembler_control(assembler, word), &again);
    assert(good && again.lo == word.lo && again.hi == word.hi);
    (void)good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *exact = malloc(size);
    if (!exact)
        return 0;
    memcpy(exact, data + 1, size - 1);
    check_line(assembler_of(data[0]), exact, size - 1);
    free(exact);
    return 0;
}
