/* From the addresses of 32 lanes to the lines and sectors that the memory unit works on. */
#ifndef SUBCORE_SM_COALESCE_H
#define SUBCORE_SM_COALESCE_H

#include <stdint.h>

#include "isa/issued.h"

struct line_access {
    uint64_t line; /* multiple of 128 */
    uint32_t lanes;
    uint32_t words;     /* touched: a bit for each of the line's 32 */
    uint8_t sectors;    /* touched */
    uint8_t partial;    /* touched in part only */
    uint8_t bytes;      /* distinct bytes, for stores */
    uint8_t operations; /* of an atomic, see coalesce_operations */
    uint8_t packets;    /* in which the SM sends it */
};

/* Lines in the order in which the lanes first touch them. Returns their number, at most 32. Accesses are naturally
 * aligned and at most 32 bytes wide, so that none crosses a sector. */
unsigned coalesce_lines(const struct issued *issued, uint32_t lanes, struct line_access out[32]);

/* Counts an atomic's packets and operations on each of its lines. Lanes of one word are changed one after another,
 * different words at once: a sector takes as many packets as lanes share its fullest word, and aligned words of
 * `operands` bytes (l2.atomic_bytes, 4 to 32) as many operations. Source: a TU102, where one warp's reduction of 32
 * lanes to one word takes as long as to 32 lines, 1.6 cycles a lane. Profiler counts: eight lanes on a sector are one
 * packet on a B300, and a slice has two operations for them on an H200. */
void coalesce_operations(const struct issued *issued, struct line_access *line, unsigned lines, unsigned operands);

#endif
