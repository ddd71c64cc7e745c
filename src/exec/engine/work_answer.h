/* The answers of the CTA scheduler to CTAs that ask for work (exec/engine/work.c). */
#ifndef SUBCORE_EXEC_WORK_ANSWER_H
#define SUBCORE_EXEC_WORK_ANSWER_H

#include "exec/core.h"

struct exec_command;

/* Answers a command that asks: takes a cluster from the grid, if there is one left. */
void work_answer(struct exec_command *command, exec_take_function *take, void *context);

#endif
