/* Mistakes in an assembler file: places, sentences, and the operand forms that exist. */
#ifndef SUBCORE_ASM_DIAGNOSTICS_H
#define SUBCORE_ASM_DIAGNOSTICS_H

#include <stdio.h>

#include "isa/assemble.h"

enum { DIAGNOSTICS_MOST = 20 };

struct diagnostic {
    unsigned line, column; /* from 1 */
    char message[ISA_MESSAGE];
    char forms[ISA_FORMS_TEXT]; /* empty, or the forms of the instruction */
};

struct diagnostics {
    struct diagnostic items[DIAGNOSTICS_MOST];
    unsigned count, dropped;
};

/* Keeps at most one message for a line, the first. Returns false. */
bool diagnose(struct diagnostics *all, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* By line. */
void diagnostics_sort(struct diagnostics *all);
/* name:line:column: error: message, the line of `text` with a caret below the column, and the forms. */
void diagnostics_print(const struct diagnostics *all, const char *name, const char *text, size_t size, FILE *out);

#endif
