/* The line of the program that an instruction comes from. */
#ifndef SUBCORE_EXEC_LINES_H
#define SUBCORE_EXEC_LINES_H

#include "exec/launch.h"

/* Writes "saxpy.cu:12", with the path that the line table has, or "saxpy.cu:12 (inlined vector.h:40)". Nothing where
 * the code has no table (nvcc -lineinfo). */
void exec_line(const struct exec_launch *launch, uint32_t pc, char *text, size_t size);

#endif
