#include "sm/memory/async_copy.h"

#include <assert.h>

#include "sm/issue/dependence.h"
#include "sm/memory/lsu.h"
#include "sm/sm.h"

/* From the global data to the consumer of the copy's own counter, whatever the size: 39 cycles after issue on a hit
 * (MICRO 2025 paper, table 2). The paper has it released when the global read is over, not when shared memory has been
 * written. */
static uint64_t read_over(const struct sm *sm, uint64_t ready) { return ready + 2 + sm->config->lsu.async_extra; }

void async_copy_join(struct sm *sm, uint16_t token)
{
    struct access *a = &sm->lsu.table.access[token];
    struct async_groups *g = &sm->warp[a->slot].async;
    a->async_group = g->open;
    g->left[g->open]++;
}

void async_copy_read(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.table.access[token];
    retire_result_written(&sm->retire, a->slot, a->code, read_over(sm, ready));
    calendar_add(&sm->calendar, ready, (struct event){EVENT_COPY, (uint8_t)a->slot, token});
}

void async_copy_write(struct sm *sm, uint16_t token)
{
    struct access *a = &sm->lsu.table.access[token];
    uint64_t written = shared_memory_copy(sm, a, sm->now);
    uint64_t read = read_over(sm, sm->now);
    lsu_complete_at(sm, token, written > read ? written : read);
}

/* Groups land in order: a counter waits for the groups before. */
static void landed(struct sm *sm, unsigned slot, uint64_t now)
{
    struct async_groups *g = &sm->warp[slot].async;
    uint64_t when = now > g->raised ? now : g->raised;
    while (g->oldest != g->open && g->left[g->oldest] == 0) {
        retire_counter(&sm->retire, slot, g->sb[g->oldest], when);
        g->oldest = (uint8_t)((g->oldest + 1) % ASYNC_GROUPS);
    }
}

void async_copy_landed(struct sm *sm, uint16_t token)
{
    const struct access *a = &sm->lsu.table.access[token];
    sm->warp[a->slot].async.left[a->async_group]--;
    landed(sm, a->slot, sm->now);
}

void async_copy_close(struct sm *sm, unsigned slot, uint8_t sb, uint64_t now)
{
    struct async_groups *g = &sm->warp[slot].async;
    if (sb == ISA_NO_SB)
        return;
    assert(!async_groups_full(g));
    g->sb[g->open] = sb;
    g->open = (uint8_t)((g->open + 1) % ASYNC_GROUPS);
    g->left[g->open] = 0;
    g->raised = now + 2;
    landed(sm, slot, now);
}
