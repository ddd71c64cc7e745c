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

static void add(struct line_access out[32], struct line_bytes covered[32], unsigned i, unsigned lane, uint64_t address,
                uint32_t mask)
{
    unsigned sector = address / PORT_SECTOR % PORT_SECTORS;
    out[i].lanes |= UINT32_C(1) << lane;
    out[i].sectors |= (uint8_t)(1u << sector);
    covered[i].sector[sector] |= mask << (address % PORT_SECTOR);
}

/* Word w of a lane is a line further than word w - 1. What has no place among 32 lines is left out: code that reads
 * more than two words from a different place in each lane. */
static unsigned local_words(const struct issued *issued, uint32_t lanes, struct line_access out[32],
                            struct line_bytes covered[32])
{
    unsigned count = 0, bytes = issued->bytes < 4 ? issued->bytes : 4;
    for (unsigned w = 0; w < (issued->bytes + 3u) / 4; w++) {
        for (uint32_t m = lanes; m; m &= m - 1) {
            unsigned lane = lowest_bit32(m);
            uint64_t address = issued->address[lane] + (uint64_t)w * PORT_LINE, line = address / PORT_LINE * PORT_LINE;
            unsigned i = 0;
            while (i < count && out[i].line != line)
                i++;
            if (i == 32)
                continue;
            add(out, covered, find_line(out, covered, &count, line), lane, address, (1u << bytes) - 1);
        }
    }
    return count;
}

unsigned coalesce_lines(const struct issued *issued, uint32_t lanes, struct line_access out[32])
{
    struct line_bytes covered[32];
    unsigned count = 0;
    unsigned bytes = issued->bytes;
    uint32_t mask = bytes >= 32 ? ~UINT32_C(0) : (UINT32_C(1) << bytes) - 1;
    bool wide_local = issued->space == ISA_SPACE_LOCAL && bytes > 4;
    if (wide_local)
        count = local_words(issued, lanes, out, covered);
    for (uint32_t m = wide_local ? 0 : lanes; m; m &= m - 1) {
        unsigned lane = lowest_bit32(m);
        uint64_t address = issued->address[lane];
        unsigned i = find_line(out, covered, &count, address & ~(uint64_t)(PORT_LINE - 1));
        add(out, covered, i, lane, address, mask);
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
