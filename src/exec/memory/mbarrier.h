/* Barrier objects of sm_90 and later, for the engines whose copies they count. */
#ifndef SUBCORE_EXEC_MBARRIER_H
#define SUBCORE_EXEC_MBARRIER_H

#include "exec/exec.h"

/* Completes transactions at the object at a byte offset in the CTA's shared memory, which has room for it: so many bytes
 * are no longer pending, and the phase may end. Returns false if the core faults. */
bool mbarrier_complete(struct exec_core *core, struct exec_cta *cta, uint32_t offset, uint32_t bytes);

#endif
