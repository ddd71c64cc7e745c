/* Lines of instructions and constants that come from the L2: the one place that knows which units wait for them. */
#ifndef SUBCORE_SM_LINES_H
#define SUBCORE_SM_LINES_H

#include "port/message.h"

struct sm;

/* A line that the L1.5 has asked the L2 for comes in the cycle that runs. */
void sm_line_arrives(struct sm *sm, const struct reply *reply);

#endif
