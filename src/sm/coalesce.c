#include "sm/coalesce.h"

#include <string.h>

#include "base/bits.h"
#include "port/message.h"

struct line_bytes {
    uint32_t sector[PORT_SECTORS];
}; /* bit per byte */

static unsigned find_line(struct line_access out[32], struct line_bytes covered[32], unsigned *count, uint64_t line)
{
    for (unsigned i = *count; i-- > 0;) {
        if (out[i].line == line)
            return i;
    }
    out[*count] = (struct line_access){.line = line};
    memset(&covered[*count], 0, sizeof covered[0]);
    return (*count)++;
}

unsigned coalesce_lines(const struct issued *issued, uint32_t lanes, struct line_access out[32])
{
    struct line_bytes covered[32];
    unsigned count = 0;
    unsigned bytes = issued->bytes;
    uint32_t mask = bytes >= 32 ? ~UINT32_C(0) : (UINT32_C(1) << bytes) - 1;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned lane = lowest_bit32(m);
        uint64_t address = issued->address[lane];
        unsigned i = find_line(out, covered, &count, address & ~(uint64_t)(PORT_LINE - 1));
        unsigned sector = address / PORT_SECTOR % PORT_SECTORS;
        out[i].lanes |= UINT32_C(1) << lane;
        out[i].sectors |= (uint8_t)(1u << sector);
        covered[i].sector[sector] |= mask << (address % PORT_SECTOR);
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned total = 0;
        for (unsigned s = 0; s < PORT_SECTORS; s++) {
            unsigned n = popcount32(covered[i].sector[s]);
            total += n;
            if (n && n < PORT_SECTOR)
                out[i].partial |= (uint8_t)(1u << s);
        }
        out[i].bytes = (uint8_t)total;
    }
    return count;
}

static unsigned group_passes(const uint32_t offset[32], uint32_t lanes, unsigned words, bool merge)
{
    uint32_t word[32][32];
    uint8_t count[32] = {0};
    unsigned passes = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t first = offset[lowest_bit32(m)] / 4;
        for (unsigned w = 0; w < words; w++) {
            uint32_t at = first + w;
            unsigned bank = at % 32;
            bool again = false;
            for (unsigned i = 0; merge && i < count[bank] && !again; i++)
                again = word[bank][i] == at;
            if (!again)
                word[bank][count[bank]++] = at;
            if (count[bank] > passes)
                passes = count[bank];
        }
    }
    return passes;
}

unsigned shared_passes(const uint32_t offset[32], uint32_t lanes, unsigned bytes, bool merge, unsigned *least)
{
    unsigned words = bytes <= 4 ? 1 : bytes / 4;
    unsigned group = 32 / words;
    unsigned passes = 0;
    *least = 0;
    for (unsigned first = 0; first < 32; first += group) {
        uint32_t members = group == 32 ? lanes : lanes & (((UINT32_C(1) << group) - 1) << first);
        if (!members)
            continue;
        passes += group_passes(offset, members, words, merge);
        (*least)++;
    }
    return passes;
}
