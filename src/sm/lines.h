/* Lines of instructions and constants that come from the L2: the one place that knows which units wait for them. */
#ifndef SUBCORE_SM_LINES_H
#define SUBCORE_SM_LINES_H

#include "port/message.h"

/* A line that the L1.5 has asked the L2 for comes in cycle `now`, the one that runs. `self` is the SM. */
void sm_line_arrives(void *self, const struct reply *reply, uint64_t now);

#endif
