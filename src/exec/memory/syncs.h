/* Operations at barrier objects that a deferred core finishes later: a wait for the end of a phase, and the arrival of
 * copies once they have landed. Both are accesses in flight under a token (exec/memory/pending.h), without bytes of
 * device memory. */
#ifndef SUBCORE_EXEC_SYNCS_H
#define SUBCORE_EXEC_SYNCS_H

#include "exec/memory/pending.h"

/* Finishes a PENDING_WAIT or a PENDING_ARRIVAL: writes the predicate, or arrives. */
void syncs_finish(struct exec_core *core, struct exec_pending *access);

#endif
