/* The head of PTX, and a compiler's messages about it. */
#ifndef SUBCORE_DRIVER_PTX_H
#define SUBCORE_DRIVER_PTX_H

#include "driver/module/jit.h"

/* The number N of the first ".target sm_N" of a PTX text, and the letter behind it ('a', 'f' or 0) (0: none). */
unsigned ptx_target(const char *text, size_t size, char *suffix);

/* Returns the error for a compiler's complaint. */
CUresult ptx_blame(const char *errors);
/* "sm_90a" when the PTX is for that very architecture, else "sm_90". */
void ptx_architecture(const struct jit_request *request, char text[static 16]);

#endif
