/* The first pass over an assembler file: lines to a program. Shared by the files of directives. */
#ifndef SUBCORE_ASM_PARSER_H
#define SUBCORE_ASM_PARSER_H

#include "asm/program.h"
#include "asm/scan.h"

enum block { BLOCK_NONE, BLOCK_CONSTANT, BLOCK_GLOBAL, BLOCK_BANK2 };

struct parser {
    struct program *program;
    struct diagnostics *errors;
    const char *text; /* without comments */
    size_t size;
    unsigned default_arch; /* 0: the file must tell */
    bool default_accelerated;
    bool arch_binding;
    bool broken;          /* without an architecture nothing further makes sense */
    int32_t function;     /* index, or NO_FUNCTION */
    enum block block;     /* values are being collected */
    unsigned block_line;  /* where it began */
    size_t block_name;    /* index + 1 in the names, 0: none */
    struct fixup pending; /* .reloc waits for its instruction or value */
    struct word pending_name;
    bool has_pending;
    bool exact; /* between .exact and .endexact */
};

/* False with a message. The name and its kind are put into the scope. */
struct name *parser_define(struct parser *p, const struct scan *s, int32_t scope, struct word word,
                           enum name_kind kind);
/* The function that is open. */
static inline struct function *parser_function(struct parser *p) { return &p->program->functions[p->function]; }

/* A directive. Its name begins with a dot. */
bool directive_parse(struct parser *p, struct scan *s, struct word name);
/* Architecture from the command line, when the file names none. */
bool directive_need_arch(struct parser *p, const struct scan *s, unsigned column);

/* Directives that put values into a block; false without a message when the name is none of them. */
bool data_is_directive(struct word name);
bool data_parse(struct parser *p, struct scan *s, struct word name);
/* Where the block's values go. */
struct buffer *data_buffer(struct parser *p);

/* Uses up a pending .reloc for the place. */
void parser_take_pending(struct parser *p, enum cubin_place place, uint64_t offset);

/* name [+ or - number] */
bool parser_reference(struct scan *s, struct word *name, int64_t *addend);

void parser_run(struct parser *p);

#endif
