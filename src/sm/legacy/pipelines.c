#include "sm/legacy/pipelines.h"

#include <string.h>

#include "base/arena.h"
#include "sm/warp.h"

enum { RESULT_LATCH = 1, WRITE = 1 };

bool legacy_pipelines_init(struct legacy_pipelines *p, struct arena *arena)
{
    p->results = arena_take(arena, LEGACY_SPAN * sizeof *p->results);
    return p->results != NULL;
}

void legacy_pipelines_begin(struct legacy_pipelines *p)
{
    memset(p->free, 0, sizeof p->free);
    memset(p->leaves, 0, sizeof p->leaves);
    memset(p->results, 0, LEGACY_SPAN * sizeof *p->results);
    p->count = 0;
}

void legacy_op_done(struct retire *retire, struct sm_warp *warp, uint32_t slot)
{
    if (--warp->queued_ops == 0)
        retire_warp_drained(retire, slot);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static uint64_t *leaves_word(struct legacy_pipelines *p, unsigned unit, unsigned subcore, uint64_t cycle)
{
    return &p->leaves[unit][subcore][cycle % LEGACY_SPAN / 64];
}

static void write(struct legacy_pipelines *p, struct legacy_result r, uint64_t now)
{
    const struct code *code = &p->to.code->code[r.code];
    *leaves_word(p, r.unit, slot_subcore(r.slot), now) &= ~(UINT64_C(1) << now % 64);
    if (code->write_words)
        legacy_collectors_write(p->to.collectors, legacy_bank_of(p->to.config, code->write_first, r.slot));
    if (!(code->flags & CODE_ASYNC_GROUP)) /* its counter goes down when its copies have landed */
        retire_result_written(p->to.retire, r.slot, code, now);
    legacy_op_done(p->to.retire, &p->to.warp[r.slot], r.slot);
}

bool legacy_pipelines_write(struct legacy_pipelines *p, uint64_t now)
{
    struct legacy_results *due = &p->results[now % LEGACY_SPAN];
    if (!p->count || !due->count)
        return false;
    for (uint32_t i = 0; i < due->count; i++)
        write(p, due->result[i], now);
    p->count -= due->count;
    due->count = 0;
    return true;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static bool take(struct legacy_pipelines *p, unsigned unit, unsigned subcore, uint64_t now)
{
    if (p->free[unit][subcore] > now)
        return false;
    const struct code *code = &p->to.code->code[p->to.in->op[unit][subcore].code];
    uint64_t written = now + code->latency + RESULT_LATCH + WRITE, *leaves = leaves_word(p, unit, subcore, written);
    struct legacy_results *results = &p->results[written % LEGACY_SPAN];
    if (*leaves >> written % 64 & 1 || results->count >= p->to.config->result_width)
        return false;
    struct legacy_op op = legacy_latch_take(p->to.in, unit, subcore);
    results->result[results->count++] = (struct legacy_result){op.code, op.slot, (uint8_t)unit};
    *leaves |= UINT64_C(1) << written % 64;
    p->free[unit][subcore] = now + code->interval;
    p->count++;
    return true;
}

bool legacy_pipelines_cycle(struct legacy_pipelines *p, uint64_t now)
{
    static const uint8_t order[] = {LEGACY_SP,     LEGACY_DP,      LEGACY_INT,    LEGACY_SFU,
                                    LEGACY_BRANCH, LEGACY_TEXTURE, LEGACY_TENSOR, LEGACY_UNIFORM};
    bool moved = false;
    for (unsigned i = 0; i < sizeof order; i++)
        for (uint32_t m = p->to.in->taken[order[i]]; m; m &= m - 1)
            moved |= take(p, order[i], lowest_bit32(m), now);
    return moved;
}
