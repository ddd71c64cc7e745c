/* The rows of pascal_encodings.def, for decoder and printer. */
#ifndef SUBCORE_ISA_PASCAL_ROWS_H
#define SUBCORE_ISA_PASCAL_ROWS_H

#include "isa/pascal.h"

struct pascal_row {
    uint16_t opcode, mask; /* bits 63:48 of the register form */
    uint8_t forms, first, last;
    const char *text;
};

extern const struct pascal_row pascal_rows[];

/* Returns bits 63:48 that a row has in a form, and which of them count. In bits 63:56, registers have 0101 nnnn,
 * constants 0100 nnnn or, in place of C, 0101 0nnn, and immediates 0011 nnns with their sign. */
uint16_t pascal_opcode(const struct pascal_row *row, unsigned form);
uint16_t pascal_mask(const struct pascal_row *row, unsigned form);

enum { PASCAL_NAME_TEXT = 32 };
/* Writes the name of a field's value: that of pascal_names.def, or for a word of `length` letters that is no table the
 * word itself where the value is not 0. Returns false when the name is empty. */
bool pascal_name(const char *word, size_t length, unsigned value, char name[static PASCAL_NAME_TEXT]);
/* Writes the name of a special register. */
void pascal_special_name(unsigned value, char name[static PASCAL_NAME_TEXT]);

/* Reads a decimal number of a row's text, and moves *at behind it. */
unsigned pascal_number(const char **at);
/* A field as the rows write it, "7:5" or "12,9:8". Returns its bits, and moves *at behind it. */
uint64_t pascal_field(const char **at, struct word128 word, unsigned *width);

#endif
