#include "sm/legacy/coalescer.h"

#include "base/bits.h"
#include "port/message.h"
#include "sm/memory/bank_conflicts.h"

struct sectors {
    struct line_access *out;
    uint32_t bytes[32]; /* of each entry, a bit for each */
    unsigned count;
};

static uint64_t sector_of(const struct line_access *a) { return a->line + PORT_SECTOR * lowest_bit32(a->sectors); }

/* Entries stay in order. Without a place for another the lane's sector is left out: local accesses of scattered lanes
 * alone have so many. */
static void add(struct sectors *s, unsigned lane, uint64_t address, uint32_t mask)
{
    uint64_t sector = address & ~(uint64_t)(PORT_SECTOR - 1);
    unsigned i = 0;
    while (i < s->count && sector_of(&s->out[i]) > sector)
        i++;
    if (i == s->count || sector_of(&s->out[i]) != sector) {
        if (s->count == 32)
            return;
        for (unsigned k = s->count++; k > i; k--) {
            s->out[k] = s->out[k - 1];
            s->bytes[k] = s->bytes[k - 1];
        }
        s->out[i] = (struct line_access){.line = sector & ~(uint64_t)(PORT_LINE - 1),
                                         .sectors = (uint8_t)(1u << sector / PORT_SECTOR % PORT_SECTORS)};
        s->bytes[i] = 0;
    }
    s->out[i].lanes |= UINT32_C(1) << lane;
    s->bytes[i] |= mask << address % PORT_SECTOR;
}

unsigned legacy_coalesce(const struct issued *issued, uint32_t lanes, struct line_access out[32])
{
    struct sectors s = {.out = out};
    bool local = issued->space == ISA_SPACE_LOCAL && issued->bytes > 4;
    unsigned bytes = local ? 4 : issued->bytes, words = local ? issued->bytes / 4u : 1;
    uint32_t mask = bytes >= PORT_SECTOR ? UINT32_MAX : (UINT32_C(1) << bytes) - 1;
    for (unsigned w = 0; w < words; w++)
        for (uint32_t m = lanes; m; m &= m - 1) {
            unsigned lane = lowest_bit32(m);
            add(&s, lane, issued->address[lane] + (uint64_t)w * PORT_LINE, mask);
        }
    for (unsigned i = 0; i < s.count; i++) {
        out[i].bytes = (uint8_t)popcount32(s.bytes[i]);
        out[i].partial = s.bytes[i] == UINT32_MAX ? 0 : out[i].sectors;
    }
    return s.count;
}

unsigned legacy_shared_cycles(const struct issued *issued, uint32_t lanes)
{
    uint64_t word[32];
    for (unsigned i = 0; i < 32; i++)
        word[i] = issued->address[i] / 4;
    return bank_group_passes(word, lanes, 1, true);
}
