#include "accelsim/payload.h"

#include <string.h>

#include "accelsim/scan.h"
#include "base/bits.h"

enum { MODE_LIST, MODE_STRIDE, MODE_DELTA };

/* For lanes of the path, whose mask is not known: if all 32 are there, each has its own place. Otherwise the first ones
 * stand for those of the mask, as in Accel-Sim. */
static const char *read_path(const char **at, uint32_t mask, uint64_t address[32])
{
    uint64_t listed[32];
    unsigned count = 0, next = 0;
    for (*at = scan_blanks(*at); **at != '\n'; *at = scan_blanks(*at))
        if (count == 32 || !scan_address(at, &listed[count++]))
            return "up to 32 addresses 0x.. are expected";
    if (count < popcount32(mask))
        return "an address 0x.. for each active lane is expected";
    for (uint32_t left = mask; left; left &= left - 1, next++)
        address[lowest_bit32(left)] = listed[count == 32 ? lowest_bit32(left) : next];
    return NULL;
}

static const char *read_list(const char **at, uint32_t mask, uint64_t address[32])
{
    for (uint32_t left = mask; left; left &= left - 1) {
        *at = scan_blanks(*at);
        if (!scan_address(at, &address[lowest_bit32(left)]))
            return "an address 0x.. for each active lane is expected";
    }
    return NULL;
}

static const char *read_stride(const char **at, uint32_t mask, bool path, uint64_t base, uint64_t address[32])
{
    int64_t stride;
    if (!scan_signed(at, &stride))
        return "a decimal stride is expected behind the base address";
    uint32_t run = mask ? mask >> lowest_bit32(mask) : 0;
    if (!path && run & (run + 1))
        return "a stride is for active lanes that stand side by side";
    if (!mask)
        return NULL;
    for (unsigned lane = lowest_bit32(mask); lane < 32; lane++, base += (uint64_t)stride)
        address[lane] = base; /* of lanes that are not active, which are never read, too */
    return NULL;
}

static const char *read_deltas(const char **at, uint32_t mask, uint64_t base, uint64_t address[32])
{
    if (!mask)
        return NULL;
    address[lowest_bit32(mask)] = base;
    for (uint32_t left = mask & (mask - 1); left; left &= left - 1) {
        int64_t delta;
        *at = scan_blanks(*at);
        if (!scan_signed(at, &delta))
            return "a decimal difference for each active lane but the first is expected";
        base += (uint64_t)delta;
        address[lowest_bit32(left)] = base;
    }
    return NULL;
}

/* An immediate, or nothing. */
static const char *read_end(const char *at)
{
    int64_t immediate;
    at = scan_blanks(at);
    if (*at != '\n' && !scan_signed(&at, &immediate))
        return "only an immediate, a decimal number, can follow the addresses";
    return *scan_blanks(at) == '\n' ? NULL : "there is more on the line than the lanes of its mask need";
}

static bool recall(const struct payload_memo *memo, const char *at, const char *end, uint32_t mask, uint64_t base,
                   uint64_t address[32])
{
    if (!memo->text || memo->mask != mask || (size_t)(end - at) + 1 != memo->length ||
        memcmp(at, memo->text, memo->length) != 0)
        return false;
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = base + memo->distance[lane];
    return true;
}

/* Without memory it stays as it is. */
static void remember(struct payload_memo *memo, const char *at, const char *end, uint32_t mask, uint64_t base,
                     const uint64_t address[32])
{
    uint32_t length = (uint32_t)(end - at) + 1;
    char *text = realloc(memo->text, length);
    if (!text)
        return;
    memcpy(text, at, length);
    memo->text = text;
    memo->length = length;
    memo->mask = mask;
    for (unsigned lane = 0; lane < 32; lane++)
        memo->distance[lane] = mask >> lane & 1 ? address[lane] - base : 0;
}

const char *payload_read(const char *at, const char *end, uint32_t mask, bool path, struct payload_memo *memo,
                         uint64_t address[32])
{
    uint64_t mode, base = 0;
    const char *wrong = NULL;
    at = scan_blanks(at);
    if (!scan_unsigned(&at, &mode) || mode > MODE_DELTA)
        return "the mode of the addresses must be 0, 1 or 2";
    at = scan_blanks(at);
    if (mode != MODE_LIST && !scan_address(&at, &base))
        return "a base address 0x.. is expected";
    if (mode == MODE_DELTA && recall(memo, at, end, mask, base, address))
        return NULL;
    const char *words = at;
    at = scan_blanks(at);
    switch (mode) {
    case MODE_LIST: wrong = (path ? read_path : read_list)(&at, mask, address); break;
    case MODE_STRIDE: wrong = read_stride(&at, mask, path, base, address); break;
    default: wrong = read_deltas(&at, mask, base, address); break;
    }
    wrong = wrong ? wrong : read_end(at);
    if (!wrong && mode == MODE_DELTA)
        remember(memo, words, end, mask, base, address);
    return wrong;
}
