/* Commands of the copy engine (TMA), as accesses of the thread that issues them. The checker between the
 * proxies (exec/memory/proxy.h) reports on their effects and missing fences. This file checks whether the command
 * may begin. */
#include "base/bits.h"
#include "check/state.h"
#include "exec/memory/undefined.h"

static void into_shared(const struct check_at *at, const struct transfer *t, unsigned lane)
{
    for (uint32_t left = t->targets; left; left &= left - 1) {
        struct check_cta *cta = check_peer(at, lowest_bit32(left));
        if (!cta)
            continue;
        if (check_wants(at->check, CHECK_BIT_RACE))
            check_race_range(at, cta, t->shared, t->bytes, lane, true);
        shadow_renew(&cta->shared, t->shared, t->bytes);
    }
}

/* Rows in device memory: those of a load are read, others written. */
static void rows(const struct check_at *at, const struct transfer *t, unsigned lane)
{
    bool writes = t->kind != TRANSFER_LOAD;
    uint64_t span = transfer_span(t);
    for (uint32_t row = 0; row < t->rows; row++) {
        uint64_t address;
        if (!transfer_row(t, row, &address) || !span)
            continue;
        if (check_wants(at->check, CHECK_BIT_RACE) && t->kind != TRANSFER_REDUCTION)
            check_race_range(at, NULL, address, span, lane, writes);
        if (t->kind == TRANSFER_LOAD && check_wants(at->check, CHECK_BIT_INIT) &&
            memory_undefined(at->launch->memory, address, span))
            check_note(at, CHECK_UNWRITTEN, lane, UINT32_MAX, 0, 0, CHECK_GLOBAL, address, (uint32_t)span);
        if (writes)
            memory_define(at->launch->memory, address, span);
    }
}

void check_transfer(const struct check_at *at)
{
    const struct transfer *t = &at->issued->transfer;
    unsigned lane = lowest_bit32(at->issued->active);
    bool in = t->kind == TRANSFER_LOAD || t->kind == TRANSFER_SHARED;
    bool out = t->kind == TRANSFER_STORE || t->kind == TRANSFER_REDUCTION;
    if (out && check_wants(at->check, CHECK_BIT_RACE))
        check_race_range(at, at->cta, t->shared, t->bytes, lane, false);
    if (t->kind == TRANSFER_LOAD || out)
        rows(at, t, lane);
    if (in)
        into_shared(at, t, lane);
}
