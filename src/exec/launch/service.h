/* Functions that the driver supplies to a program: printf, malloc, free, and the handler of failed assertions. */
#ifndef SUBCORE_EXEC_SERVICE_H
#define SUBCORE_EXEC_SERVICE_H

#include "exec/core.h"
#include "exec/launch/service_text.h"
#include "exec/warp_state.h"

/* Returns whether a text names a function that launches kernels from device code: in libcudadevrt, or in the driver for
 * that library. */
bool service_launches(const char *text);

/* Formats as printf does, the arguments being at a generic address. Gives the number of arguments; negative: the
 * format or an argument cannot be read. */
int service_format(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t format,
                   uint64_t arguments, struct service_text *text);

#endif
