/* Control bits that a file leaves out. */
#ifndef SUBCORE_ASM_SCHEDULE_H
#define SUBCORE_ASM_SCHEDULE_H

#include "asm/program.h"

/* Fills in stall counts, counters and waits of the function's instructions without control bits, and puts NOPs where
 * one stall count cannot wait long enough; labels, symbols and relocations move with the code. The words must have been
 * assembled. Targets in them are out of date afterwards when the function has grown. False with messages. */
bool schedule_fill(struct program *program, uint32_t function, const struct isa_assembler *assembler,
                   struct diagnostics *errors);

/* The same for Pascal, where all instructions of the function lack control bits. No NOP is put in. */
bool schedule_fill_pascal(struct program *program, uint32_t function, const struct isa_assembler *assembler,
                          struct diagnostics *errors);

/* Whether some instruction has no control bits. */
bool schedule_is_needed(const struct function *function);

#endif
