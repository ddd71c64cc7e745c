/* The rows of one architecture, indexed by opcode: shared by decoder, assembler and listings.
 *
 * A row's text is compiled when a word or a line first asks for its opcode, since a program has few of the opcodes.
 * Threads may ask at the same time. */
#ifndef SUBCORE_ISA_TABLE_H
#define SUBCORE_ISA_TABLE_H

#include "isa/program.h"

enum { TABLE_OPCODES = 1 << 13, TABLE_END = UINT16_MAX };

/* Elements and steps per entry for which a decoder has room. Entries have 11.6 and 8.1 on average. */
enum { TABLE_ELEMENTS = 16, TABLE_STEPS = 12 };

/* A row in one operand form. */
struct table_entry {
    uint16_t encoding, next; /* next entry with the same opcode */
    uint16_t opcode;         /* bits 91 and 11:0 */
    uint8_t form;            /* enum syntax_form */
    uint32_t first, count;   /* its elements. From here on: once its opcode is built */
    struct program program;
    struct word128 mask, value; /* its conditions */
};

struct table_work;

struct isa_decoder {
    unsigned sm;
    uint32_t entries;
    uint16_t by_opcode[TABLE_OPCODES];
    struct table_entry *entry;
    struct syntax_element *element;
    struct program_step *step;
    struct isa_inst *template; /* of each entry: the common bits of all its words */
    size_t template_bytes;     /* not a constant: copies of constant size become the slow `rep movs` */
    struct table_work *work;   /* owned */
};

/* Returns the first entry with an opcode (TABLE_END: there is none). `next` names the others. All are built. */
uint16_t table_opcode(const struct isa_decoder *decoder, unsigned opcode);

/* Builds the entries of an entry's opcode. Must come before any use of its elements, its program or its conditions. */
void table_need(const struct isa_decoder *decoder, const struct table_entry *entry);

/* Builds all entries. Returns false, with the row and the place in it, if a text of encodings.def cannot be read or the
 * room is too small. */
bool table_build_all(const struct isa_decoder *decoder, struct status *status);

/* Returns the entry that a word belongs to, or NULL. */
const struct table_entry *table_find(const struct isa_decoder *decoder, struct word128 word);

static inline const struct isa_encoding *table_row(const struct table_entry *entry)
{
    return &isa_encodings[entry->encoding];
}

#endif
