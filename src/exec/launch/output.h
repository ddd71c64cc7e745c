/* A program's output, kept until it is written in the order of time. */
#ifndef SUBCORE_EXEC_OUTPUT_H
#define SUBCORE_EXEC_OUTPUT_H

#include "exec/core.h"
#include "exec/launch/service_text.h"

/* Takes the text. */
void output_add(struct exec_core *core, struct service_text *text);

#endif
