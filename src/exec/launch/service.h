/* Functions that the driver supplies to a program: printf, malloc, free, and what a failed assertion calls. */
#ifndef SUBCORE_EXEC_SERVICE_H
#define SUBCORE_EXEC_SERVICE_H

#include "exec/exec.h"

/* Executor of the instruction that stands for such a function. Its arguments are in R4 and up, 64-bit ones in pairs;
 * the result goes to R4; it returns to the address in R20 and R21. */
exec_fn exec_service;

/* Returns whether a text names a function that launches kernels from device code: of libcudadevrt, or of the driver for
 * that library. */
bool service_launches(const char *text);

/* Copies bytes from a generic address as a load of the thread sees them; false where there is no memory. */
bool service_read(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t address, void *to,
                  size_t bytes);

/* The most bytes that one call prints, and of one string that it prints: the size of the buffer that CUDA has for the
 * text of a launch, if the program sets no other. */
enum { SERVICE_TEXT = 1 << 20 };

/* Text being put together. */
struct service_text {
    char *text; /* owned */
    size_t used, room;
};

/* Appends, up to SERVICE_TEXT bytes in all; without memory the text stays as it is. */
void service_append(struct service_text *text, const char *piece, size_t bytes);
/* Appends the string at a generic address, as far as it fits; false when it cannot be read. */
bool service_append_string(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t address,
                           struct service_text *text);

/* Formats as printf does, the arguments being at a generic address. Gives the number of arguments; negative: the
 * format or an argument cannot be read. */
int service_format(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t format,
                   uint64_t arguments, struct service_text *text);

#endif
