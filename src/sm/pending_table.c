#include "sm/pending_table.h"

#include <assert.h>
#include <stdlib.h>

#include "sm/sm.h"

bool pending_table_init(struct pending_table *t)
{
    *t = (struct pending_table){.access = calloc(LSU_TOKENS, sizeof *t->access)};
    return t->access != NULL;
}

void pending_table_free(struct pending_table *t)
{
    free(t->access);
    t->access = NULL;
}

void pending_table_begin(struct pending_table *t, const struct config_lsu *config)
{
    t->entries = 0;
    t->free_count = config->pending + SM_PARTITIONS * config->queue;
    assert(t->free_count <= LSU_TOKENS);
    for (uint32_t i = 0; i < t->free_count; i++)
        t->free[i] = (uint16_t)(t->free_count - 1 - i);
}
