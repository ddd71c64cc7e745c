/* Texture and surface references of a module: names of which code knows the handle, a word of its constant bank that
 * the loader fills in. The driver binds them later. */
#ifndef SUBCORE_EXEC_REFERENCES_H
#define SUBCORE_EXEC_REFERENCES_H

#include "cubin/cubin.h"
#include "exec/memory.h"

/* Returns whether the symbol is one; sets whether it is a surface's. Its value is the handle, 0 before it has one. */
bool reference_is(const struct cubin_symbol *symbol, bool *surface);
/* Gives each a handle to which nothing is bound. False with a status: no room. */
bool references_make(struct cubin *cubin, struct memory *memory, struct status *status);
/* Takes the handles back. */
void references_drop(struct cubin *cubin, struct memory *memory);

#endif
