/* From the addresses of 32 lanes to what the memory unit works on: lines and sectors for global memory, passes
 * through the banks for shared memory. */
#ifndef SUBCORE_SM_COALESCE_H
#define SUBCORE_SM_COALESCE_H

#include <stdint.h>

#include "isa/issued.h"

struct line_access {
    uint64_t line; /* multiple of 128 */
    uint32_t lanes;
    uint8_t sectors; /* touched */
    uint8_t partial; /* touched in part only */
    uint8_t bytes;   /* distinct bytes, for stores */
};

/* Lines in the order in which the lanes first touch them; returns their number, at most 32. Accesses are naturally
 * aligned and at most 32 bytes wide, so that none crosses a sector. */
unsigned coalesce_lines(const struct issued *issued, uint32_t lanes, struct line_access out[32]);

/* Passes through 32 banks of 4 bytes. Lanes go in groups of 32, 16 or 8 for accesses of 4, 8 or 16 bytes; a group
 * takes as many passes as its busiest bank has distinct words (`merge`) or words at all (atomics, which serialise).
 * *least receives the passes without any conflict. Source: Volta-and-later rules in the micro-benchmark literature;
 * an access narrower than a word counts as one. */
unsigned shared_passes(const uint32_t offset[32], uint32_t lanes, unsigned bytes, bool merge, unsigned *least);

#endif
