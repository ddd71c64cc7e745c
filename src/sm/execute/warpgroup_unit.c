#include "sm/execute/warpgroup_unit.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/order.h"
#include "sm/warp.h"

bool warpgroup_unit_init(struct warpgroup_unit *u, struct arena *arena)
{
    u->queue = arena_take_sparse(arena, SM_WARPS * sizeof *u->queue);
    return u->queue != NULL;
}

void warpgroup_unit_begin(struct warpgroup_unit *u)
{
    if (!u->touched)
        return;
    memset(u->queue, 0, SM_WARPS * sizeof *u->queue);
    *u = (struct warpgroup_unit){.to = u->to, .queue = u->queue};
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

/* First slot of a warp's warpgroup. */
static uint32_t first_slot(const struct warpgroup_unit *u, uint32_t slot)
{
    uint32_t base = u->to.cta[u->to.warp[slot].cta].first_slot;
    return base + (slot - base) / WARPGROUP_WARPS * WARPGROUP_WARPS;
}

static bool all_have_issued(const struct warpgroup_unit *u, uint32_t first)
{
    bool all = true;
    for (uint32_t i = 0; i < WARPGROUP_WARPS; i++)
        all &= u->queue[first + i].count > 0;
    return all;
}

static void set_full(struct warpgroup_unit *u, uint32_t slot)
{
    uint16_t bit = (uint16_t)(1u << slot_warp(slot)), *full = &u->full[slot_subcore(slot)];
    bool now_full = u->queue[slot].count >= u->to.core->wgmma_queue;
    if (((*full & bit) != 0) == now_full)
        return;
    gate_wake(&u->to.gates->subcore[slot_subcore(slot)]);
    *full ^= bit;
}

static void wait_for_groups(struct warpgroup_unit *u, uint32_t slot, uint8_t allowed)
{
    struct product_groups *g = &u->to.warp[slot].products;
    if (g->pending <= allowed)
        return;
    g->allowed = allowed;
    g->waits = true;
    gates_close(u->to.gates, slot, STALL_WARPGROUP_ARRIVE);
}

void warpgroup_unit_issue(struct warpgroup_unit *u, uint32_t slot, const struct code *code, uint64_t now)
{
    if (code->warpgroup == CODE_PRODUCT_WAIT) {
        wait_for_groups(u, slot, code->depbar_max);
        return;
    }
    struct product_queue *q = &u->queue[slot];
    u->touched = true;
    assert(q->count < WARPGROUP_QUEUE);
    q->part[(q->first + q->count++) % WARPGROUP_QUEUE] = (struct product){now, (uint32_t)(code - u->to.code->code)};
    u->to.warp[slot].queued_ops++;
    u->to.warp[slot].products.pending =
        (uint16_t)(u->to.warp[slot].products.pending + (code->warpgroup == CODE_LAST_PRODUCT));
    set_full(u, slot);
    uint32_t first = first_slot(u, slot);
    if (first + WARPGROUP_WARPS <= SM_WARPS && all_have_issued(u, first))
        u->whole |= UINT64_C(1) << first;
}

/* ---- the tensor cores -------------------------------------------------------------------------------------------- */

/* Cycle in which the last of its warps has issued the next product of a warpgroup. */
static uint64_t issued_at(const struct warpgroup_unit *u, uint32_t first)
{
    uint64_t issue = 0;
    for (uint32_t i = 0; i < WARPGROUP_WARPS; i++) {
        const struct product_queue *q = &u->queue[first + i];
        issue = latest(issue, q->part[q->first].issue);
    }
    return issue;
}

static uint32_t oldest(const struct warpgroup_unit *u)
{
    uint32_t best = lowest_bit64(u->whole);
    for (uint64_t left = u->whole & (u->whole - 1); left; left &= left - 1)
        if (issued_at(u, lowest_bit64(left)) < issued_at(u, best))
            best = lowest_bit64(left);
    return best;
}

/* Cycle from which the tensor cores of all sub-cores are free. */
static uint64_t cores_free(const struct warpgroup_unit *u)
{
    uint64_t from = u->free;
    for (unsigned i = 0; i < SM_SUBCORES; i++)
        from = latest(from, u->to.units[i]->free[UNIT_TENSOR]);
    return from;
}

/* The other products of the sub-cores wait. */
static void hold_cores(struct warpgroup_unit *u, uint64_t until)
{
    u->free = until;
    for (unsigned i = 0; i < SM_SUBCORES; i++) {
        gate_wake(&u->to.gates->subcore[i]);
        units_hold(u->to.units[i], UNIT_TENSOR, until);
    }
}

static bool begin_product(struct warpgroup_unit *u, uint64_t now)
{
    if (u->reading.under_way || !u->whole || cores_free(u) > now || product_ends_full(&u->ends))
        return false;
    uint32_t first = oldest(u);
    const struct product_queue *head = &u->queue[first];
    const struct code *code = &u->to.code->code[head->part[head->first].number];
    for (uint32_t i = 0; i < WARPGROUP_WARPS; i++) {
        struct product_queue *q = &u->queue[first + i];
        q->first = (uint8_t)((q->first + 1) % WARPGROUP_QUEUE);
        q->count--;
        set_full(u, first + i);
    }
    if (!all_have_issued(u, first))
        u->whole &= ~(UINT64_C(1) << first);
    u->reading = (struct product_reading){.under_way = true,
                                          .transfer = code->transfer,
                                          .latency = code->latency,
                                          .interval = code->interval,
                                          .start = now,
                                          .product = {(uint8_t)first, code->warpgroup == CODE_LAST_PRODUCT}};
    hold_cores(u, now + code->interval);
    return true;
}

static uint64_t burst_due(const struct product_reading *r)
{
    return r->start + (uint64_t)r->interval * r->read / r->transfer + r->late;
}

/* The next burst of the product that reads, which ends with its last one. */
static bool read_operands(struct warpgroup_unit *u, uint64_t now)
{
    struct product_reading *r = &u->reading;
    if (!r->under_way || burst_due(r) > now)
        return false;
    uint32_t cycles = smaller(r->transfer - r->read, u->to.core->wgmma_burst);
    uint64_t from = shared_memory_take(u->to.shared, now, cycles);
    r->late += from - now;
    r->read = (uint16_t)(r->read + cycles);
    if (r->read < r->transfer)
        return true;
    r->under_way = false;
    uint64_t end = latest(r->start + r->interval + r->late, from + cycles);
    hold_cores(u, end);
    *product_ends_push(&u->ends, latest(r->start + r->late + r->latency, end)) = r->product;
    return true;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static bool complete(struct warpgroup_unit *u, uint64_t now)
{
    if (!product_ends_ready(&u->ends, now))
        return false;
    struct product_end end = *product_ends_front(&u->ends);
    product_ends_pop(&u->ends);
    for (uint32_t slot = end.slot; slot < (uint32_t)end.slot + WARPGROUP_WARPS; slot++) {
        struct sm_warp *w = &u->to.warp[slot];
        struct product_groups *g = &w->products;
        w->queued_ops--;
        g->pending = (uint16_t)(g->pending - end.last);
        if (g->waits && g->pending <= g->allowed) {
            g->waits = false;
            gates_open(u->to.gates, slot, STALL_WARPGROUP_ARRIVE);
        }
        retire_warp_drained(u->to.retire, slot);
    }
    return true;
}

bool warpgroup_unit_work(struct warpgroup_unit *u, uint64_t now)
{
    bool moved = complete(u, now);
    moved |= begin_product(u, now);
    return read_operands(u, now) || moved;
}

uint64_t warpgroup_unit_due(const struct warpgroup_unit *u, uint64_t now)
{
    uint64_t next = product_ends_next(&u->ends);
    if (u->reading.under_way)
        next = earliest(next, burst_due(&u->reading));
    else if (u->whole && !product_ends_full(&u->ends))
        next = earliest(next, cores_free(u));
    return latest(next, now + 1);
}

void warpgroup_unit_archive(struct archive *a, struct warpgroup_unit *u)
{
    archive_keep(a, &u->to);
    archive_array(a, &u->queue, SM_WARPS);
}
