/* Shows the L2 the accesses of instructions without time, executed or from a trace (mem/l2_warm.h).
 *
 * The L2 sees accesses to global memory and the transfers of engines. Local memory is left out, since it stays in the
 * L1s. Among a CTA's loads of a line only the first counts, as the L1 would let it pass. L1s, TLBs and DRAM rows see
 * nothing: the wave that is timed behind such instructions fills them. */
#ifndef SUBCORE_GPU_WARMING_H
#define SUBCORE_GPU_WARMING_H

#include "exec/observers.h"
#include "gpu/folded_lines.h"
#include "isa/issued.h"
#include "mem/mem.h"

enum { WARMING_LINES = 1024 };

struct hybrid;

struct warming {
    struct mem *mem;
    struct hybrid *hybrid; /* NULL, or who sees the accesses instead of the L2 */
    unsigned operands;     /* bytes that an atomic operation takes; 0: operations do not count */
    uint32_t sms;
    uint64_t cta; /* whose instruction it is; UINT64_MAX: of none so far */
    uint16_t sm;  /* that has it */
    struct warming_line {
        uint64_t line, cta; /* loaded last, and its loader; the sectors are the low bits of `line` (0: none) */
    } last[WARMING_LINES];
    struct folded_lines folded;
    struct exec_watch watch; /* of a functional run, which tells this struct */
};

void warming_begin(struct warming *w, struct mem *mem, uint32_t sms);
/* The same for the CTAs without time of a hybrid launch (gpu/hybrid.h). An atomic operation takes `operands` bytes
 * (l2.atomic_bytes). */
void warming_begin_hybrid(struct warming *w, struct hybrid *hybrid, unsigned operands);
/* Returns whether instructions of this kind can have accesses that are shown. */
bool warming_regards(const struct isa_inst *inst);
/* Counts instructions of CTA `cta` in the grid. */
void warming_count(struct warming *w, uint64_t cta, uint64_t instructions);
/* Shows the accesses of an instruction of CTA `cta` in the grid. It has been counted. */
void warming_see(struct warming *w, const struct isa_inst *inst, const struct issued *issued, uint64_t cta);
/* The same with folded addresses. `issued` may be given some. */
void warming_see_folded(struct warming *w, const struct isa_inst *inst, struct issued *issued,
                        const struct trace_folded *folded, uint64_t cta);

#endif
