/* Disassembles words: reads lines "sm word pc" (word and pc hexadecimal), prints a line for each. */
#include <stdio.h>
#include <stdlib.h>

#include "isa/isa.h"

enum { ARCHITECTURES = 256 };

static struct isa_decoder *decoder_of(unsigned sm)
{
    static struct isa_decoder *decoders[ARCHITECTURES];
    if (sm >= ARCHITECTURES)
        return NULL;
    if (!decoders[sm]) {
        struct status status = {0};
        decoders[sm] = isa_decoder_create(sm, &status);
        if (!decoders[sm])
            fprintf(stderr, "%s\n", status.text);
    }
    return decoders[sm];
}

int main(void)
{
    unsigned sm, pc;
    unsigned long long hi, lo;
    while (scanf("%u %16llx%16llx %x", &sm, &hi, &lo, &pc) == 4) {
        const struct isa_decoder *decoder = decoder_of(sm);
        if (!decoder)
            return EXIT_FAILURE;
        struct isa_inst inst;
        char text[ISA_TEXT];
        isa_decode(decoder, (struct word128){.lo = lo, .hi = hi}, pc, &inst);
        isa_print(&inst, text);
        puts(text);
    }
    return EXIT_SUCCESS;
}
