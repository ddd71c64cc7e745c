/* The lines of accesses whose addresses a trace has folded (trace/reader.h). The offsets of the lanes and the place of
 * the base in its line determine them, and a kernel has few of these pairs. This saves host time and has no counterpart
 * in hardware. */
#ifndef SUBCORE_GPU_FOLDED_LINES_H
#define SUBCORE_GPU_FOLDED_LINES_H

#include "sm/memory/coalesce.h"
#include "trace/reader.h"

enum { FOLDED_LINES = 64 };

/* All bytes 0: unused. */
struct folded_access {
    uint32_t pattern;
    uint8_t within;   /* of a line: the byte at which the base is */
    uint8_t bytes;    /* a lane */
    uint8_t operands; /* bytes that an atomic operation takes; 0: operations do not count */
    uint8_t lines;
    struct line_access line[32]; /* `line` counts from the base's */
};

/* All bytes 0: empty. It is for one kernel. */
struct folded_lines {
    struct folded_access access[FOLDED_LINES];
};

/* Returns the lines of an access to device memory by all lanes (sm/memory/coalesce.h), with the operations on them if
 * `operands` is not 0. `issued` may be given addresses. The answer is valid until the next call. */
const struct folded_access *folded_lines_find(struct folded_lines *f, const struct trace_folded *folded,
                                              struct issued *issued, unsigned operands);

#endif
