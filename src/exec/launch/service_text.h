/* Strings that functions of the driver read from a program's memory, and the text that they make of them. */
#ifndef SUBCORE_EXEC_SERVICE_TEXT_H
#define SUBCORE_EXEC_SERVICE_TEXT_H

#include "exec/core.h"
#include "exec/warp_state.h"

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

/* Appends, up to SERVICE_TEXT bytes in all. Without memory the text stays as it is. */
void service_append(struct service_text *text, const char *piece, size_t bytes);
/* Appends the string at a generic address, as far as it fits; false when it cannot be read. */
bool service_append_string(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t address,
                           struct service_text *text);

#endif
