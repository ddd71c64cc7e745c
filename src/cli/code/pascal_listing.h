/* Code of Pascal as text: disassembled only, since the assembler has no tables of it. */
#ifndef SUBCORE_CLI_PASCAL_LISTING_H
#define SUBCORE_CLI_PASCAL_LISTING_H

#include <stdio.h>

#include "base/json.h"
#include "cubin/cubin.h"
#include "isa/pascal.h"

/* Prints a function: its name, and of each instruction the address, the control bits and the text. Control words are
 * left out. `plain`: the texts alone. */
void pascal_listing_print(const struct cubin *cubin, const struct cubin_kernel *kernel, bool plain, FILE *out);
void pascal_listing_json(const struct cubin *cubin, const struct cubin_kernel *kernel, struct json *json);

/* Prints a line of text for each instruction of a file with a word of 16 hexadecimal digits in each line, of which each
 * fourth is a control word, from the first on. */
bool pascal_listing_words(FILE *in, const char *path, unsigned sm, struct status *status);

#endif
