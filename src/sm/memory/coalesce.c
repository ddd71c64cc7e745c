#include "sm/memory/coalesce.h"

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

/* Word w of a lane is a line further than word w - 1. Lines beyond 32 are left out: code that reads more than two
 * words from a different place in each lane. */
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

/* All lanes in a row, from `first` on. */
static unsigned lines_of_row(uint64_t first, unsigned bytes, struct line_access out[32])
{
    uint64_t end = first + 32 * (uint64_t)bytes;
    unsigned count = 0;
    for (uint64_t line = first / PORT_LINE * PORT_LINE; line < end; line += PORT_LINE) {
        uint64_t from = line < first ? first : line, to = line + PORT_LINE < end ? line + PORT_LINE : end;
        unsigned lane = (unsigned)((from - first) / bytes), lanes = (unsigned)((to - from) / bytes);
        unsigned low = (unsigned)(from - line) / PORT_SECTOR, high = (unsigned)(to - 1 - line) / PORT_SECTOR;
        unsigned partial = (from % PORT_SECTOR ? 1u << low : 0) | (to % PORT_SECTOR ? 1u << high : 0);
        out[count++] = (struct line_access){.line = line,
                                            .lanes = (uint32_t)((UINT64_C(1) << lanes) - 1) << lane,
                                            .sectors = (uint8_t)((2u << high) - (1u << low)),
                                            .partial = (uint8_t)partial,
                                            .bytes = (uint8_t)(to - from)};
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
    if (!wide_local && lanes == UINT32_MAX && bytes && issued_in_a_row(issued->address, bytes))
        return lines_of_row(issued->address[0], bytes, out);
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

void coalesce_operations(const struct issued *issued, struct line_access *line, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++) {
        uint8_t fullest[PORT_SECTORS] = {0};
        for (uint32_t left = line[i].lanes; left;) {
            uint64_t word = issued->address[lowest_bit32(left)];
            uint8_t sharing = 0;
            for (uint32_t m = left; m; m &= m - 1) {
                if (issued->address[lowest_bit32(m)] != word)
                    continue;
                left &= ~(m & -m);
                sharing++;
            }
            uint8_t *most = &fullest[word / PORT_SECTOR % PORT_SECTORS];
            *most = sharing > *most ? sharing : *most;
        }
        line[i].operations = 0;
        for (unsigned s = 0; s < PORT_SECTORS; s++)
            line[i].operations = (uint8_t)(line[i].operations + fullest[s]);
    }
}
