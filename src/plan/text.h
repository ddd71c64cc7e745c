/* Numbers in the texts of options. */
#ifndef SUBCORE_PLAN_TEXT_H
#define SUBCORE_PLAN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a decimal number at *text, and moves *text behind it. Returns false if there is none, or if it is too large. */
bool plan_read_number(const char **text, uint64_t *number);
/* Reads N, N-M or N- up to a comma or the end of the text; `last` of N- is UINT64_MAX. */
bool plan_read_range(const char **text, uint64_t *first, uint64_t *last);

#endif
