/* Cluster launch control: a CTA asks the CTA scheduler for a cluster of its grid that has not begun, and computes what
 * that would have (clusterlaunchcontrol of the PTX ISA). */
#ifndef SUBCORE_EXEC_WORK_H
#define SUBCORE_EXEC_WORK_H

#include "exec/engine/command.h"

/* Answers a command that asks: takes a cluster from the grid, if there is one left. */
void work_answer(struct exec_command *command, exec_take_function *take, void *context);

#endif
