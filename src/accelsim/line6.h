/* A line of trace version 6 as version 5 would have it. Version 6 has registers of all kinds, with their kind, the
 * group of a product of a warpgroup, what an engine copies, a second immediate, and values of registers. Version 5,
 * as which such a line is read on, has general registers, one destination, up to seven sources, and one immediate. */
#ifndef SUBCORE_ACCELSIM_LINE6_H
#define SUBCORE_ACCELSIM_LINE6_H

#include <stddef.h>

enum { LINE6_WRONG = 160 };

/* Rewrites a line from its pc on to before `end`, where '\n' is, into `out`, which has room for as many bytes and three
 * more. Returns where the line in `out` ends, with '\n' there; NULL, with `wrong`, if it cannot be read. */
char *line6_rewrite(const char *at, const char *end, char *out, char wrong[static LINE6_WRONG]);

#endif
