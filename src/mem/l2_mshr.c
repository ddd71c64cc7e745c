#include "mem/l2_mshr.h"

#include <assert.h>

bool l2_mshrs_create(struct l2_mshrs *mshrs, uint32_t count, struct arena *arena)
{
    assert(count > 0 && count < L2_NO_MSHR);
    *mshrs = (struct l2_mshrs){.mshr = arena_take(arena, count * sizeof *mshrs->mshr), .count = count};
    if (mshrs->mshr == NULL)
        return false;
    l2_mshrs_reset(mshrs);
    return true;
}

void l2_mshrs_reset(struct l2_mshrs *mshrs)
{
    mshrs->taken = mshrs->touched = 0;
    mshrs->unused = L2_NO_MSHR;
}

uint16_t l2_mshrs_take(struct l2_mshrs *mshrs, uint32_t line)
{
    assert(!l2_mshrs_full(mshrs));
    uint32_t id = mshrs->unused;
    if (id != L2_NO_MSHR)
        mshrs->unused = mshrs->mshr[id].line;
    else
        id = mshrs->touched++;
    mshrs->taken++;
    mshrs->mshr[id] = (struct l2_mshr){.line = line, .waiters = request_list_empty()};
    return (uint16_t)id;
}

void l2_mshrs_release(struct l2_mshrs *mshrs, uint16_t id)
{
    assert(mshrs->mshr[id].pending == 0 && mshrs->mshr[id].waiting == 0);
    mshrs->mshr[id].line = mshrs->unused;
    mshrs->unused = id;
    mshrs->taken--;
}

uint8_t l2_mshr_arrive(struct l2_mshr *mshr, uint8_t sectors)
{
    assert((sectors & ~mshr->pending) == 0);
    uint8_t kept = (uint8_t)(sectors & ~mshr->barred);
    mshr->pending &= (uint8_t)~sectors;
    mshr->barred &= (uint8_t)~sectors;
    return kept;
}
