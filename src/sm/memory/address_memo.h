/* The lane patterns of a memory unit's accesses to global memory, with their lines and passes. The memo saves host time
 * and has no counterpart in hardware. Lines and banks are numbered round, so that the place of lane 0 in its line and
 * the distances of the other lanes determine both. A loop has few patterns. */
#ifndef SUBCORE_SM_ADDRESS_MEMO_H
#define SUBCORE_SM_ADDRESS_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/memory/bank_conflicts.h"
#include "sm/memory/coalesce.h"

enum { ADDRESS_PATTERNS = 8, ADDRESS_LINES = 8 };

/* All bytes 0: without bytes there is no access. */
struct address_pattern {
    int32_t distance[32]; /* bytes from lane 0 */
    uint8_t within;       /* of a line: the byte at which lane 0 begins */
    uint8_t bytes;        /* a lane */
    uint8_t lines;
    uint8_t operands; /* bytes that an atomic operation takes; 0: operations do not count */
    struct bank_passes passes;
    struct line_access line[ADDRESS_LINES]; /* `line` counts from lane 0's */
};

/* All bytes 0: empty. */
struct address_memo {
    struct address_pattern pattern[ADDRESS_PATTERNS];
};

/* Finds the lines of an access to global memory by these lanes (sm/memory/coalesce.h), with the operations on them if
 * `operands` is not 0, the bytes that each takes, and its passes (sm/memory/wavefronts.h). Returns how many lines these
 * are, at most 32. */
unsigned address_memo_lines(struct address_memo *memo, const struct issued *is, uint32_t lanes, unsigned operands,
                            struct line_access line[32], struct bank_passes *passes);

#endif
