#include "sm/memory/pending_table.h"

#include <assert.h>

#include "sm/slot.h"

enum { LINES = 32 };

bool pending_table_init(struct pending_table *t, const struct config_lsu *config, struct arena *arena)
{
    uint32_t records = config->pending + SM_SUBCORES * config->queue + MBARRIER_WAITS;
    assert(records <= LSU_TOKENS);
    *t = (struct pending_table){.access = arena_take(arena, records * sizeof *t->access),
                                .line = arena_take_sparse(arena, records * LINES * sizeof *t->line),
                                .records = records};
    for (uint32_t i = 0; t->access && t->line && i < records; i++)
        t->access[i].line = t->line + i * LINES;
    return t->access && t->line;
}

void pending_table_begin(struct pending_table *t)
{
    t->entries = t->stores = 0;
    t->free_count = t->records;
    for (uint32_t i = 0; i < t->free_count; i++)
        t->free[i] = (uint16_t)(t->free_count - 1 - i);
}
