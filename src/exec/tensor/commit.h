/* tcgen05.commit (UTCBAR): one arrival at an mbarrier, or at one of each CTA in a mask, when all products, copies and
 * shifts of tensor memory that were issued before are over.
 *
 *   UTCBAR [UA], URZ                 the object at the address in UA, with its rank
 *   UTCBAR.MULTICAST [UA], URZ, UC   the objects at the same offset in the CTAs whose ranks have a bit in UC
 *
 * An immediate core arrives at once. In a deferred core the commit is a record under the token of the instruction. It
 * lasts until the engine says that it is time (exec_commit_complete), and a message has come to each other CTA
 * (exec_commit_serve).
 */
#ifndef SUBCORE_EXEC_COMMIT_H
#define SUBCORE_EXEC_COMMIT_H

#include "exec/core.h"
#include "exec/cta.h"

struct exec_commit {
    struct exec_cta *cta;
    uint64_t generation; /* order of the CTA: its storage may be another's by now */
    uint32_t pc;
    uint32_t offset;  /* of the objects */
    uint16_t targets; /* ranks */
};

/* Makes room for commits of a deferred core. */
bool commit_init(struct exec_core *core, struct arena *arena, struct status *status);
/* All commits that the core has in flight arrive now. Nothing else runs. */
void commit_settle(struct exec_core *core);

#endif
