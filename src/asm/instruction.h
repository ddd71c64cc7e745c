/* The second pass: instructions to words, once all names are known. */
#ifndef SUBCORE_ASM_INSTRUCTION_H
#define SUBCORE_ASM_INSTRUCTION_H

#include "asm/program.h"

/* Assembles the function's instructions, checks its registers, and fills code_bytes, padded as compilers pad it. */
void instruction_assemble(struct program *program, uint32_t function, const struct isa_assembler *assembler,
                          const char *text, struct diagnostics *errors);

#endif
