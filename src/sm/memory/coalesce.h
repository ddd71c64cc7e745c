/* From the addresses of 32 lanes to the lines and sectors that the memory unit works on. */
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

#endif
