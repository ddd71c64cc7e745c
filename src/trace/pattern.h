/* Patterns of addresses: the distances of a warp's lanes from a base, which streams name by their numbers in the
 * dictionary of the kernel. */
#ifndef SUBCORE_TRACE_PATTERN_H
#define SUBCORE_TRACE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/dictionary.h"

/* Shared by the encoders of a kernel: the dictionary, and patterns that were seen once. */
struct trace_coder {
    struct trace_dictionary dictionary;
    uint32_t seen[4096];                     /* hashes of patterns */
    uint32_t known[2 * TRACE_PATTERNS_MOST]; /* number + 1 of a pattern by its hash, open addressing */
    uint16_t recent[64];                     /* number + 1 of a known pattern by the places of two lanes */
    bool failed;                             /* no memory */
};

bool trace_coder_init(struct trace_coder *coder);
void trace_coder_free(struct trace_coder *coder);

/* Returns the base of the pattern if lane `lane` has this address. */
static inline uint64_t trace_pattern_base(const struct trace_pattern *p, const uint64_t address[ISA_LANES],
                                          unsigned lane)
{
    return address[lane] - (uint64_t)(int64_t)p->offset[lane];
}

/* Returns whether the addresses of the lanes are the base and the pattern. */
bool trace_pattern_fits(const struct trace_pattern *p, const uint64_t address[ISA_LANES], uint32_t lanes,
                        uint64_t base);
/* Returns the number of these lanes' pattern (TRACE_NO_PATTERN: it has none). A pattern enters the dictionary when it
 * is seen for the second time. */
unsigned trace_pattern_choose(struct trace_coder *coder, const uint64_t address[ISA_LANES], uint32_t lanes);

#endif
