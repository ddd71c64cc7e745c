#include "trace/pattern.h"

#include <string.h>

#include "base/bits.h"
#include "base/hash.h"

void trace_coder_free(struct trace_coder *coder) { trace_dictionary_free(&coder->dictionary); }

/* The last lane shows most of the misfits. */
bool trace_pattern_fits(const struct trace_pattern *p, const uint64_t address[ISA_LANES], uint32_t lanes, uint64_t base)
{
    unsigned last = highest_bit64(lanes);
    uint64_t wrong = address[last] - base - (uint64_t)(int64_t)p->offset[last];
    if (wrong)
        return false;
    if (lanes == UINT32_MAX) {
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            wrong |= address[lane] - base - (uint64_t)(int64_t)p->offset[lane];
        return !wrong;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        wrong |= address[lane] - base - (uint64_t)(int64_t)p->offset[lane];
    }
    return !wrong;
}

/* Finds the distance of neighbouring lanes, if it is the same for all active lanes, of which there are at least two,
 * and if it fits an offset. */
static bool stride_of(const int32_t offset[ISA_LANES], uint32_t lanes, int32_t *stride)
{
    enum { STRIDE_MOST = 1 << 26 };
    unsigned first = lowest_bit32(lanes), second = lowest_bit32(lanes & (lanes - 1));
    int64_t of_two = (int64_t)offset[second] / (int)(second - first);
    if (of_two < -STRIDE_MOST || of_two > STRIDE_MOST)
        return false;
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (offset[lane] != of_two * (int)(lane - first))
            return false;
    }
    *stride = (int32_t)of_two;
    return true;
}

/* Computes the offsets from the first active lane. With one stride in all lanes they begin at the address that lane 0
 * would have. Returns false if they do not fit. */
static bool offsets_of(const uint64_t address[ISA_LANES], uint32_t lanes, int32_t offset[ISA_LANES])
{
    uint64_t first = address[lowest_bit32(lanes)], far = 0;
    int32_t stride;
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        uint64_t distance = lanes >> lane & 1 ? address[lane] - first : 0;
        far |= distance + UINT64_C(0x80000000);
        offset[lane] = (int32_t)distance;
    }
    if (far > UINT32_MAX)
        return false;
    if (!(lanes & (lanes - 1)) || !stride_of(offset, lanes, &stride))
        return true;
    for (int lane = 0; lane < ISA_LANES; lane++)
        offset[lane] = stride * lane;
    return true;
}

static uint64_t hash_offsets(const int32_t offset[ISA_LANES])
{
    uint64_t h = HASH_SEED;
    for (unsigned i = 0; i < ISA_LANES; i += 2)
        h = (h ^ ((uint32_t)offset[i] | (uint64_t)(uint32_t)offset[i + 1] << 32)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash_mix(h);
}

enum { KNOWN = 2 * TRACE_PATTERNS_MOST };

/* Returns the place of the pattern among the known ones, or its future place. */
static uint32_t known_place(const struct trace_coder *coder, const int32_t offset[ISA_LANES], uint64_t hash)
{
    const struct trace_dictionary *d = &coder->dictionary;
    uint32_t at = (uint32_t)hash % KNOWN;
    while (coder->known[at] && memcmp(d->pattern[coder->known[at] - 1].offset, offset, sizeof d->pattern->offset) != 0)
        at = (at + 1) % KNOWN;
    return at;
}

bool trace_coder_init(struct trace_coder *coder)
{
    memset(coder, 0, sizeof *coder);
    if (!trace_dictionary_init(&coder->dictionary))
        return false;
    for (uint32_t i = 0; i < coder->dictionary.patterns; i++) {
        const int32_t *offset = coder->dictionary.pattern[i].offset;
        coder->known[known_place(coder, offset, hash_offsets(offset))] = i + 1;
    }
    return true;
}

/* Returns the dictionary's number of a pattern (TRACE_NO_PATTERN: none). A pattern enters when it is seen for the
 * second time. */
static unsigned find_pattern(struct trace_coder *coder, const int32_t offset[ISA_LANES])
{
    enum { SEEN = sizeof coder->seen / sizeof *coder->seen };
    uint64_t hash = hash_offsets(offset);
    uint32_t at = known_place(coder, offset, hash), mark = (uint32_t)(hash >> 32) | 1;
    if (coder->known[at])
        return coder->known[at] - 1;
    if (coder->seen[hash % SEEN] != mark) {
        coder->seen[hash % SEEN] = mark;
        return TRACE_NO_PATTERN;
    }
    if (!trace_dictionary_add_pattern(&coder->dictionary, offset))
        return TRACE_NO_PATTERN;
    coder->known[at] = coder->dictionary.patterns;
    return coder->known[at] - 1;
}

/* Returns the place of a pattern with all lanes among the recent ones. */
static uint16_t *recent_place(struct trace_coder *coder, const uint64_t address[ISA_LANES])
{
    enum { RECENT = sizeof coder->recent / sizeof *coder->recent };
    uint64_t second = address[1] - address[0], last = address[ISA_LANES - 1] - address[0];
    return &coder->recent[(second >> 1 ^ last >> 2 ^ last >> 7) % RECENT];
}

/* The addresses of all lanes determine their pattern, so that a recent pattern that fits needs no search. */
unsigned trace_pattern_choose(struct trace_coder *coder, const uint64_t address[ISA_LANES], uint32_t lanes)
{
    int32_t offset[ISA_LANES];
    uint16_t *recent = lanes == UINT32_MAX ? recent_place(coder, address) : NULL;
    if (recent && *recent) {
        const struct trace_pattern *p = &coder->dictionary.pattern[*recent - 1];
        if (trace_pattern_fits(p, address, lanes, trace_pattern_base(p, address, 0)))
            return *recent - 1u;
    }
    unsigned pattern = offsets_of(address, lanes, offset) ? find_pattern(coder, offset) : TRACE_NO_PATTERN;
    if (recent && pattern != TRACE_NO_PATTERN)
        *recent = (uint16_t)(pattern + 1);
    return pattern;
}
