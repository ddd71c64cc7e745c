/* A program without errors as a cubin. */
#ifndef SUBCORE_ASM_EMIT_H
#define SUBCORE_ASM_EMIT_H

#include "asm/program.h"

/* False with a message in `errors` or in the status. */
bool emit_cubin(const struct program *program, struct diagnostics *errors, uint8_t **bytes, size_t *size,
                struct status *status);

#endif
