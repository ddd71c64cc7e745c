/* Reading the rows of encodings.def: shared by syntax.c and syntax_operand.c. */
#ifndef SUBCORE_ISA_PARSER_H
#define SUBCORE_ISA_PARSER_H

#include "isa/syntax.h"

struct parser {
    const char *at;
    struct syntax_row *row;
    enum syntax_form form;
    bool second_is_c;
    unsigned sm;
    bool operands;  /* past the mnemonic */
    bool described; /* a descriptor came before */
    uint8_t flags;  /* of the elements that are made now */
};

static inline bool parser_digit(char c) { return c >= '0' && c <= '9'; }

static inline bool parser_take(struct parser *p, char c)
{
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

unsigned parser_number(struct parser *p);
size_t parser_word(const char *at); /* characters of a word */
bool parser_is(const char *at, size_t length, const char *word);
bool parser_bits(struct parser *p, struct syntax_field *field); /* high[:low]{,high[:low]} */
void parser_set_bits(struct syntax_field *field, unsigned high, unsigned low);

/* NULL when the row has too many elements. */
struct syntax_element *parser_append(struct parser *p, enum element_kind kind);

bool parser_operand_starts(const char *at);
bool parser_operand(struct parser *p, struct syntax_element *e); /* signs, letter, attributes */
bool parser_predicate_starts(const char *at);
bool parser_predicate(struct parser *p, struct syntax_element *e);
/* Uniform registers have two bits more since sm_100. */
void parser_set_uniform_bits(const struct parser *p, struct syntax_field *field, unsigned low);

#endif
