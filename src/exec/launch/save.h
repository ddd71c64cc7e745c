/* The functional state in an archive, in either direction; see base/archive.h. */
#ifndef SUBCORE_EXEC_SAVE_H
#define SUBCORE_EXEC_SAVE_H

#include "base/archive.h"
#include "exec/core.h"
#include "exec/cta.h"

/* A CTA's storage, made for the same launch. */
void exec_cta_archive(struct archive *a, struct exec_cta *cta);
/* A deferred core whose requests have been answered and whose text has been written, with its accesses in flight. These
 * belong to warps of cta[0 .. count); of none (pending_note) when there are no CTAs. */
void exec_core_archive(struct archive *a, struct exec_core *core, struct exec_cta *const *cta, uint32_t count);
/* The contents of memory and the heap in it. Both sides have made the same allocations. */
void memory_archive(struct archive *a, struct memory *memory);

#endif
