/* The parts of a Pascal instruction: the modifiers and operands in the line of its row, with their values in the word.
 */
#ifndef SUBCORE_ISA_PASCAL_PARTS_H
#define SUBCORE_ISA_PASCAL_PARTS_H

#include "isa/pascal.h"

enum { PASCAL_PARTS = 12, PASCAL_NAME = 20 };

/* A modifier, {.NAME@..} in the row. */
struct pascal_modifier {
    char name[PASCAL_NAME];
    uint8_t value;
};

/* An operand. The letter is that of pascal.h: D, A, B, C, K, or in lower case; P a predicate, M an address, L the
 * constant of LDC, T a target, S a special register, H two halves, # a number, N a name that stands as an operand. */
struct pascal_operand {
    char letter;
    uint8_t kind;  /* of D, A, B, C, K: enum isa_operand_kind; of others ISA_NONE */
    uint8_t index; /* a register, predicate or special register; of M and L the register of the address */
    uint8_t flags; /* enum isa_operand_flag; of a predicate ISA_INV */
    uint8_t bank, part, next;
    uint8_t low;    /* of a predicate: the field's lowest bit */
    bool written;   /* a predicate that the instruction writes */
    uint32_t value; /* immediate, offset, number, or the byte offset of a constant; a target in bytes */
};

struct pascal_parts {
    char name[PASCAL_NAME]; /* mnemonic up to the first modifier, "LOP3.LUT" */
    uint8_t modifiers, operands;
    struct pascal_modifier modifier[PASCAL_PARTS];
    struct pascal_operand operand[PASCAL_PARTS];
};

/* Of an instruction that has a row. */
void pascal_parts(const struct pascal_inst *inst, struct pascal_parts *out);

#endif
