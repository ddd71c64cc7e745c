/* One attempt of the assembler: a text line against the elements of one row. Shared by assemble.c, which chooses
 * among the rows, and the files that read operands and numbers. */
#ifndef SUBCORE_ISA_ASSEMBLY_H
#define SUBCORE_ISA_ASSEMBLY_H

#include "isa/assemble.h"
#include "isa/table.h"

enum { ASSEMBLY_EXPECTED = 24, ASSEMBLY_PHRASE = 40, ASSEMBLY_SYMBOLS = 2 };

/* The error of the attempt that understood most of the line. */
struct failure {
    size_t depth;  /* how much of the line was understood */
    size_t column; /* the subject of the message */
    unsigned expected;
    char phrase[ASSEMBLY_EXPECTED][ASSEMBLY_PHRASE]; /* the text that could stand there, when message is empty */
    char message[ISA_MESSAGE];
};

struct assembly_symbol {
    struct isa_symbol symbol;
    const struct syntax_element *element;
    const char *item; /* of Pascal: in the text of the row */
};

/* Grows from element to element and is copied where a row can be read in two ways. */
struct draft {
    size_t at;                    /* in the text */
    struct word128 word, written; /* bits so far, and which of them are decided */
    uint16_t column[ROLE_G + 1];  /* where the operands stand */
    unsigned symbols;
    struct assembly_symbol symbol[ASSEMBLY_SYMBOLS];
};

struct mnemonic_index;

struct attempt {
    const char *text;
    size_t length;
    uint32_t pc;
    const struct isa_decoder *table;
    const struct mnemonic_index *index;
    const struct table_entry *entry;
    const struct syntax_element *element;
    unsigned count;
    struct failure *failure;
    bool identifiers;  /* may an immediate be a plain name? */
    const char *alias; /* special name of the instruction that the line begins with, or NULL */
    struct draft result;
    struct word128 forced, force; /* bits that braces set in the end, and their values */
};

/* Both return false. `expect` names a text that could stand at `column`. Several of one column are listed together. */
bool attempt_fail(const struct attempt *a, size_t depth, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool attempt_expect(const struct attempt *a, size_t column, const char *phrase);

/* ---- characters -------------------------------------------------------------------------------------------------- */

/* 0 at the end of the line. */
static inline char attempt_char(const struct attempt *a, size_t at) { return at < a->length ? a->text[at] : '\0'; }
bool assembly_letter(char c);                            /* of a name: letter, digit, underscore */
size_t attempt_skip(const struct attempt *a, size_t at); /* over blanks */
/* Takes the given characters of a row. A blank stands for any number of them, also none before punctuation. */
bool attempt_literal(const struct attempt *a, struct draft *d, const char *literal, size_t length);
/* Takes `word` when it stands there and no name goes on behind it. */
bool attempt_word(const struct attempt *a, struct draft *d, const char *word);

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* Puts a value into a field; false when bits were decided otherwise before. */
bool draft_set(struct draft *d, const struct syntax_field *field, uint64_t value);
bool draft_set_bits(struct draft *d, unsigned high, unsigned low, uint64_t value);
static inline bool draft_set_bit(struct draft *d, unsigned bit, bool value)
{
    return draft_set_bits(d, bit, bit, value);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* An integer with sign, hexadecimal after 0x. `*negative` with magnitude 0x1 is -1. False: none stands there. */
struct assembly_number {
    bool negative, too_large;
    uint64_t magnitude;
    size_t column;
};
bool attempt_number(const struct attempt *a, struct draft *d, struct assembly_number *out);
/* As a field of `width` bits has it, when it fits. */
enum assembly_range { RANGE_UNSIGNED, RANGE_SIGNED, RANGE_EITHER };
bool attempt_fit(const struct attempt *a, const struct draft *d, const struct assembly_number *n, unsigned width,
                 enum assembly_range range, uint64_t *value);

/* A number of a floating-point format as isa_print writes it, with `mantissa` and `exponent` bits beside the sign. */
bool attempt_float(const struct attempt *a, struct draft *d, unsigned mantissa, unsigned exponent, uint64_t *bits);

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* R4, RZ, UR4, URZ. The field gets the number less `subtract`. */
bool attempt_register(const struct attempt *a, struct draft *d, bool uniform, const struct syntax_field *field,
                      unsigned subtract);
/* P0, PT, !UP0: index, and whether it is inverted and uniform. */
bool attempt_predicate_name(const struct attempt *a, struct draft *d, struct isa_predicate *out);
/* The name of a value; `before` stands before it where it is not empty. Longer names first: *skip says how many of the
 * possible ones were tried. */
bool attempt_name(const struct attempt *a, struct draft *d, enum isa_names names, const char *before, size_t length,
                  const struct syntax_field *field, unsigned skip);

/* Which numbers an integer immediate takes. */
enum assembly_range attempt_immediate_range(const struct syntax_element *e);
bool attempt_operand(const struct attempt *a, struct draft *d, const struct syntax_element *e);
bool attempt_predicate(const struct attempt *a, struct draft *d, const struct syntax_element *e);
bool attempt_descriptor(const struct attempt *a, struct draft *d, const struct syntax_element *e);
bool attempt_address(const struct attempt *a, struct draft *d, const struct syntax_element *e);
bool attempt_constant(const struct attempt *a, struct draft *d, const struct syntax_element *e);
bool attempt_target(const struct attempt *a, struct draft *d, const struct syntax_element *e);
/* A symbol. The bits of the element are set when it is resolved. */
bool attempt_symbol(const struct attempt *a, struct draft *d, const struct syntax_element *e, bool target);
/* Puts the value of a symbol or number into the element's bits. */
bool attempt_place(const struct attempt *a, struct draft *d, const struct syntax_element *e, int64_t value,
                   size_t column);

/* Bits in braces at the place, if there are any. */
bool attempt_forced(struct attempt *a, struct draft *d);
/* The text behind the last element: none, or bits in braces. Checks the result against the table. */
bool attempt_end(struct attempt *a);

/* Reads the line from start.at on along the elements of the entry. The result is in a->result. */
bool attempt_row(struct attempt *a, struct draft start);

#endif
