/* Reading words, numbers and strings from one line of an assembler file. */
#ifndef SUBCORE_ASM_SCAN_H
#define SUBCORE_ASM_SCAN_H

#include "asm/diagnostics.h"

/* Part of a line, without comments; `at` moves on. */
struct scan {
    const char *text; /* of the line */
    size_t at, end;
    unsigned line;
    struct diagnostics *errors;
};

struct word {
    const char *text;
    size_t length;
    unsigned column; /* from 1 */
};

bool scan_letter(char c); /* can begin a name */
bool scan_inside(char c); /* can go on with one */
void scan_blanks(struct scan *s);
bool scan_at_end(struct scan *s);
char scan_peek(struct scan *s); /* 0 at the end */
bool scan_char(struct scan *s, char c);
unsigned scan_column(const struct scan *s);

/* A name. Empty when none stands there. */
struct word scan_name(struct scan *s);
bool word_is(struct word word, const char *text);

/* Decimal, or hexadecimal after 0x, with an optional minus. `what` is for messages: "expected <it>". */
bool scan_integer(struct scan *s, const char *what, int64_t *value);
/* The same within bounds. */
bool scan_number(struct scan *s, const char *what, uint64_t low, uint64_t high, uint64_t *value);
/* Nothing but blanks follows. */
bool scan_finish(struct scan *s);

bool scan_error(const struct scan *s, unsigned column, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The text with blanks for comments, so that columns stay. A comment is a block of C, or runs from // or # to the end
 * of the line, not inside quotes. NULL without memory. */
char *scan_clean(const char *text, size_t size, struct diagnostics *errors);

#endif
