/* Text in lines of at most 100 columns. */
#ifndef SUBCORE_VALIDATE_WRAP_H
#define SUBCORE_VALIDATE_WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { WRAP_COLUMNS = 100 };

/* The words of `text` and a line end. `out` stands at column `indent`, where further lines begin. */
void wrap_text(const char *text, size_t indent, FILE *out);

#endif
