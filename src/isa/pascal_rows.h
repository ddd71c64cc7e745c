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

/* A field as the rows write it, "7:5" or "12,9:8". Returns its bits, and moves *at behind it. */
uint64_t pascal_field(const char **at, struct word128 word, unsigned *width);

#endif
