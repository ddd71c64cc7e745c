#include "sm/memory/coalesce.h"

#include <string.h>

#include "base/bits.h"
#include "port/message.h"

struct line_bytes {
    uint32_t sector[PORT_SECTORS];
}; /* bit per byte */

/* The lines that the lanes have named so far. */
struct lines_named {
    struct line_access *line;
    struct line_bytes *covered;
    uint64_t seen; /* a bit for each line, by a hash: most new ones need no search */
    unsigned count;
};

static unsigned find_line(struct lines_named *n, uint64_t line)
{
    uint64_t bit = UINT64_C(1) << (line / PORT_LINE * UINT64_C(0x9e3779b97f4a7c15) >> 58);
    for (unsigned i = n->seen & bit ? n->count : 0; i-- > 0;) {
        if (n->line[i].line == line)
            return i;
    }
    n->seen |= bit;
    n->line[n->count] = (struct line_access){.line = line};
    memset(&n->covered[n->count], 0, sizeof n->covered[0]);
    return n->count++;
}

/* The words with bytes from `from` up to `to` of a line. */
static uint32_t words_between(unsigned from, unsigned to)
{
    return (uint32_t)((UINT64_C(1) << div_up32(to, 4)) - (UINT64_C(1) << from / 4));
}

static void add(struct lines_named *n, unsigned i, unsigned lane, uint64_t address, unsigned bytes)
{
    uint32_t mask = bytes >= 32 ? ~UINT32_C(0) : (UINT32_C(1) << bytes) - 1;
    unsigned at = address % PORT_LINE;
    unsigned sector = address / PORT_SECTOR % PORT_SECTORS;
    n->line[i].lanes |= UINT32_C(1) << lane;
    n->line[i].words |= words_between(at, at + bytes);
    n->line[i].sectors |= (uint8_t)(1u << sector);
    n->covered[i].sector[sector] |= mask << (address % PORT_SECTOR);
}

/* Word w of a lane is a line further than word w - 1. Lines beyond 32 are left out: code that reads more than two
 * words from a different place in each lane. */
static void local_words(const struct issued *issued, uint32_t lanes, struct lines_named *n)
{
    unsigned bytes = issued->bytes < 4 ? issued->bytes : 4;
    for (unsigned w = 0; w < (issued->bytes + 3u) / 4; w++) {
        for (uint32_t m = lanes; m; m &= m - 1) {
            unsigned lane = lowest_bit32(m);
            uint64_t address = issued->address[lane] + (uint64_t)w * PORT_LINE, line = address / PORT_LINE * PORT_LINE;
            unsigned i = 0;
            while (i < n->count && n->line[i].line != line)
                i++;
            if (i == 32)
                continue;
            add(n, find_line(n, line), lane, address, bytes);
        }
    }
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
                                            .words = words_between((unsigned)(from - line), (unsigned)(to - line)),
                                            .sectors = (uint8_t)((2u << high) - (1u << low)),
                                            .partial = (uint8_t)partial,
                                            .bytes = (uint8_t)(to - from)};
    }
    return count;
}

unsigned coalesce_lines(const struct issued *issued, uint32_t lanes, struct line_access out[32])
{
    struct line_bytes covered[32];
    struct lines_named n = {out, covered, 0, 0};
    unsigned bytes = issued->bytes;
    bool wide_local = issued->space == ISA_SPACE_LOCAL && bytes > 4;
    if (!wide_local && lanes == UINT32_MAX && bytes && issued_in_a_row(issued->address, bytes))
        return lines_of_row(issued->address[0], bytes, out);
    if (wide_local)
        local_words(issued, lanes, &n);
    for (uint32_t m = wide_local ? 0 : lanes; m; m &= m - 1) {
        unsigned lane = lowest_bit32(m);
        uint64_t address = issued->address[lane];
        unsigned i = find_line(&n, address & ~(uint64_t)(PORT_LINE - 1));
        add(&n, i, lane, address, bytes);
    }
    for (unsigned i = 0; i < n.count; i++) {
        unsigned total = 0;
        for (unsigned s = 0; s < PORT_SECTORS; s++) {
            unsigned written = popcount32(covered[i].sector[s]);
            total += written;
            if (written && written < PORT_SECTOR)
                out[i].partial |= (uint8_t)(1u << s);
        }
        out[i].bytes = (uint8_t)total;
    }
    return n.count;
}

/* Adds lanes on one word to those on the fullest word. */
static void add_sharing(uint8_t *fullest, uint8_t sharing) { *fullest = sharing > *fullest ? sharing : *fullest; }

void coalesce_operations(const struct issued *issued, struct line_access *line, unsigned lines, unsigned operands)
{
    for (unsigned i = 0; i < lines; i++) {
        uint8_t of_sector[PORT_SECTORS] = {0}, of_operands[PORT_LINE / 4] = {0};
        for (uint32_t left = line[i].lanes; left;) {
            uint64_t word = issued->address[lowest_bit32(left)];
            uint8_t sharing = 0;
            for (uint32_t m = left; m; m &= m - 1) {
                if (issued->address[lowest_bit32(m)] != word)
                    continue;
                left &= ~(m & -m);
                sharing++;
            }
            add_sharing(&of_sector[word / PORT_SECTOR % PORT_SECTORS], sharing);
            add_sharing(&of_operands[word % PORT_LINE / operands], sharing);
        }
        line[i].packets = line[i].operations = 0;
        for (unsigned s = 0; s < PORT_SECTORS; s++)
            line[i].packets = (uint8_t)(line[i].packets + of_sector[s]);
        for (unsigned s = 0; s < PORT_LINE / operands; s++)
            line[i].operations = (uint8_t)(line[i].operations + of_operands[s]);
    }
}
