/* Code that a command line names: a cubin, a fatbin, a program that nvcc made, or a file of the assembler. */
#ifndef SUBCORE_CLI_LOAD_H
#define SUBCORE_CLI_LOAD_H

#include "gpu/gpu.h"

/* Loads the image of a file that suits the GPU. With `functional`, where none does, the newest. The module belongs
 * to the GPU. NULL: status names the file and its error. */
struct exec_module *load_module(struct gpu *gpu, const char *path, bool functional, struct status *status);

#endif
