/* The rows of one architecture, compiled and indexed: shared by decoder, assembler and listings. */
#ifndef SUBCORE_ISA_TABLE_H
#define SUBCORE_ISA_TABLE_H

#include "isa/program.h"

enum { TABLE_OPCODES = 1 << 13, TABLE_END = UINT16_MAX };

/* A row in one operand form. */
struct table_entry {
    uint16_t encoding, next; /* next entry with the same opcode */
    uint16_t opcode;         /* bits 91 and 11:0 */
    uint8_t form;            /* enum syntax_form */
    uint32_t first, count;   /* its elements */
    struct program program;
    struct word128 mask, value; /* its conditions */
};

struct isa_decoder {
    unsigned sm;
    uint32_t entries, elements, element_room;
    uint16_t by_opcode[TABLE_OPCODES];
    struct table_entry *entry;
    struct syntax_element *element;
    struct program_step *step;
    struct isa_inst *template; /* of each entry: the common bits of all its words */
    size_t template_bytes;     /* not a constant: copies of constant size become the slow `rep movs` */
};

/* The entry that a word belongs to, or NULL. */
const struct table_entry *table_find(const struct isa_decoder *decoder, struct word128 word);

static inline const struct isa_encoding *table_row(const struct table_entry *entry)
{
    return &isa_encodings[entry->encoding];
}

#endif
