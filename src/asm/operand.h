/* Names inside of brackets, as in c[0x0][out+4] and [R2+tile], become the numbers that they stand for. */
#ifndef SUBCORE_ASM_OPERAND_H
#define SUBCORE_ASM_OPERAND_H

#include "asm/program.h"

enum { OPERAND_TEXT = 1024, OPERAND_NAMES = 16 };

struct operand_text {
    char text[OPERAND_TEXT];
    size_t length;
    struct {
        size_t from, from_length, to, to_length; /* in the source, in `text` */
    } names[OPERAND_NAMES];
    unsigned count;
};

struct operand_error {
    size_t at; /* in the source */
    char message[ISA_MESSAGE];
};

bool operand_replace(const struct program *program, uint32_t function, const char *text, size_t length,
                     struct operand_text *out, struct operand_error *error);
/* Place in the source of a place in the result. */
size_t operand_source(const struct operand_text *text, size_t at);

/* Where constant bank 0 has the parameters of a function. */
uint32_t operand_parameter_base(const struct program *program, const struct function *function);

#endif
