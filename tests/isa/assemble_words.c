/* Disassembles words and assembles the text again: reads lines "sm word pc" (word and pc hexadecimal), prints a line
 * for each: "same" or "differs", and the exact text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/assemble.h"

enum { ARCHITECTURES = 256 };

static struct isa_assembler *assembler_of(unsigned sm)
{
    static struct isa_assembler *assemblers[ARCHITECTURES];
    if (sm >= ARCHITECTURES)
        return NULL;
    if (!assemblers[sm]) {
        struct status status = {0};
        assemblers[sm] = isa_assembler_create(sm, &status);
        if (!assemblers[sm])
            fprintf(stderr, "%s\n", status.text);
    }
    return assemblers[sm];
}

static void round_trip(const struct isa_assembler *assembler, struct word128 word, uint32_t pc)
{
    struct isa_inst inst;
    struct isa_control control;
    struct isa_asm_error error = {0};
    char text[ISA_TEXT], notation[32], plain[ISA_TEXT];
    struct word128 again = {0};
    isa_decode(isa_assembler_decoder(assembler), word, pc, &inst);
    isa_print_exact(assembler, &inst, text);
    isa_print(&inst, plain);
    isa_print_control(inst.control, notation);
    bool good = isa_assemble(assembler, text, strlen(text), pc, NULL, NULL, &again, &error) &&
                isa_parse_control(notation, strlen(notation), &control, &error);
    if (good)
        isa_control_encode(control, &again);
    bool same = good && again.lo == word.lo && again.hi == word.hi;
    struct word128 ignored;
    if (inst.op != ISA_INVALID && !isa_assemble(assembler, plain, strlen(plain), pc, NULL, NULL, &ignored, &error))
        printf("%s %s ### %s: column %zu: %s\n", same ? "same" : "differs", text, plain, error.column, error.message);
    else
        printf("%s %s\n", same ? "same" : "differs", text);
}

int main(void)
{
    unsigned sm, pc;
    unsigned long long hi, lo;
    while (scanf("%u %16llx%16llx %x", &sm, &hi, &lo, &pc) == 4) {
        const struct isa_assembler *assembler = assembler_of(sm);
        if (!assembler)
            return EXIT_FAILURE;
        round_trip(assembler, (struct word128){.lo = lo, .hi = hi}, pc);
    }
    return EXIT_SUCCESS;
}
