#include "accelsim/places.h"

#include <stdlib.h>

#include "base/bits.h"
#include "isa/contract.h"

enum { PIECES_MOST = 1 << 14, UNKNOWN_WIDTH = ISA_SECTOR, ELEMENT_MOST = 16 };

void places_free(struct places *p)
{
    free(p->at);
    *p = (struct places){0};
}

bool places_add(struct places *p, uint64_t address)
{
    if (p->count == p->room) {
        uint32_t room = p->room ? 2 * p->room : 256;
        uint64_t *grown = realloc(p->at, room * sizeof *grown);
        if (!grown)
            return false;
        p->at = grown;
        p->room = room;
    }
    p->at[p->count++] = address;
    return true;
}

/* ---- from a transfer --------------------------------------------------------------------------------------------- */

static uint64_t pieces_of(const struct transfer *t, uint64_t width)
{
    uint64_t count = 0, address, span = transfer_span(t);
    for (uint32_t row = 0; row < t->rows; row++)
        if (transfer_row(t, row, &address))
            count += (address + span - 1) / width - address / width + 1;
    return count;
}

bool places_list(struct places *p, const struct transfer *t)
{
    uint64_t address, span = transfer_span(t);
    p->count = 0;
    p->width = ISA_SECTOR;
    while (p->width < 1u << 31 && pieces_of(t, p->width) > PIECES_MOST && t->rows <= PIECES_MOST)
        p->width *= 2;
    for (uint32_t row = 0; row < t->rows; row++) {
        if (!transfer_row(t, row, &address))
            continue;
        for (uint64_t at = address; at < address + span; at = (at / p->width + 1) * p->width)
            if (!places_add(p, at))
                return false;
    }
    return true;
}

/* ---- to a transfer ----------------------------------------------------------------------------------------------- */

/* Bytes from the first place of a row to its last one: the least and the most of all rows. */
struct reach {
    uint64_t least, most;
};

static bool begins_row(const struct places *p, uint32_t i, uint64_t before, uint64_t width)
{
    return i == 0 || p->at[i] - before == 0 || p->at[i] - before > width;
}

/* Leaves the first place of each row. */
static struct reach find_rows(struct places *p, uint64_t width)
{
    struct reach reach = {.least = UINT64_MAX};
    uint64_t first = p->at[0], before = 0;
    uint32_t rows = 0;
    for (uint32_t i = 0; i <= p->count; i++) {
        bool ends = i > 0 && (i == p->count || begins_row(p, i, before, width));
        if (ends) {
            reach.least = before - first < reach.least ? before - first : reach.least;
            reach.most = before - first > reach.most ? before - first : reach.most;
        }
        if (i == p->count)
            break;
        bool begins = begins_row(p, i, before, width);
        before = p->at[i];
        first = begins ? before : first;
        if (begins)
            p->at[rows++] = before;
    }
    p->count = rows;
    return reach;
}

/* Places from `from` on that have the same distance. */
static uint32_t run_from(const struct places *p, uint32_t from)
{
    uint32_t n = from + 1 < p->count ? 2 : 1;
    while (from + n < p->count && p->at[from + n] - p->at[from + n - 1] == p->at[from + 1] - p->at[from])
        n++;
    return n;
}

/* Groups of `n` places with one distance, the first of which may lack some at its begin and the last some at its end,
 * become a dimension. Leaves the first place of each group. */
static bool take_dimension(struct places *p, struct transfer *t, unsigned d)
{
    uint32_t first = run_from(p, 0), second = first < p->count ? run_from(p, first) : 0, n = first;
    uint64_t stride = p->count > 1 ? p->at[1] - p->at[0] : 0;
    if (d == 1 && second > first && first > 0 && (first == 1 || p->at[first + 1] - p->at[first] == stride)) {
        stride = p->at[first + 1] - p->at[first];
        n = second;
    }
    uint32_t missing = n - first, groups = 0;
    for (uint32_t i = 0; i < p->count; groups++) {
        uint32_t size = groups == 0 ? first : n, end = p->count - i < size ? p->count : i + size;
        for (uint32_t j = i + 1; j < end; j++)
            if (p->at[j] - p->at[j - 1] != stride)
                return false;
        p->at[groups] = groups == 0 ? p->at[0] - missing * stride : p->at[i];
        i = end;
    }
    p->count = groups;
    t->stride[d] = stride;
    t->extent[d] = t->to[d] = n;
    t->start[d] = missing;
    return true;
}

static void begin_rows(struct transfer *t, uint64_t base, uint64_t row_bytes)
{
    uint32_t element = ELEMENT_MOST;
    while (row_bytes % element)
        element /= 2;
    for (unsigned d = 0; d < TRANSFER_DIMENSIONS; d++) {
        t->stride[d] = 0;
        t->extent[d] = t->to[d] = 1;
        t->start[d] = t->from[d] = 0;
    }
    t->base = base;
    t->stride[0] = t->element_bytes = element;
    t->extent[0] = (uint32_t)(row_bytes / element);
    t->to[0] = 0;
}

static bool one_row(uint64_t lowest, uint64_t bytes, struct transfer *t)
{
    begin_rows(t, lowest, bytes);
    t->rows = 1;
    return false;
}

static uint64_t lowest_of(const struct places *p)
{
    uint64_t lowest = p->at[0];
    for (uint32_t i = 1; i < p->count; i++)
        lowest = p->at[i] < lowest ? p->at[i] : lowest;
    return lowest;
}

bool places_fit(struct places *p, uint64_t bytes, struct transfer *t)
{
    uint64_t width = p->width ? p->width : UNKNOWN_WIDTH;
    begin_rows(t, 0, ELEMENT_MOST);
    t->rows = 0;
    if (p->count == 0)
        return true;
    uint64_t lowest = lowest_of(p);
    struct reach reach = find_rows(p, width);
    uint32_t rows = p->count;
    uint64_t row_bytes = bytes % rows == 0 ? bytes / rows : 0;
    if (row_bytes <= reach.most || row_bytes > reach.least + width)
        row_bytes = reach.least == reach.most ? reach.most + width : 0;
    if (row_bytes == 0 || row_bytes > UINT32_MAX / 2)
        return one_row(lowest, bytes, t);
    begin_rows(t, p->at[0], row_bytes);
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++)
        if (!take_dimension(p, t, d))
            return one_row(lowest, bytes, t);
    if (p->count > 1)
        return one_row(lowest, bytes, t);
    t->base = p->at[0];
    t->rows = rows;
    return true;
}
