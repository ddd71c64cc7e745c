/* Words of Pascal as text, without a cubin around them. */
#ifndef SUBCORE_CLI_PASCAL_LISTING_H
#define SUBCORE_CLI_PASCAL_LISTING_H

#include <stdio.h>

#include "base/status.h"
#include "isa/pascal.h"

/* Prints a line of text for each instruction in a file with a word of 16 hexadecimal digits in each line, of which each
 * fourth is a control word, from the first on. */
bool pascal_listing_words(FILE *in, const char *path, unsigned sm, struct status *status);

#endif
