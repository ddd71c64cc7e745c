/* Assembler files on the command line: read, assembled, and their mistakes printed. */
#ifndef SUBCORE_CLI_ASSEMBLY_H
#define SUBCORE_CLI_ASSEMBLY_H

#include "asm/asm.h"

/* Whether the name is that of an assembler file: *.sass. */
bool assembly_is(const char *path);

/* Reads `path`, or standard input for -, and assembles it. `input` has the architecture. Its text is filled in.
 * Mistakes go to standard error. The status counts them. The caller frees *cubin. */
bool assembly_read(const char *path, struct asm_input input, uint8_t **cubin, size_t *size, struct status *status);

#endif
