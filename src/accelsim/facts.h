/* Facts of a launch that the header of a kernel's file does not tell, or tells wrongly, and the values that stand
 * for them. */
#ifndef SUBCORE_ACCELSIM_FACTS_H
#define SUBCORE_ACCELSIM_FACTS_H

#include "accelsim/kernel.h"
#include "accelsim/warp.h"

/* Sets the architecture of the code if the header does not tell it, and warns about a header of the first tracer and
 * about one with wrong facts. Of each kind only the first kernel is named. */
bool facts_begin(struct converter *c, const struct input *in, struct header *header, struct status *status);

/* Gives the launch at least the registers and the shared memory that its lines use, if the header's facts are wrong. */
void facts_end(const struct header *header, const struct code *code, const struct book *book,
               const struct spaces *spaces, struct trace_launch *launch);

/* Warns about facts that lines of version 6 leave open, if there is any: copies whose places are not those of a box,
 * operations on barrier objects without the values of registers. */
void facts_open(const struct converter *c, const struct input *in, const struct warp *warp);

/* Warns of how many kernels there were, if facts_begin has named the first of several. */
void facts_summary(const struct converter *c);

#endif
