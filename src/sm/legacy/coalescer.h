/* From the addresses of a warp to the requests of the legacy core: one for each sector that a lane touches, never a
 * longer one, from the highest address down (GPGPU-Sim 4). */
#ifndef SUBCORE_SM_LEGACY_COALESCER_H
#define SUBCORE_SM_LEGACY_COALESCER_H

#include "isa/issued.h"
#include "sm/memory/coalesce.h"

/* Entries of one sector each. Returns their number, at most 32. Word w of a lane's local memory is a line behind word
 * w - 1. */
unsigned legacy_coalesce(const struct issued *issued, uint32_t lanes, struct line_access out[32]);

/* Cycles for which an access holds shared memory: the most different words that the lanes want of a bank. The first
 * word of each lane alone counts, whatever the width. */
unsigned legacy_shared_cycles(const struct issued *issued, uint32_t lanes);

#endif
