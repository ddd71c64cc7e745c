#include "gpu/folded_lines.h"

#include "port/message.h"

static void find(struct folded_access *a, const int32_t offset[32], struct issued *issued)
{
    /* Far from 0, where no address wraps around. */
    const uint64_t base = UINT64_C(1) << 40;
    for (unsigned lane = 0; lane < 32; lane++)
        issued->address[lane] = base + a->within + (uint64_t)(int64_t)offset[lane];
    a->lines = (uint8_t)coalesce_lines(issued, UINT32_MAX, a->line);
    if (a->operands)
        coalesce_operations(issued, a->line, a->lines, a->operands);
    for (unsigned i = 0; i < a->lines; i++)
        a->line[i].line -= base;
}

const struct folded_access *folded_lines_find(struct folded_lines *f, const struct trace_folded *folded,
                                              struct issued *issued, unsigned operands)
{
    enum { BITS = 6 };
    _Static_assert(FOLDED_LINES == 1 << BITS, "a place is the upper bits of a product of 32 bits");
    uint8_t within = (uint8_t)(folded->base % PORT_LINE), bytes = issued->bytes;
    uint32_t key = folded->pattern + ((uint32_t)within << 16) + ((uint32_t)bytes << 24);
    struct folded_access *a = &f->access[key * UINT32_C(0x9e3779b1) >> (32 - BITS)];
    if (a->lines && a->pattern == folded->pattern && a->within == within && a->bytes == bytes &&
        a->operands == operands)
        return a;
    *a = (struct folded_access){
        .pattern = folded->pattern, .within = within, .bytes = bytes, .operands = (uint8_t)operands};
    find(a, folded->offset, issued);
    return a;
}
