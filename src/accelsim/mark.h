/* The lines that part a kernel's text: `thread block = 0,0,0`, `warp = 3`, `insts = 17`, `#END_TB`. A line is from
 * `text` to `end`, where its '\n' is. */
#ifndef SUBCORE_ACCELSIM_MARK_H
#define SUBCORE_ACCELSIM_MARK_H

#include <stdbool.h>
#include <stdint.h>

/* Tells whether the line begins with `word`. */
bool mark_is(const char *text, const char *end, const char *word);
/* Reads the number behind '='. Returns false if there is none, or more than it. */
bool mark_number(const char *text, const char *end, uint64_t *value);
/* Reads the three indices behind '='. Returns false if one is not below its limit. */
bool mark_indices(const char *text, const char *end, const uint32_t limit[3], uint32_t index[3]);
/* Reads the three indices behind '=' into the CTA's number in the grid. Returns false if one is outside the grid. */
bool mark_cta(const char *text, const char *end, const uint32_t grid[3], uint64_t *cta);

#endif
