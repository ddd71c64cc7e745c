/* The data of a command: between device memory and shared memory, row by row, by the swizzle of its box. */
#ifndef SUBCORE_EXEC_COMMAND_MOVE_H
#define SUBCORE_EXEC_COMMAND_MOVE_H

#include "exec/engine/command.h"

/* Combines elements with those at `to`, one after the other, by the function of the command. */
void command_combine(const struct exec_command *c, uint8_t *to, const uint8_t *from, uint32_t bytes);

/* Moves the part of a row in device addresses from `low` to before `high`, between device memory and this CTA. */
void command_move_row(struct exec_core *core, const struct exec_command *c, struct exec_cta *cta, uint32_t row,
                      uint64_t low, uint64_t high);

/* Loads the box into the shared memory of this CTA, and counts its bytes at the barrier there, unless the other CTA of
 * its pair counts them. */
void command_load(struct exec_core *core, const struct exec_command *c, struct exec_cta *cta);

#endif
