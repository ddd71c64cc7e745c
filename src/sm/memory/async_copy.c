#include "sm/memory/async_copy.h"

#include <assert.h>

#include "base/order.h"
#include "sm/memory/delivery.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/memory/shared_memory.h"
#include "sm/warp.h"

/* From the global data to the consumer of the copy's own counter, whatever the size: 39 cycles after issue on a hit,
 * `async_extra` more than a load of 32 bits, whose data take two cycles of the return path (MICRO 2025 paper, table 2).
 * The paper has it released when the global read is over, not when shared memory has been written. */
static uint64_t read_over(const struct async_copies *c, uint64_t ready)
{
    enum { RETURN_OF_A_LOAD = 2 };
    return ready + RETURN_OF_A_LOAD + c->config->async_extra;
}

void async_copy_join(const struct async_copies *c, uint16_t token)
{
    struct access *a = &c->table->access[token];
    struct async_groups *g = &c->warp[a->slot].async;
    a->async_group = g->open;
    g->left[g->open]++;
}

void async_copy_read(const struct async_copies *c, uint16_t token, uint64_t ready)
{
    const struct access *a = &c->table->access[token];
    retire_result_written(c->retire, a->slot, a->code, read_over(c, ready));
    calendar_add(c->calendar, ready, (struct event){EVENT_COPY, (uint8_t)a->slot, token});
}

void async_copy_write(const struct async_copies *c, uint16_t token, uint64_t now)
{
    uint64_t written = shared_memory_copy(c->shared, &c->table->access[token], now);
    delivery_complete(c->delivery, token, latest(written, read_over(c, now)));
}

/* Groups land in order: a counter waits for the groups before. */
static void landed(const struct async_copies *c, unsigned slot, uint64_t now)
{
    struct async_groups *g = &c->warp[slot].async;
    uint64_t when = latest(now, g->raised);
    while (g->oldest != g->open && g->left[g->oldest] == 0) {
        uint16_t arrival = g->arrival[g->oldest];
        if (arrival && async_groups_full(g))
            calendar_add(c->calendar, now, (struct event){EVENT_GROUP, (uint8_t)slot, 0});
        if (arrival)
            mbarrier_unit_landed(c->objects, (uint16_t)(arrival - 1), now);
        else
            retire_counter(c->retire, slot, g->sb[g->oldest], when);
        g->oldest = (uint8_t)((g->oldest + 1) % ASYNC_GROUPS);
    }
}

void async_copy_landed(const struct async_copies *c, uint16_t token, uint64_t now)
{
    const struct access *a = &c->table->access[token];
    c->warp[a->slot].async.left[a->async_group]--;
    landed(c, a->slot, now);
}

static void close_group(struct async_groups *g, uint8_t sb, uint16_t arrival)
{
    assert(!async_groups_full(g));
    g->sb[g->open] = sb;
    g->arrival[g->open] = arrival;
    g->open = (uint8_t)((g->open + 1) % ASYNC_GROUPS);
    g->left[g->open] = 0;
}

void async_copy_arrive(const struct async_copies *c, unsigned slot, uint16_t token, uint64_t now)
{
    close_group(&c->warp[slot].async, ISA_NO_SB, (uint16_t)(token + 1));
    landed(c, slot, now);
}

void async_copy_close(const struct async_copies *c, unsigned slot, uint8_t sb, uint64_t now)
{
    struct async_groups *g = &c->warp[slot].async;
    if (sb == ISA_NO_SB)
        return;
    close_group(g, sb, 0);
    g->raised = now + ISA_COUNTER_VISIBLE;
    landed(c, slot, now);
}
