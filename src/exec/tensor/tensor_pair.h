/* Operations of tensor memory that two CTAs do together (cta_group::2): those of the ranks 2n and 2n + 1 of a cluster.
 *
 * In a timed run the other CTA is on another SM, which another thread may run at the same moment. Such an operation is
 * kept, and takes effect between two quanta, when no SM runs (exec_serve): before it can have ended, as its latency is
 * longer than a quantum. The operations of a core take effect in the order of their issue. */
#ifndef SUBCORE_EXEC_TENSOR_TENSOR_PAIR_H
#define SUBCORE_EXEC_TENSOR_TENSOR_PAIR_H

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/warp_state.h"

enum { TENSOR_PAIR_WORDS = 32 };

/* The effect. `word` has the values of the warp's registers when the instruction issued. */
typedef void tensor_pair_effect(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                const uint32_t word[TENSOR_PAIR_WORDS]);

/* Returns the other CTA of the pair. NULL, with a fault, if there is none. */
struct exec_cta *tensor_pair_other(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst);

/* Lets an operation take effect: at once in an immediate core, else when tensor_pair_serve is called. */
void tensor_pair_begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                       tensor_pair_effect *effect, const uint32_t word[TENSOR_PAIR_WORDS]);

/* Lets all that the core has kept take effect. No core runs meanwhile. */
void tensor_pair_serve(struct exec_core *core);
/* Frees the kept operations. */
void tensor_pair_free(struct exec_core *core);

#endif
