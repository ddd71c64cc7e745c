/* The assembler: a text file of kernels to a cubin. docs/assembler.md describes the language. */
#ifndef SUBCORE_ASM_ASM_H
#define SUBCORE_ASM_ASM_H

#include "asm/diagnostics.h"

struct asm_input {
    const char *text; /* borrowed */
    size_t size;
    unsigned arch;     /* for a file without .arch (0: it must have one) */
    bool accelerated;  /* sm_90a and the like */
    bool arch_binding; /* a file for another architecture is an error */
};

struct asm_output {
    uint8_t *cubin; /* owned; NULL when there are errors */
    size_t size;
    struct diagnostics errors; /* of the file, by line */
};

/* Returns false if the file has errors, which `errors` lists, or on another failure, which the status tells. */
bool asm_assemble(const struct asm_input *input, struct asm_output *output, struct status *status);

#endif
