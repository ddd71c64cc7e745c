#include "accelsim/copies.h"

#include <stdlib.h>

static int by_address(const void *left, const void *right)
{
    const struct copy_range *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* Whether b, which begins at or behind the begin of a, overlaps or touches it. */
static bool meets(const struct copy_range *a, const struct copy_range *b)
{
    return b->first <= a->last || b->first - a->last == 1;
}

static void extend(struct copy_range *a, const struct copy_range *b)
{
    a->last = b->last > a->last ? b->last : a->last;
}

void copies_join(struct copies *copies)
{
    uint32_t kept = 0;
    qsort(copies->range, copies->count, sizeof *copies->range, by_address);
    for (uint32_t i = 0; i < copies->count; i++) {
        if (kept > 0 && meets(&copies->range[kept - 1], &copies->range[i]))
            extend(&copies->range[kept - 1], &copies->range[i]);
        else
            copies->range[kept++] = copies->range[i];
    }
    copies->count = kept;
}

bool copies_add(struct copies *copies, uint64_t address, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    const struct copy_range added = {address, bytes - 1 <= UINT64_MAX - address ? address + (bytes - 1) : UINT64_MAX};
    struct copy_range *newest = copies->count > 0 ? &copies->range[copies->count - 1] : NULL;
    if (newest && newest->first <= added.first && meets(newest, &added)) {
        extend(newest, &added); /* most programs copy upwards */
        return true;
    }
    if (copies->count == COPIES_MOST) {
        copies_join(copies);
        if (copies->count > COPIES_MOST / 2) /* joining again and again would take long */
            return false;
    }
    copies->range[copies->count++] = added;
    return true;
}
