/* The assembler of Pascal: a line of text against the rows in pascal_encodings.def. Characters, numbers
 * and errors are those of assembly.h. In a draft the bits above 63 are the reuse bits, as the rows have them. */
#ifndef SUBCORE_ISA_PASCAL_ASSEMBLY_H
#define SUBCORE_ISA_PASCAL_ASSEMBLY_H

#include "isa/assembly.h"
#include "isa/pascal_rows.h"

/* A row in one of its forms. */
struct pascal_reading {
    struct attempt *a;
    const struct pascal_row *row;
    unsigned form;
    unsigned sm;
};

/* Reads a field as the rows write it, and moves *at behind it. */
struct syntax_field pascal_take_field(const char **at);
/* Returns whether an item of an operand stands there in the row: a register, number, predicate, address and so on.
 * More marks of numbers count between braces. */
bool pascal_item_starts(const char *at, bool braces);
/* Takes the item at *at from the line, and moves *at behind it. False: the line has something else. */
bool pascal_take_item(const struct pascal_reading *r, const char **at, struct draft *d);
/* Sets the bits of an item that the line leaves out, and moves *at behind it. False: it cannot be left out. */
bool pascal_omit_item(const struct pascal_reading *r, const char **at, struct draft *d);

/* The items that are no registers, constants or immediates; *at stands at them in the row, d->at in the line. */
bool pascal_take_numeral(const struct attempt *a, const char **at, struct draft *d);
bool pascal_take_predicate(const struct attempt *a, const char **at, struct draft *d);
bool pascal_take_address(const struct attempt *a, const char **at, struct draft *d);
bool pascal_take_target(const struct attempt *a, const char **at, struct draft *d);
bool pascal_take_indexed_constant(const struct attempt *a, struct draft *d);
bool pascal_take_constant(const struct attempt *a, struct draft *d);
/* An integer of `width` bits. For a symbol *value is 0, and the draft has the item that its value belongs to. */
bool pascal_take_integer(const struct attempt *a, struct draft *d, const char *item, unsigned width,
                         enum assembly_range range, uint64_t *value);
/* Reads the `kept` upper bits of a float with so many bits. It may be given by its bits, and a double by its upper
 * word. */
bool pascal_take_float(const struct attempt *a, struct draft *d, unsigned mantissa, unsigned exponent, unsigned kept,
                       uint64_t *value);

/* Reads the line from `at` on, behind the guard, and finds the row that it fits. `name` letters are the mnemonic.
 * *known says whether there is such a mnemonic. a->result has the word. */
bool pascal_assemble(struct attempt *a, unsigned sm, size_t at, size_t name, struct isa_predicate guard, bool *known);
/* Puts the value of a symbol into the item that it stands for. */
bool pascal_place(const struct attempt *a, struct draft *d, const char *item, int64_t value, size_t column);

#endif
