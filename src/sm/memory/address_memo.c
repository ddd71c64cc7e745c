#include "sm/memory/address_memo.h"

#include <string.h>

#include "port/message.h"
#include "sm/memory/wavefronts.h"

static unsigned find(const struct issued *is, uint32_t lanes, unsigned operands, struct line_access line[32],
                     struct bank_passes *passes)
{
    unsigned lines = coalesce_lines(is, lanes, line);
    *passes = wavefronts_global(is->address, lanes, is->bytes);
    if (operands)
        coalesce_operations(is, line, lines, operands);
    return lines;
}

/* Returns false if a lane is too far from lane 0. */
static bool distances(int32_t distance[32], const uint64_t address[32])
{
    uint64_t far = 0;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t d = address[i] - address[0];
        far |= d + UINT64_C(0x80000000);
        distance[i] = (int32_t)d;
    }
    return far <= UINT32_MAX;
}

static bool same(const struct address_pattern *a, const struct address_pattern *b)
{
    uint32_t differ =
        (uint32_t)(a->within ^ b->within) | (uint32_t)(a->bytes ^ b->bytes) | (uint32_t)(a->operands ^ b->operands);
    for (unsigned i = 0; i < 32; i++)
        differ |= (uint32_t)(a->distance[i] ^ b->distance[i]);
    return !differ;
}

/* A few lanes distinguish most patterns. */
static struct address_pattern *place_of(struct address_memo *memo, const struct address_pattern *p)
{
    enum { SPREAD = 29 };
    uint32_t few = (uint32_t)p->distance[1] ^ (uint32_t)p->distance[16] << 9 ^ (uint32_t)p->distance[31] << 3;
    uint32_t key = few + p->within + ((uint32_t)p->bytes << 20);
    return &memo->pattern[(key * UINT32_C(0x9e3779b1) >> SPREAD) % ADDRESS_PATTERNS];
}

static void move(struct line_access *to, const struct line_access *from, unsigned lines, uint64_t by)
{
    for (unsigned i = 0; i < lines; i++) {
        to[i] = from[i];
        to[i].line += by;
    }
}

unsigned address_memo_lines(struct address_memo *memo, const struct issued *is, uint32_t lanes, unsigned operands,
                            struct line_access line[32], struct bank_passes *passes)
{
    struct address_pattern now;
    uint64_t first = is->address[0] / PORT_LINE * PORT_LINE;
    bool row = lanes == UINT32_MAX && !operands && issued_in_a_row(is->address, is->bytes);
    if (row || lanes != UINT32_MAX || !is->bytes || !distances(now.distance, is->address))
        return find(is, lanes, operands, line, passes);
    now.within = (uint8_t)(is->address[0] - first);
    now.bytes = is->bytes;
    now.operands = (uint8_t)operands;
    struct address_pattern *known = place_of(memo, &now);
    if (same(known, &now)) {
        move(line, known->line, known->lines, first);
        *passes = known->passes;
        return known->lines;
    }
    unsigned lines = find(is, lanes, operands, line, passes);
    if (lines > ADDRESS_LINES)
        return lines;
    move(now.line, line, lines, -first);
    now.lines = (uint8_t)lines;
    now.passes = *passes;
    memcpy(known, &now, offsetof(struct address_pattern, line) + lines * sizeof *now.line);
    return lines;
}
