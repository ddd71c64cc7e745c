/* Rules that hold for any text that is given to the assembler. */
#ifndef SUBCORE_TESTS_FUZZ_ASM_CHECK_H
#define SUBCORE_TESTS_FUZZ_ASM_CHECK_H

#include <stddef.h>
#include <stdint.h>

/* Assembles the text: it gives a cubin that can be read, or mistakes that lie in the text. Aborts when not. */
void asm_check(const uint8_t *data, size_t size);

#endif
